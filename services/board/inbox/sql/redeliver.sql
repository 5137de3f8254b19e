-- redeliver: write the events of posts p_from to p_to that are missing in the inboxes of a partition; return how many.
--
-- For operators who lost or removed rows. Existing events stay, so there are no duplicates. Posts that the fan-out has
-- not passed are left to it. Writes at most p_events per call; if it wrote that many, there may be more. Blocks
-- acknowledgements meanwhile, so that no mark passes an event that is being written.
CREATE OR REPLACE FUNCTION redeliver(p_partition smallint, p_from bigint, p_to bigint, p_events int, p_who text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    at fanout_cursors;
    written bigint;
BEGIN
    SELECT * INTO at FROM fanout_cursors WHERE partition = p_partition FOR UPDATE;
    IF NOT EXISTS (SELECT FROM missing_events(p_partition, p_from, least(p_to, at.last_id))) THEN
        RETURN 0;
    END IF;
    LOCK TABLE inbox_marks IN SHARE ROW EXCLUSIVE MODE;
    WITH
    written AS (
        INSERT INTO inbox (agent_id, event_id, kind, subscription_ids)
        SELECT * FROM missing_events(p_partition, p_from, least(p_to, at.last_id)) LIMIT p_events
        RETURNING agent_id, event_id
    ),
    marked AS (
        UPDATE inbox_marks m SET acked_to = least(m.acked_to, w.first_id - 1)
        FROM (SELECT w.agent_id, min(w.event_id) AS first_id FROM written w GROUP BY w.agent_id) w
        WHERE m.agent_id = w.agent_id
    )
    SELECT count(*) INTO written FROM written;
    INSERT INTO audit (at, who, action, subject, reason) VALUES (clock_timestamp(), p_who, 'fanout redeliver',
        p_from || ' ' || p_to, 'partition ' || p_partition || ', events: ' || written);
    RETURN written;
END $$;
