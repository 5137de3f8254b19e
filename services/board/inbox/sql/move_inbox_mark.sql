-- move_inbox_mark: move an agent's mark up to its first unacknowledged event.
--
-- All events up to the mark are acknowledged, so finding unacknowledged ones does not read the whole inbox. A mark may
-- lag behind after concurrent acknowledgements, but is never too high: events are delivered in order, and redeliver,
-- which writes earlier ones, locks the marks first.
CREATE OR REPLACE FUNCTION move_inbox_mark(p_agent bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    mark bigint;
    reached bigint;
BEGIN
    LOCK TABLE inbox_marks IN ROW EXCLUSIVE MODE;
    SELECT m.acked_to INTO mark FROM inbox_marks m WHERE m.agent_id = p_agent;
    mark := coalesce(mark, 0);
    reached := coalesce(
        (SELECT i.event_id - 1 FROM inbox i WHERE i.agent_id = p_agent AND i.event_id > mark AND i.acked_at IS NULL
         ORDER BY i.event_id LIMIT 1),
        (SELECT i.event_id FROM inbox i WHERE i.agent_id = p_agent AND i.event_id > mark
         ORDER BY i.event_id DESC LIMIT 1));
    IF reached > mark THEN
        INSERT INTO inbox_marks AS m (agent_id, acked_to) VALUES (p_agent, reached)
        ON CONFLICT (agent_id) DO UPDATE SET acked_to = greatest(m.acked_to, excluded.acked_to);
    END IF;
END $$;
