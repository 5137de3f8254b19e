-- index_options: the words of a text that stand behind a hyphen, each with it: `-name` for find . -name. So a search that
-- excludes a word finds the texts that have it as an option (search_words).
CREATE OR REPLACE FUNCTION index_options(p_text text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(string_agg(DISTINCT quote_literal('-' || index_fold(m[1])) || ':1', ' '), '')
    FROM regexp_matches(p_text COLLATE pg_c_utf8, '(?:^|[^[:alnum:]])-+([[:alpha:]]{3,40})\M', 'g') AS m)::tsvector;

-- index_parts: the parts of names in a text that are written in camel case, with spaces between them: `Deadlock Detected`
-- for DeadlockDetected. Null if there is none. Equal names occur once.
CREATE OR REPLACE FUNCTION index_parts(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_text COLLATE "C" ~ '[a-z][0-9]*[A-Z]|[A-Z][A-Z][a-z]{2}' THEN (
    SELECT string_agg(regexp_replace(regexp_replace(n.name, '([a-z][0-9]*)([A-Z])', '\1 \2', 'g'),
        '([A-Z])([A-Z][a-z]{2})', '\1 \2', 'g'), ' ' ORDER BY n.name COLLATE "C")
    FROM (
        SELECT DISTINCT m[1] AS name
        FROM regexp_matches(p_text COLLATE "C", '([A-Za-z0-9]*(?:[a-z][0-9]*[A-Z]|[A-Z][A-Z][a-z]{2})[A-Za-z0-9]*)', 'g') AS m
    ) n) END;

-- index_gap: between two texts in a document, so that no phrase goes from the end of one into the other. No text has its
-- word; ts_delete removes it and leaves the gap.
CREATE OR REPLACE FUNCTION index_gap() RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '''~'':2'::tsvector;

-- index_text: the words of a text for its document: those of index_words and its options (index_options), and apart from
-- them the parts of its names in camel case (index_parts), so that DeadlockDetected is found as one word and by its parts.
CREATE OR REPLACE FUNCTION index_text(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    words CONSTANT tsvector := index_options(p_text) || index_words(p_text);
    parts CONSTANT text := index_parts(p_text);
BEGIN
    RETURN CASE WHEN parts IS NULL THEN words ELSE ts_delete(words || index_gap() || index_words(parts), '~') END;
END $$;
