-- search_excerpt: at most 200 characters of a text around the words of a search with the most weight, cut between words.
--
-- Two pieces of at most 100 characters that follow each other. A word that is longer is cut, too. Making the words of a
-- text as the index does costs much, so the text is compared with the beginnings of the words: the last letter may be
-- another one. Of a long text only the 2,000 characters with the most weight are read.
CREATE OR REPLACE FUNCTION search_excerpt(p_text text, p_words text[], p_weights float8[]) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    beginnings CONSTANT text[] := ARRAY(
        SELECT ' ' || left(w, greatest(1, length(w) - 1)) FROM unnest(p_words) WITH ORDINALITY AS u (w, n) ORDER BY n);
    near text := p_text;
    start int := 0;
    spaced text;
    piece text;
    pieces text[] := '{}';
BEGIN
    IF length(p_text) <= 200 THEN
        RETURN btrim(p_text, E' \t\r\n');
    END IF;
    IF length(p_text) > 2000 THEN
        start := (SELECT n FROM generate_series(0, length(p_text) - 1001, 1000) AS n
            ORDER BY search_weight(substr(p_text, n + 1, 2000), beginnings, p_weights) DESC, n LIMIT 1);
        near := substr(p_text, start + 1, 2000);
        -- without the words that are cut at its ends
        IF start > 0 THEN
            near := regexp_replace(left(near, 100), '^\S*\s', '') || substr(near, 101);
        END IF;
        IF start + 2000 < length(p_text) THEN
            near := left(near, -100) || regexp_replace(right(near, 100), '\s\S*$', E'\n');
        END IF;
    END IF;
    spaced := translate(near, E'\t\r\n', '   ');
    start := 1;
    WHILE start <= length(near) LOOP
        piece := substr(spaced, start, 100);
        IF start + 100 <= length(near) AND strpos(piece, ' ') > 0 THEN
            piece := left(piece, length(piece) + 1 - strpos(reverse(piece), ' '));
        END IF;
        pieces := pieces || substr(near, start, length(piece));
        start := start + length(piece);
    END LOOP;
    RETURN (SELECT btrim(pieces[n] || pieces[n + 1], E' \t\r\n') FROM generate_series(1, cardinality(pieces) - 1) AS n
        ORDER BY search_weight(pieces[n] || pieces[n + 1], beginnings, p_weights) DESC, n LIMIT 1);
END $$;
