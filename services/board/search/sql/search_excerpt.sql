-- search_excerpt: at most 200 characters of a text around the words of a search with the most weight, cut between words.
--
-- Two pieces of at most 100 characters that follow each other. A word that is longer is cut, too. Making the words of a
-- text costs much, so of a long text only 2,000 characters are read: those that contain the beginnings of the words with
-- the most weight. The last letter of a word may be another one in the text.
CREATE OR REPLACE FUNCTION search_excerpt(p_text text, p_words text[], p_weights float8[]) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    near text := p_text;
    start int;
BEGIN
    IF length(p_text) > 2000 THEN
        start := (
            SELECT n FROM generate_series(0, length(p_text) - 1001, 1000) AS n CROSS JOIN LATERAL (
                SELECT index_letters(index_plain(index_fold(substr(p_text, n + 1, 2000)))) AS folded OFFSET 0
            ) f
            ORDER BY (SELECT coalesce(sum(w.weight), 0) FROM unnest(p_words, p_weights) AS w (word, weight)
                WHERE strpos(f.folded, left(w.word, greatest(1, length(w.word) - 1))) > 0) DESC, n LIMIT 1);
        near := substr(p_text, start + 1, 2000);
        -- without the words that are cut at its ends
        IF start > 0 THEN
            near := regexp_replace(left(near, 100), '^\S*\s', '') || substr(near, 101);
        END IF;
        IF start + 2000 < length(p_text) THEN
            near := left(near, -100) || regexp_replace(right(near, 100), '\s\S*$', E'\n');
        END IF;
    END IF;
    RETURN (
        WITH pieces AS MATERIALIZED (
            SELECT m[1] AS text, n, tsvector_to_array(index_text(m[1])) AS words
            FROM regexp_matches(near COLLATE pg_c_utf8, '(.{1,99}(?:\s|$)|\S{1,100})', 'g') WITH ORDINALITY AS r (m, n)
        )
        SELECT btrim(a.text || coalesce(b.text, ''), E' \t\r\n') FROM pieces a LEFT JOIN pieces b ON b.n = a.n + 1
        ORDER BY (SELECT coalesce(sum(w.weight), 0) FROM unnest(p_words, p_weights) AS w (word, weight)
            WHERE w.word = ANY (a.words) OR w.word = ANY (b.words)) DESC, a.n LIMIT 1);
END $$;
