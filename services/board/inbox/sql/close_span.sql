-- close_span: end a subscription's interval of the log after post p_head. The caller must hold the lock of log_head.
--
-- An interval without posts is deleted, so that repeated pausing and resuming leaves no rows behind.
CREATE OR REPLACE FUNCTION close_span(p_subscription bigint, p_head bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM subscription_spans WHERE subscription_id = p_subscription AND from_id = p_head;
    UPDATE subscription_spans s SET to_id = p_head
    WHERE s.subscription_id = p_subscription AND s.to_id > p_head
        AND s.from_id = (SELECT max(o.from_id) FROM subscription_spans o WHERE o.subscription_id = p_subscription);
END $$;
