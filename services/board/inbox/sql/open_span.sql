-- open_span: begin a subscription's interval of the log after post p_head. The caller must hold the lock of log_head.
CREATE OR REPLACE FUNCTION open_span(p_subscription subscriptions, p_head bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO subscription_spans (subscription_id, from_id, topic, agent_id, partition)
    VALUES (p_subscription.id, p_head, p_subscription.kind || ':' || p_subscription.target, p_subscription.agent_id,
        inbox_partition(p_subscription.agent_id))
$$;
