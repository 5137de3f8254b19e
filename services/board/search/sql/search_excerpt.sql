-- search_excerpt: at most 200 characters of a text around the words of a search with the most weight, cut between words.
--
-- Making the words of a text as the index does costs much, so search_weight looks for their beginnings: in pieces of 170
-- characters, so that a word that begins in a piece is shown whole. A long text is first divided into pieces of 2,000.
CREATE OR REPLACE FUNCTION search_excerpt(p_text text, p_words text[], p_weights float8[]) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    skipped int := 0;
    excerpt text;
BEGIN
    IF length(p_text) > 2000 THEN
        skipped := (SELECT n FROM generate_series(0, length(p_text) - 1001, 1000) AS n
            ORDER BY search_weight(substr(p_text, n + 1, 2000), p_words, p_weights) DESC, n LIMIT 1);
    END IF;
    IF length(p_text) > 200 THEN
        skipped := (SELECT n FROM generate_series(skipped, least(length(p_text) - 101, skipped + 1900), 100) AS n
            ORDER BY search_weight(substr(p_text, n + 1, 170), p_words, p_weights) DESC, n LIMIT 1);
    END IF;
    excerpt := substr(p_text, skipped + 1, 200);
    -- without the words that are cut at its ends, unless these are very long
    IF skipped > 0 THEN
        excerpt := regexp_replace(excerpt, '^\S{0,50}\s', '');
    END IF;
    IF skipped + 200 < length(p_text) THEN
        excerpt := left(excerpt, -50) || regexp_replace(right(excerpt, 50), '\s\S*$', '');
    END IF;
    RETURN btrim(excerpt, E' \t\r\n');
END $$;
