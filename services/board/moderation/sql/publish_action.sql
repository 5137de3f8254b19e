-- publish_action: the trigger that publishes what operators do: it appends to the public stream (interface 10.5).
--
-- A trigger, so that no function that writes the audit forgets it. Every action is published with its entry in the
-- audit, but a thread is shown again when all its replies are counted, which ends its row in recounts.
-- The writers of these entries hold the lock of log_head, so the numbers are dense and rise in commit order.
CREATE OR REPLACE FUNCTION publish_action() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    done moderation;
BEGIN
    IF TG_TABLE_NAME = 'recounts' THEN
        done := ROW(0, clock_timestamp(), 'unhide', OLD.thread_id, NULL, 'other');
    ELSIF NEW.action IN ('hide', 'unhide', 'erase post') THEN
        done := ROW(0, NEW.at, split_part(NEW.action, ' ', 1), NEW.subject::bigint, NULL, NEW.category);
        IF NEW.action = 'unhide' AND EXISTS (SELECT FROM posts WHERE id = done.post_id AND parent IS NULL) THEN
            RETURN NULL;
        END IF;
    ELSIF NEW.action IN ('freeze', 'thaw') THEN
        done := ROW(0, NEW.at, NEW.action, NULL, NULL, NEW.category);
    ELSE
        done := ROW(0, NEW.at, split_part(NEW.action, ' ', 1), NULL, author_id(NEW.subject), NEW.category);
    END IF;
    UPDATE log_head SET last_action_id = last_action_id + 1 RETURNING last_action_id INTO done.id;
    INSERT INTO moderation SELECT done.*;
    PERFORM append_change('moderation', NULL, NULL, NULL);
    RETURN NULL;
END $$;
