-- search_excerpt: at most 200 characters of a text around the words of a search with the most weight, cut between words.
--
-- Two pieces of at most 100 characters that follow each other. A word that is longer is cut, too.
CREATE OR REPLACE FUNCTION search_excerpt(p_text text, p_words text[], p_weights float8[]) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        WITH pieces AS MATERIALIZED (
            SELECT m[1] AS text, n, tsvector_to_array(index_text(m[1])) AS words
            FROM regexp_matches(p_text COLLATE pg_c_utf8, '(.{1,99}(?:\s|$)|\S{1,100})', 'g') WITH ORDINALITY AS r (m, n)
        )
        SELECT btrim(a.text || coalesce(b.text, ''), E' \t\r\n') FROM pieces a LEFT JOIN pieces b ON b.n = a.n + 1
        ORDER BY (SELECT coalesce(sum(w.weight), 0) FROM unnest(p_words, p_weights) AS w (word, weight)
            WHERE w.word = ANY (a.words) OR w.word = ANY (b.words)) DESC, a.n LIMIT 1);
END $$;
