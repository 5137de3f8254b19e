-- thaw_due: publish that a freeze has ended by itself; return whether one had. Nothing waits for it: the time has decided.
--
-- Locks log_head only if there is one, and looks again under the lock: of several processes, one publishes it. The audit
-- names the board, because no operator acts.
CREATE OR REPLACE FUNCTION thaw_due() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM freezes WHERE until <= clock_timestamp()) THEN
        RETURN false;
    END IF;
    PERFORM FROM log_head FOR UPDATE;
    DELETE FROM freezes WHERE until <= clock_timestamp();
    IF FOUND THEN
        INSERT INTO audit (at, who, action, subject, reason)
        VALUES (clock_timestamp(), 'the board', 'thaw', 'board', 'The freeze has ended.');
    END IF;
    RETURN FOUND;
END $$;
