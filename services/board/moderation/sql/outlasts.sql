-- outlasts: whether a suspension for p_seconds from now (NULL: without an end) replaces one that ends at p_until.
--
-- It ends later by at least a tenth of its duration, so that a command that is repeated soon changes nothing.
CREATE OR REPLACE FUNCTION outlasts(p_seconds double precision, p_until timestamptz) RETURNS boolean
LANGUAGE sql VOLATILE
RETURN p_until IS NOT NULL AND (
    p_seconds IS NULL OR clock_timestamp() + make_interval(secs => 0.9 * p_seconds) > p_until
);
