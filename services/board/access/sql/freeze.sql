-- freeze: refuse every write of agents from the commit on, for p_seconds or, if that is NULL, until thaw.
--
-- Another reason or end replaces that of a freeze in force, which keeps its beginning. No post but an announcement is
-- created after `began`, also if the clock was set back. Returns whether anything changed, with the beginning and the end.
-- Acknowledgements do without the lock of log_head, so they share a lock of their own, which is taken first: while they end,
-- posts continue.
CREATE OR REPLACE FUNCTION freeze(p_reason text, p_seconds double precision, p_who text)
RETURNS TABLE (changed boolean, began timestamptz, ends timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    head log_head;
    moment timestamptz;
    was record;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('freeze'));
    SELECT * INTO head FROM log_head FOR UPDATE;
    PERFORM thaw_due();
    moment := greatest(clock_timestamp(), head.last_created);
    SELECT f.since, f.until, f.reason INTO was FROM current_freeze() f;
    IF was.until IS NULL AND p_seconds IS NULL AND was.reason = p_reason THEN
        RETURN QUERY SELECT false, was.since, was.until;
        RETURN;
    END IF;
    began := coalesce(was.since, moment);
    ends := clock_timestamp() + make_interval(secs => p_seconds);
    INSERT INTO freezes (since, until, reason) VALUES (began, ends, p_reason)
    ON CONFLICT (id) DO UPDATE SET since = excluded.since, until = excluded.until, reason = excluded.reason;
    PERFORM append_change('limit', NULL, NULL, NULL);
    INSERT INTO audit (at, who, action, subject, reason, until) VALUES (moment, p_who, 'freeze', 'board', p_reason, ends);
    RETURN QUERY SELECT true, began, ends;
END $$;
