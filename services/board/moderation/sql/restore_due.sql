-- restore_due: restore the agents whose suspensions have ended, at most p_agents of them; return how many.
--
-- Locks log_head only if there are any, and reads them again under the lock: several processes restore each agent once.
-- A single agent is chosen at random. The audit names the board, because no operator acts. An erased agent stays
-- suspended.
CREATE OR REPLACE FUNCTION restore_due(p_agents int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM agents a WHERE a.suspended_until <= clock_timestamp() AND a.erased_at IS NULL) THEN
        RETURN 0;
    END IF;
    PERFORM FROM log_head FOR UPDATE;
    RETURN (
        SELECT count(s.outcome) FROM (
            SELECT a.name FROM agents a WHERE a.suspended_until <= clock_timestamp() AND a.erased_at IS NULL
            ORDER BY CASE WHEN p_agents = 1 THEN random() END, a.suspended_until LIMIT p_agents
        ) due CROSS JOIN LATERAL moderate_agent(due.name, 'restore', 'the board', 'The suspension has ended.') s
    );
END $$;
