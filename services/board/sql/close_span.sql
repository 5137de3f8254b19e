-- close_span: a subscription hears of no post after p_head. For who holds the head's lock.
--
-- A span that has held no post is removed: who pauses and resumes again and again leaves nothing behind.
CREATE OR REPLACE FUNCTION close_span(p_subscription bigint, p_head bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM subscription_spans WHERE subscription_id = p_subscription AND from_id = p_head;
    UPDATE subscription_spans s SET to_id = p_head
    WHERE s.subscription_id = p_subscription AND s.to_id > p_head
        AND s.from_id = (SELECT max(o.from_id) FROM subscription_spans o WHERE o.subscription_id = p_subscription);
END $$;
