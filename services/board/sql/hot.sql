-- hot: the order of "popular" (decisions 1.6). It does not decay with the clock, so it is an indexed column that only
-- a vote changes.
CREATE OR REPLACE FUNCTION hot(votes numeric, created timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    sign(votes)::double precision * log(1 + abs(votes)::double precision)
    + extract(epoch FROM created)::double precision / 45000;
