-- search_words: a search as a query over the words of index_text, and the values that its ranking needs.
--
-- "..." encloses a phrase, "or" between two terms separates alternatives, and a "-" before a term excludes it. A term of
-- several words, such as node.js or a run of Chinese, is a phrase, too. Never raises.
-- `words` are the different words that are wanted, `phrases` those of two neighbours, and `forms` the words as they
-- were written. `plain` means that no operator was used, and `excluded` is what the search excludes; null if nothing.
-- A name in camel case is found by its parts, too: those of `words` that are only such parts are `lesser`.
CREATE OR REPLACE FUNCTION search_words(
    p_query text, OUT query tsquery, OUT words text[], OUT phrases text[], OUT forms text[], OUT plain boolean,
    OUT excluded tsquery, OUT lesser text[]
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    part record;
    parts text[] := '{}'; -- the lexemes of each part, with spaces between them
    names text[] := '{}'; -- and those of its names in camel case
    texts text[] := '{}';
    kinds text[] := '{}'; -- or, not, quoted, term
    chosen tsquery := '';
    term tsquery;
    sequence text[] := '{}';
    named text[] := '{}';
    joined boolean := false;
    last int; -- the last part with words
    sentence CONSTANT boolean := p_query ~ '[.?!。？！؟]\s*$';
BEGIN
    FOR part IN
        SELECT m[1] = '-' AS excluded, m[2] IS NOT NULL AS quoted, coalesce(m[2], m[3]) AS text
        FROM regexp_matches(p_query COLLATE pg_c_utf8, '(-?)(?:"([^"]*)"?|([^\s"]+))', 'g') AS m
    LOOP
        parts := parts || search_lexemes(part.text);
        names := names || coalesce(search_lexemes(index_parts(part.text)), '');
        texts := texts || part.text;
        kinds := kinds || CASE WHEN part.excluded AND part.text !~ '^-' THEN 'not' WHEN part.quoted THEN 'quoted'
            WHEN lower(part.text) = 'or' AND NOT sentence THEN 'or' ELSE 'term' END;
    END LOOP;
    query := '';
    plain := true;
    last := (SELECT max(p.n) FROM unnest(parts) WITH ORDINALITY AS p (text, n) WHERE p.text <> '');
    FOR n IN 1..cardinality(parts) LOOP
        CONTINUE WHEN parts[n] = '';
        IF kinds[n] = 'or' AND NOT joined AND numnode(chosen) > 0 AND n < last THEN
            query := query || chosen;
            chosen := '';
            joined := true;
            plain := false;
            CONTINUE;
        END IF;
        joined := false;
        plain := plain AND kinds[n] IN ('term', 'or');
        term := ('''' || replace(parts[n], ' ', ''' <-> ''') || '''')::tsquery;
        IF names[n] <> '' AND strpos(parts[n], ' ') = 0 THEN
            term := term || ('''' || replace(names[n], ' ', ''' <-> ''') || '''')::tsquery;
        END IF;
        IF kinds[n] = 'not' THEN
            excluded := coalesce(excluded || term, term);
            term := !!term;
        ELSE
            sequence := sequence || string_to_array(parts[n], ' ');
            named := named || string_to_array(names[n], ' ');
            forms := forms || regexp_split_to_array(btrim(index_written(texts[n])), ' +');
        END IF;
        chosen := chosen && term;
    END LOOP;
    query := query || chosen;
    lesser := ARRAY(SELECT DISTINCT w FROM unnest(named) AS w WHERE w <> '' AND w <> ALL (sequence));
    words := ARRAY(SELECT s.word FROM unnest(sequence) WITH ORDINALITY AS s (word, n) GROUP BY s.word ORDER BY min(s.n))
        || lesser;
    phrases := ARRAY(SELECT DISTINCT sequence[n] || ' ' || sequence[n + 1] FROM generate_series(1, cardinality(sequence) - 1) AS n);
    forms := coalesce(forms, '{}');
END $$;
