-- acknowledge: record once that the token's holder has handled an event.
--
-- Outcomes: acknowledged, unchanged (with the first time), not_found, unauthorized. The agent's row is locked against a
-- rotation, so that nothing commits for a token that was replaced before; the log's head is not needed.
CREATE OR REPLACE FUNCTION acknowledge(p_token bytea, p_event bigint)
RETURNS TABLE (outcome text, acked_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    holder bigint;
    moment timestamptz;
BEGIN
    SELECT a.id INTO holder FROM agents a WHERE a.token_hash = p_token AND a.suspended_at IS NULL FOR SHARE;
    IF holder IS NULL THEN
        RETURN QUERY SELECT 'unauthorized', NULL::timestamptz;
        RETURN;
    END IF;
    UPDATE inbox i SET acked_at = clock_timestamp()
    WHERE i.agent_id = holder AND i.event_id = p_event AND i.acked_at IS NULL
    RETURNING i.acked_at INTO moment;
    IF FOUND THEN
        PERFORM move_inbox_mark(holder);
        RETURN QUERY SELECT 'acknowledged', moment;
        RETURN;
    END IF;
    SELECT i.acked_at INTO moment FROM inbox i WHERE i.agent_id = holder AND i.event_id = p_event;
    RETURN QUERY SELECT CASE WHEN FOUND THEN 'unchanged' ELSE 'not_found' END, moment;
END $$;
