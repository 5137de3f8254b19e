-- move_inbox_mark: move an agent's mark up to its first event that is not acknowledged.
--
-- Every event up to the mark is acknowledged, and each is passed once, so that finding those that are not costs what
-- they are and not what the inbox is. A mark may lag behind (acknowledgements at once); it is never too far, because
-- events are delivered in order, and redeliver, which writes earlier ones, locks the marks first.
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
