-- inbox_bounds: the partitions of the inbox table, with the ids of their events: begins <= id < ends.
CREATE OR REPLACE FUNCTION inbox_bounds() RETURNS TABLE (name regclass, begins bigint, ends bigint)
LANGUAGE sql STABLE AS $$
    SELECT c.oid::regclass, bound[1]::bigint, bound[2]::bigint
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    CROSS JOIN LATERAL regexp_match(pg_get_expr(c.relpartbound, c.oid), '\(''?(\d+)''?\) TO \(''?(\d+)''?\)') bound
    WHERE i.inhparent = 'inbox'::regclass
$$;
