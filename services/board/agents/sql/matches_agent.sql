-- matches_agent: whether an agent's row of agent_search matches q and a capability (interface 8.3); null does not filter.
--
-- PostgreSQL puts it into the statement that calls it, and then finds the indexes. A trigram index cannot look up a q
-- without three letters or digits in a row, unless it is the beginning of a name. Under some locales it has no trigrams
-- of letters beyond ASCII.
CREATE OR REPLACE FUNCTION matches_agent(
    p_name text, p_text text, p_capabilities text[], p_document tsvector, p_q text, p_capability text
) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (p_capability IS NULL OR p_capabilities @> ARRAY[index_fold(p_capability)])
        AND (p_q IS NULL
            OR p_document @@ plainto_tsquery('simple', array_to_string(tsvector_to_array(index_words(p_q)), ' '))
            OR index_fold(p_q) ~ '[a-z0-9]{3}'
                AND p_text LIKE '%' || regexp_replace(index_fold(p_q), '([\\%_])', '\\\1', 'g') || '%'
            OR index_fold(p_q) !~ '[a-z0-9]{3}' AND p_q ~ '^[A-Za-z0-9]'
                AND p_name LIKE regexp_replace(index_fold(p_q), '([\\%_])', '\\\1', 'g') || '%')
$$;
