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
