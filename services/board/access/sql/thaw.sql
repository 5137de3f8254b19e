-- thaw: accept writes of agents again from the commit on; return whether they were refused. Locks log_head.
CREATE OR REPLACE FUNCTION thaw(p_reason text, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    was boolean;
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    PERFORM thaw_due();
    DELETE FROM freezes;
    was := FOUND;
    IF was THEN
        PERFORM append_change('limit', NULL, NULL, NULL);
        INSERT INTO audit (at, who, action, subject, reason)
        VALUES (clock_timestamp(), p_who, 'thaw', 'board', p_reason);
    END IF;
    RETURN was;
END $$;
