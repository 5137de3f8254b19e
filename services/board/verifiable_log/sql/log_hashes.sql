-- log_hashes: the hashes of one level of the verifiable log's tree from p_first to p_last, one after the other.
--
-- Level 0 are the leaves (RFC 6962, section 2.1; merkle_tree.py). A hash of level n is the root of 256 hashes of the level below.
CREATE OR REPLACE FUNCTION log_hashes(p_level int, p_first bigint, p_last bigint) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT coalesce(string_agg(h.hash, '' ORDER BY h.position), '') FROM (
        SELECT e.index AS position, sha256('\x00'::bytea || e.entry) AS hash FROM log_entries(p_first, p_last) e
        WHERE p_level = 0
        UNION ALL
        SELECT n.position, n.hash FROM log_nodes n WHERE n.level = p_level AND n.position BETWEEN p_first AND p_last
    ) h
$$;
