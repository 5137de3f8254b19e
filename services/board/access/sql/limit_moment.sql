-- limit_moment: the time by which the limit on posts judges: the next stamp of the log, but at most 0.1 s after the clock.
--
-- Stamps only rise. Within a batch and after it, they are microseconds later than the clock. If the clock was set back,
-- they do not change until it has caught up, and a limit that used them would refuse posts until then.
CREATE OR REPLACE FUNCTION limit_moment(p_last timestamptz, p_clock timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN least(greatest(p_clock, p_last + interval '1 microsecond'), p_clock + interval '0.1 seconds');
