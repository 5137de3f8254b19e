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

-- index_agents: write the search documents of at most p_count agents again, if another release made them; return how
-- many. 0 when all are written: those of agents up to agents_left are not.
--
-- Waits for a change of these profiles: otherwise it could write what it read before the change. The agents are locked
-- before the cursor, as everywhere.
CREATE OR REPLACE FUNCTION index_agents(p_count int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    last CONSTANT bigint := (SELECT agents_left FROM search_cursor);
    before CONSTANT bigint := greatest(last - p_count, 0);
BEGIN
    PERFORM FROM agents a WHERE a.id > before AND a.id <= last ORDER BY a.id FOR SHARE;
    PERFORM index_agent(a.id) FROM agents a WHERE a.id > before AND a.id <= last;
    -- meanwhile another process may have done the same, or a new version may have begun
    UPDATE search_cursor SET agents_left = before WHERE agents_left = last AND last > 0;
    RETURN last - before;
END $$;
