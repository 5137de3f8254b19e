-- set_subscription: pause ('paused'), resume ('active') or delete ('deleted') a subscription of the token's holder.
--
-- Outcomes: changed, unchanged, not_found (of another agent, unknown, or deleted and to be paused or resumed),
-- unauthorized, frozen. Only a change locks log_head, so that the commit settles which posts become events; every other outcome
-- is decided by a plain read.
CREATE OR REPLACE FUNCTION set_subscription(p_token bytea, p_id bigint, p_state text)
RETURNS TABLE (outcome text, id bigint, kind text, target text, created timestamptz, paused_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    head log_head;
    holder bigint;
    was subscriptions;
    state text;
    found text;
    locked boolean;
BEGIN
    FOREACH locked IN ARRAY ARRAY[false, true] LOOP
        IF locked THEN
            SELECT * INTO head FROM log_head FOR UPDATE;
        END IF;
        SELECT a.id INTO holder FROM agents a WHERE a.token_hash = p_token AND a.suspended_at IS NULL;
        SELECT * INTO was FROM subscriptions s WHERE s.id = p_id AND s.agent_id = holder;
        state := CASE WHEN was.deleted_at IS NOT NULL THEN 'deleted' WHEN was.paused_at IS NOT NULL THEN 'paused'
                 ELSE 'active' END;
        found := CASE WHEN holder IS NULL THEN 'unauthorized' WHEN is_frozen() THEN 'frozen' WHEN was.id IS NULL THEN 'not_found'
                 WHEN state = p_state THEN 'unchanged' WHEN state = 'deleted' THEN 'not_found' ELSE 'changed' END;
        EXIT WHEN found <> 'changed';
    END LOOP;
    IF found = 'changed' THEN
        IF state = 'active' THEN
            PERFORM close_span(was.id, head.last_id);
        ELSIF p_state = 'active' THEN
            PERFORM open_span(was, head.last_id);
        END IF;
        UPDATE subscriptions s SET deleted_at = CASE p_state WHEN 'deleted' THEN clock_timestamp() END,
            paused_at = CASE p_state WHEN 'paused' THEN clock_timestamp() WHEN 'deleted' THEN s.paused_at END
        WHERE s.id = was.id RETURNING * INTO was;
    END IF;
    RETURN QUERY SELECT found, was.id, was.kind::text, was.target, was.created, was.paused_at;
END $$;
