-- set_rate: put a rate in force for one limit, or return to that of the settings (p_quota is NULL). The limit on newcomers
-- is for accounts younger than p_age seconds.
--
-- Returns whether it changed anything. publish reads the row under the same lock, so no post that is published after the
-- commit exceeds the rate. Locks log_head.
CREATE OR REPLACE FUNCTION set_rate(p_name text, p_quota int, p_seconds int, p_who text, p_age int DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    was limits;
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    SELECT * INTO was FROM limits WHERE name = p_name;
    IF (was.quota, was.seconds, was.age_seconds) IS NOT DISTINCT FROM (p_quota, p_seconds, p_age) THEN
        RETURN false;
    END IF;
    INSERT INTO limits (name, quota, seconds, age_seconds) VALUES (p_name, p_quota, p_seconds, p_age)
    ON CONFLICT (name) DO UPDATE
        SET quota = excluded.quota, seconds = excluded.seconds, age_seconds = excluded.age_seconds;
    PERFORM append_change('limit', NULL, NULL, NULL);
    INSERT INTO audit (at, who, action, subject, reason)
    VALUES (clock_timestamp(), p_who, CASE WHEN p_quota IS NULL THEN 'limits reset' ELSE 'limits set' END, p_name,
        coalesce(p_quota || '/' || p_seconds || coalesce(' for ' || p_age || 's', ''), ''));
    RETURN true;
END $$;
