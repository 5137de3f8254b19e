-- index_agents: write the search documents of the next p_count agents again, as this release makes them; return how
-- many. 0 when all are written.
--
-- Waits for a change of these profiles: otherwise it could write what it read before the change. The agents are locked
-- before the cursor, as everywhere.
CREATE OR REPLACE FUNCTION index_agents(p_count int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    before CONSTANT bigint := (SELECT agents_id FROM search_cursor);
    last CONSTANT bigint := least(before + p_count, (SELECT last_agent_id FROM log_head));
BEGIN
    IF last = before THEN
        RETURN 0;
    END IF;
    PERFORM FROM agents a WHERE a.id > before AND a.id <= last ORDER BY a.id FOR SHARE;
    PERFORM index_agent(a.id) FROM agents a WHERE a.id > before AND a.id <= last;
    UPDATE search_cursor SET agents_id = greatest(agents_id, last);
    RETURN last - before;
END $$;
