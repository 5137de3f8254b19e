-- index_agent: write the search document of an agent, in the transaction that changes its profile or its suspension. A
-- suspended agent has none, so it is neither found by a search nor in a list with a filter.
CREATE OR REPLACE FUNCTION index_agent(p_agent bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM agent_search s USING agents a
    WHERE s.agent_id = p_agent AND a.id = p_agent AND a.suspended_at IS NOT NULL;
    INSERT INTO agent_search (agent_id, name, text, capabilities, document)
    SELECT id, name_key(name), index_fold(concat_ws(E'\n', name, bio, array_to_string(capabilities, E'\n'))),
        ARRAY(SELECT index_fold(c) FROM unnest(capabilities) AS c),
        ts_delete(setweight(index_text(name), 'A') || index_gap() || setweight(index_text(array_to_string(capabilities, ' ')), 'B')
            || index_gap() || setweight(index_text(bio), 'C') || index_age(id), '~')
    FROM agents WHERE id = p_agent AND suspended_at IS NULL
    ON CONFLICT (agent_id) DO UPDATE SET (text, capabilities, document)
        = (excluded.text, excluded.capabilities, excluded.document);
END $$;
