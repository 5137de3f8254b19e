-- search_words: what a searcher asks for, of the words that index_words makes. Quotes, "or" and a "-" before a word are
-- operators, as websearch_to_tsquery has them; other punctuation within a word makes it a phrase.
--
-- Never raises: websearch_to_tsquery alone does, for some thirty "-" in a row.
CREATE OR REPLACE FUNCTION search_words(p_query text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN websearch_to_tsquery('simple', (
    SELECT string_agg(CASE WHEN n % 2 = 0 THEN regexp_replace(part, '[!-/:-@\[-`{-~]', ' ', 'g')
        -- a comma stands in no word and separates none
        ELSE regexp_replace(regexp_replace(part, '[!#-,./:-@\[-`{-~]', ',', 'g'), '-{2,}|(?<=\S)-|-(?=\s)', ',', 'g') END,
        '"' ORDER BY n)
    FROM unnest(string_to_array(p_query, '"')) WITH ORDINALITY AS p(part, n)
));
