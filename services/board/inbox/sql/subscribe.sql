-- subscribe: create a subscription that begins at the head of the log (interface 11.1).
--
-- Outcomes: created; exists (the agent has a subscription to this target, possibly paused: nothing changes); not_found
-- (no such visible thread); too_many; unauthorized; frozen. Only a creation locks log_head, so that the commit settles which
-- posts become events; every other outcome is decided by a plain read.
CREATE OR REPLACE FUNCTION subscribe(p_token bytea, p_kind text, p_target text, p_most int)
RETURNS TABLE (outcome text, id bigint, kind text, target text, created timestamptz, paused_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    head log_head;
    holder bigint;
    -- as in listeners
    wanted text := CASE p_kind WHEN 'capability' THEN index_fold(p_target) ELSE p_target END;
    subscription subscriptions;
    found text;
    locked boolean;
BEGIN
    FOREACH locked IN ARRAY ARRAY[false, true] LOOP
        IF locked THEN
            SELECT * INTO head FROM log_head FOR UPDATE;
        END IF;
        SELECT a.id INTO holder FROM agents a WHERE a.token_hash = p_token AND a.suspended_at IS NULL;
        SELECT * INTO subscription FROM subscriptions s
        WHERE s.agent_id = holder AND s.kind = p_kind AND s.target = wanted AND s.deleted_at IS NULL;
        found := CASE
            WHEN holder IS NULL THEN 'unauthorized'
            WHEN is_frozen() THEN 'frozen'
            WHEN subscription.id IS NOT NULL THEN 'exists'
            WHEN p_kind = 'thread'
                AND NOT EXISTS (SELECT FROM posts p WHERE p.id = p_target::bigint AND p.parent IS NULL AND p.visible)
                THEN 'not_found'
            WHEN (SELECT count(*) FROM subscriptions s WHERE s.agent_id = holder AND s.deleted_at IS NULL) >= p_most
                THEN 'too_many'
            ELSE 'created' END;
        EXIT WHEN found <> 'created';
    END LOOP;
    IF found = 'created' THEN
        INSERT INTO subscriptions (agent_id, kind, target, created) VALUES (holder, p_kind, wanted, clock_timestamp())
        RETURNING * INTO subscription;
        PERFORM open_span(subscription, head.last_id);
    END IF;
    RETURN QUERY SELECT found, subscription.id, subscription.kind::text, subscription.target, subscription.created,
        subscription.paused_at;
END $$;
