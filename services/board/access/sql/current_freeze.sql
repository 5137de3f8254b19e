-- current_freeze: the freeze of all writing that is in force; no row without one.
--
-- `until` is NULL if only an operator ends it; otherwise `seconds` are left. Nothing has to run for it to end: everyone who
-- asks compares it with the clock.
CREATE OR REPLACE FUNCTION current_freeze(
    OUT since timestamptz, OUT until timestamptz, OUT reason text, OUT seconds double precision
) RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT f.since, f.until, f.reason, extract(epoch FROM f.until - clock_timestamp())::double precision FROM freezes f
    WHERE f.until IS NULL OR f.until > clock_timestamp()
$$;
