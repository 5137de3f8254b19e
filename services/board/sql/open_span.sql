-- open_span: from now on a subscription hears of the posts after p_head. For who holds the head's lock.
CREATE OR REPLACE FUNCTION open_span(p_subscription subscriptions, p_head bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO subscription_spans (subscription_id, from_id, topic, agent_id, partition)
    VALUES (p_subscription.id, p_head, p_subscription.kind || ':' || p_subscription.target, p_subscription.agent_id,
        inbox_partition(p_subscription.agent_id))
$$;
