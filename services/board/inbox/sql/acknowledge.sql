-- acknowledge: record once that the token's holder has handled events: those of p_ids, or else all up to p_up_to.
--
-- Outcomes: done, frozen, unauthorized (then everything is undone). Acknowledges at most p_most events, the oldest
-- first: the caller repeats it until fewer are `acked`. `already` counts those that were acknowledged before; of the
-- events up to p_up_to, it looks at the newest p_newest. `known` are those of p_ids that are in the inbox, and `acked_at` is when the
-- first of them was acknowledged.
-- Does not need the lock of log_head, but that which freeze excludes. Locks events in the order of their ids, so that two
-- calls cannot wait for each other, and the agent's row last: a post of this agent waits for that row while it holds the
-- head, so the holder of the row must not wait for anything else. The lock excludes a concurrent rotation; if the token was
-- replaced meanwhile, everything is undone.
CREATE OR REPLACE FUNCTION acknowledge(p_token bytea, p_up_to bigint, p_ids bigint[], p_most int, p_newest int)
RETURNS TABLE (outcome text, acked int, already int, known bigint[], acked_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    holder bigint;
    done bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('freeze'));
    SELECT a.id INTO holder FROM agents a WHERE a.token_hash = p_token AND a.suspended_at IS NULL;
    IF holder IS NOT NULL AND is_frozen() THEN
        RETURN QUERY SELECT 'frozen', 0, 0, '{}'::bigint[], NULL::timestamptz;
        RETURN;
    END IF;
    IF p_ids IS NULL THEN
        done := ARRAY(SELECT i.event_id FROM inbox i
            WHERE i.agent_id = holder AND i.event_id <= p_up_to AND i.acked_at IS NULL
                AND i.event_id > coalesce((SELECT m.acked_to FROM inbox_marks m WHERE m.agent_id = holder), 0)
            ORDER BY i.event_id LIMIT p_most FOR UPDATE OF i);
        -- a separate statement: its snapshot shows what a call that held the locks has acknowledged
        already := (SELECT count(*) FILTER (WHERE newest.acked_at IS NOT NULL) FROM (
            SELECT i.acked_at FROM inbox i WHERE i.agent_id = holder AND i.event_id <= p_up_to
            ORDER BY i.event_id DESC LIMIT p_newest) newest);
    ELSE
        -- not joined, or a plan could compare the whole inbox of the agent with the ids
        done := ARRAY(SELECT i.event_id FROM inbox i
            WHERE i.agent_id = holder AND i.event_id = ANY (p_ids) AND i.acked_at IS NULL
            ORDER BY i.event_id FOR UPDATE OF i);
    END IF;
    IF cardinality(done) > 0 THEN
        UPDATE inbox i SET acked_at = clock_timestamp() WHERE i.agent_id = holder AND i.event_id = ANY (done);
        PERFORM move_inbox_mark(holder);
    END IF;
    SELECT coalesce(array_agg(i.event_id), '{}'), min(i.acked_at) INTO known, acked_at
    FROM inbox i WHERE i.agent_id = holder AND i.event_id = ANY (p_ids);
    PERFORM FROM agents a WHERE a.id = holder AND a.token_hash = p_token AND a.suspended_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RAISE invalid_authorization_specification;
    END IF;
    RETURN QUERY SELECT 'done', cardinality(done), coalesce(already, cardinality(known) - cardinality(done)), known,
        acked_at;
EXCEPTION WHEN invalid_authorization_specification THEN
    RETURN QUERY SELECT 'unauthorized', 0, 0, '{}'::bigint[], NULL::timestamptz;
END $$;
