-- search_excerpt: at most 200 characters of a text around the words of a search with the most weight, cut between words.
--
-- A text is divided into pieces of 80 characters. A piece has the words that begin in it, as the index makes them; two
-- neighbours and the end of their last word are an excerpt. Making the words costs much. So only the pieces that seem to
-- have most of the weight are read, and then others with letters beyond ASCII: at most p_work characters, and as many in
-- the normal form, which makes 18 characters of some.
CREATE OR REPLACE FUNCTION search_excerpt(p_text text, p_words text[], p_weights float8[], p_work int) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    heavy_max CONSTANT int := 8; -- words of which two pieces may have all
    heavy text[];
    stems text[]; -- the index removes endings from words, so the last letter may be another one
    weights float8[];
    skipped int := 0;
    excerpt text;
BEGIN
    IF length(p_text) > 200 THEN
        SELECT array_agg(h.word), array_agg(left(h.word, greatest(2, length(h.word) - 1))), array_agg(h.weight)
        INTO heavy, stems, weights FROM (
            SELECT w.word, w.weight FROM unnest(p_words, p_weights) AS w (word, weight)
            ORDER BY w.weight DESC LIMIT heavy_max
        ) h;
        -- with the character before, and the next 40
        WITH pieces AS (
            SELECT m.n, coalesce(right(lag(m.piece[1]) OVER (ORDER BY m.n), 1), ' ') || m.piece[1]
                || coalesce(left(lead(m.piece[1]) OVER (ORDER BY m.n), 40), '') AS piece
            FROM regexp_matches(p_text, '.{1,80}', 'g') WITH ORDINALITY AS m (piece, n)
        ),
        spaced AS MATERIALIZED (
            SELECT p.*, translate(lower(p.piece COLLATE pg_c_utf8), E'\n\t.,:;()/"''`-_', '              ') AS words
            FROM pieces p
        ),
        telling AS (
            SELECT s.n, s.piece, e.seems FROM spaced s CROSS JOIN LATERAL (
                -- less for a word with another ending, and for one inside of another word
                SELECT coalesce(sum(w.weight * CASE WHEN strpos(s.words, ' ' || w.word || ' ') > 0 THEN 1
                    WHEN strpos(s.words, ' ' || w.stem) > 0 THEN 0.9 ELSE 0.5 END), 0) AS seems
                FROM unnest(heavy, stems, weights) AS w (word, stem, weight) WHERE strpos(s.words, w.stem) > 0
            ) e WHERE e.seems > 0 OR octet_length(s.piece) > length(s.piece)
            ORDER BY e.seems DESC, s.n LIMIT p_work / 120
        ),
        measured AS (
            SELECT t.*, sum(length(normalize(t.piece, NFKC))) OVER (ORDER BY t.seems DESC, t.n) AS work FROM telling t
        ),
        held AS (
            SELECT m.n, tsvector_to_array(index_text(regexp_replace(
                left(m.piece, 81) || substring(substr(m.piece, 82), '^\S*'), '^\S{1,41}', ''))) AS words
            FROM measured m WHERE m.work <= p_work
        ),
        windows AS (
            SELECT greatest(1, h.n - 1) AS first, h.words || b.words AS words
            FROM held h LEFT JOIN held b ON b.n = h.n - 1 WHERE h.words && p_words
        )
        SELECT 80 * (w.first - 1) INTO skipped FROM windows w CROSS JOIN LATERAL (
            SELECT sum(u.weight) AS weight FROM unnest(p_words, p_weights) AS u (word, weight) WHERE u.word = ANY (w.words)
        ) s ORDER BY s.weight DESC, w.first LIMIT 1;
    END IF;
    -- with the characters before and behind: without the words that are cut at its ends, unless these are very long
    excerpt := substr(' ' || p_text, coalesce(skipped, 0) + 1, 202);
    IF length(excerpt) = 202 THEN
        excerpt := left(left(excerpt, 152) || regexp_replace(substr(excerpt, 153), '\s\S*$', ''), 201);
    END IF;
    RETURN btrim(regexp_replace(excerpt, '^\S{1,41}', ''), E' \t\r\n');
END $$;
