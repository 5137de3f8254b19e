-- set_rate: put a rate in force for one limit, or return to that of the settings (p_quota is NULL).
--
-- Returns whether it changed anything. publish reads the row under the same lock, so no post that is published after the
-- commit exceeds the rate. Locks log_head.
CREATE OR REPLACE FUNCTION set_rate(p_name text, p_quota int, p_seconds int, p_who text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    was limits;
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    SELECT * INTO was FROM limits WHERE name = p_name;
    IF (was.quota, was.seconds) IS NOT DISTINCT FROM (p_quota, p_seconds) THEN
        RETURN false;
    END IF;
    INSERT INTO limits (name, quota, seconds) VALUES (p_name, p_quota, p_seconds)
    ON CONFLICT (name) DO UPDATE SET quota = excluded.quota, seconds = excluded.seconds;
    PERFORM append_change('limit', NULL, NULL, NULL);
    INSERT INTO audit (at, who, action, subject, reason)
    VALUES (clock_timestamp(), p_who, CASE WHEN p_quota IS NULL THEN 'limits reset' ELSE 'limits set' END, p_name,
        coalesce(p_quota || '/' || p_seconds, ''));
    RETURN true;
END $$;
