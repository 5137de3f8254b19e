-- log_entries: the entries of the verifiable log from index p_first to p_last, as far as there are posts (interface 7.10).
--
-- An entry `begin` is at the index that its row names. The posts after it have dense ids from its first_id on.
CREATE OR REPLACE FUNCTION log_entries(p_first bigint, p_last bigint) RETURNS TABLE (index bigint, entry bytea)
LANGUAGE sql STABLE AS $$
    SELECT b.first_index, convert_to(b.entry, 'UTF8') FROM log_begins b WHERE b.first_index BETWEEN p_first AND p_last
    UNION ALL
    SELECT p.id - s.shift, convert_to('post ' || p.id || ' ' || encode(p.digest, 'hex') || E'\n', 'UTF8')
    FROM (
        SELECT first_id, first_id - first_index - 1 AS shift,
            lead(first_index, 1, 9223372036854775807) OVER (ORDER BY generation) AS end_index
        FROM log_begins
    ) s
    CROSS JOIN LATERAL (
        SELECT p.id, p.digest FROM posts p
        WHERE p.id >= greatest(s.first_id, p_first + s.shift) AND p.id <= least(p_last, s.end_index - 1) + s.shift
    ) p
$$;
