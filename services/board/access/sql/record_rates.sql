-- record_rates: record the rates of the settings of an API process that starts, for all API processes and operators.
--
-- Processes that were given different rates would otherwise publish by different ones. The newest start wins. Locks
-- log_head only if something changes.
CREATE OR REPLACE FUNCTION record_rates(p_names text[], p_quotas int[], p_seconds int[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM unnest(p_names, p_quotas, p_seconds) AS n (name, quota, seconds)
        LEFT JOIN limits l ON l.name = n.name
        WHERE (l.default_quota, l.default_seconds) IS DISTINCT FROM (n.quota, n.seconds)
    ) THEN
        RETURN;
    END IF;
    PERFORM FROM log_head FOR UPDATE;
    INSERT INTO limits (name, default_quota, default_seconds)
    SELECT n.name, n.quota, n.seconds FROM unnest(p_names, p_quotas, p_seconds) AS n (name, quota, seconds)
    ON CONFLICT (name) DO UPDATE
        SET default_quota = excluded.default_quota, default_seconds = excluded.default_seconds;
    PERFORM append_change('limit', NULL, NULL, NULL);
END $$;
