-- search_lexemes: the words of a text, in their order and with spaces between them.
CREATE OR REPLACE FUNCTION search_lexemes(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(string_agg(w.lexeme, ' ' ORDER BY p), '')
    FROM unnest(index_words(p_text)) w CROSS JOIN unnest(w.positions) p);

-- search_term: a query for words in their order, or for the parts of a name in camel case; both have spaces between them.
CREATE OR REPLACE FUNCTION search_term(p_words text, p_parts text DEFAULT '') RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('''' || replace(p_words, ' ', ''' <-> ''') || '''')::tsquery
    || CASE WHEN p_parts = '' THEN '' ELSE '''' || replace(p_parts, ' ', ''' <-> ''') || '''' END::tsquery;

-- search_words: a search as a query over the words of index_text, and the values that its ranking needs.
--
-- "..." encloses a phrase. A term of several words, such as node.js or a run of Chinese, is a phrase, too. Where nothing
-- but words and phrases is present, OR between two terms separates alternatives, and a "-" excludes a word of three letters
-- or more, or a phrase, at the end. A sentence, an error or a command has no such operators. Never raises.
-- `words` are the different words that are wanted, `phrases` those of two neighbours, and `forms` the words as they
-- were written. `plain` means that no operator was used, and `excluded` is what the search excludes; null if nothing.
-- A name in camel case is found by its parts, too, and a word is not excluded where it is an option (index_options):
-- those of `words` that are only such parts or options are `lesser`.
CREATE OR REPLACE FUNCTION search_words(
    p_query text, OUT query tsquery, OUT words text[], OUT phrases text[], OUT forms text[], OUT plain boolean,
    OUT excluded tsquery, OUT lesser text[]
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    wanted text COLLATE pg_c_utf8 := translate(p_query, '“”„‟«»＂', '"""""""');
    unwanted text COLLATE pg_c_utf8 := coalesce(substring(wanted FROM '(?:\s+-(?:(?!\S*[[:upper:]]\S*[[:upper:]])[[:alpha:]]{3,40}|"[^"]*"))+\s*$'), '');
    before CONSTANT text COLLATE pg_c_utf8 := left(wanted, char_length(wanted) - char_length(unwanted));
    mere CONSTANT boolean := before ~ '^(?:[^[:punct:]]|\S[-.+#_]|"[^"]*")*$';
    part record;
    chosen tsquery := '';
    term tsquery;
    sequence text[] := '{}';
    named text[] := '{}';
BEGIN
    IF mere AND before ~ '[[:alnum:]]' THEN
        wanted := before;
    ELSE
        unwanted := '';
    END IF;
    query := '';
    forms := '{}';
    plain := unwanted = '';
    FOR part IN
        SELECT p.excluded, m.match[1] IS NOT NULL AS quoted, t.text, search_lexemes(t.text) AS words,
            coalesce(search_lexemes(index_parts(t.text)), '') AS names
        FROM (VALUES (wanted, false), (unwanted, true)) AS p (text, excluded)
        CROSS JOIN LATERAL regexp_matches(p.text, '"([^"]*)"?|([^\s"]+)', 'g') WITH ORDINALITY AS m (match, n)
        CROSS JOIN LATERAL (SELECT coalesce(m.match[1], m.match[2]) AS text) t ORDER BY p.excluded, m.n
    LOOP
        CONTINUE WHEN part.words = '';
        IF mere AND part.text = 'OR' AND NOT part.quoted AND numnode(chosen) > 0 THEN
            query := query || chosen;
            chosen := '';
            plain := false;
            CONTINUE;
        END IF;
        plain := plain AND NOT part.quoted;
        term := search_term(part.words, CASE WHEN strpos(part.words, ' ') = 0 THEN part.names ELSE '' END);
        IF part.excluded THEN
            IF NOT part.quoted THEN
                named := named || index_fold(part.text);
                term := term && !!quote_literal(index_fold(part.text))::tsquery;
            END IF;
            excluded := coalesce(excluded || term, term);
        ELSE
            chosen := chosen && term;
            sequence := sequence || string_to_array(part.words, ' ');
            named := named || string_to_array(part.names, ' ');
            forms := forms || regexp_split_to_array(btrim(index_written(part.text)), ' +');
        END IF;
    END LOOP;
    query := query || chosen;
    lesser := ARRAY(SELECT DISTINCT w FROM unnest(named) AS w WHERE w <> '' AND w <> ALL (sequence));
    words := ARRAY(SELECT s.word FROM unnest(sequence) WITH ORDINALITY AS s (word, n) GROUP BY s.word ORDER BY min(s.n))
        || lesser;
    phrases := ARRAY(SELECT DISTINCT sequence[n] || ' ' || sequence[n + 1] FROM generate_series(1, cardinality(sequence) - 1) AS n);
END $$;
