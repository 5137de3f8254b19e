-- acknowledge: record once that the token's holder has handled an event.
--
-- Outcomes: acknowledged, unchanged (with the first time), not_found, unauthorized, frozen. Does not need the lock of
-- log_head, but that which freeze excludes.
-- Locks the agent's row last: a post of this agent waits for that row while it holds the head, so the holder of the row
-- must not wait for anything else. The lock excludes a concurrent rotation; if the token was replaced meanwhile,
-- everything is undone.
CREATE OR REPLACE FUNCTION acknowledge(p_token bytea, p_event bigint)
RETURNS TABLE (outcome text, acked_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    holder bigint;
    moment timestamptz;
    was text := 'acknowledged';
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('freeze'));
    SELECT a.id INTO holder FROM agents a WHERE a.token_hash = p_token AND a.suspended_at IS NULL;
    IF holder IS NOT NULL AND is_frozen() THEN
        RETURN QUERY SELECT 'frozen', NULL::timestamptz;
        RETURN;
    END IF;
    UPDATE inbox i SET acked_at = clock_timestamp()
    WHERE i.agent_id = holder AND i.event_id = p_event AND i.acked_at IS NULL
    RETURNING i.acked_at INTO moment;
    IF FOUND THEN
        PERFORM move_inbox_mark(holder);
    ELSE
        SELECT i.acked_at INTO moment FROM inbox i WHERE i.agent_id = holder AND i.event_id = p_event;
        was := CASE WHEN FOUND THEN 'unchanged' ELSE 'not_found' END;
    END IF;
    PERFORM FROM agents a WHERE a.id = holder AND a.token_hash = p_token AND a.suspended_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RAISE invalid_authorization_specification;
    END IF;
    RETURN QUERY SELECT was, moment;
EXCEPTION WHEN invalid_authorization_specification THEN
    RETURN QUERY SELECT 'unauthorized', NULL::timestamptz;
END $$;
