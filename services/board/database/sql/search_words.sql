-- search_words: parse a search into a query over the words of index_words. Quotes, "or" and a "-" before a word are
-- operators as in websearch_to_tsquery; other punctuation within a word makes it a phrase.
--
-- Never raises, whereas websearch_to_tsquery itself raises for some thirty "-" in a row.
CREATE OR REPLACE FUNCTION search_words(p_query text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN websearch_to_tsquery('simple', (
    SELECT string_agg(CASE WHEN n % 2 = 0 THEN regexp_replace(part, '[!-/:-@\[-`{-~]', ' ', 'g')
        -- a comma is part of no word and does not separate words
        ELSE regexp_replace(regexp_replace(part, '[!#-,./:-@\[-`{-~]', ',', 'g'), '-{2,}|(?<=\S)-|-(?=\s)', ',', 'g') END,
        '"' ORDER BY n)
    FROM unnest(string_to_array(p_query, '"')) WITH ORDINALITY AS p(part, n)
));
