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
