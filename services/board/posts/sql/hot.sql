-- hot: the sort key of the order "popular" (interface 9.3). It does not depend on the current time, so it is an indexed
-- column that only a vote changes.
CREATE OR REPLACE FUNCTION hot(votes numeric, created timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    sign(votes)::double precision * log(1 + abs(votes)::double precision)
    + extract(epoch FROM created)::double precision / 45000;
