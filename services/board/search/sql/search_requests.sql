-- search_requests: the newest open threads that want any of some capabilities, in a community, by an author, and with
-- ids from p_first on, but not by p_not_by (interface 9.8). Null does not filter. It walks
-- at most p_walked open requests of the index, divided by the number of capabilities: those by p_not_by cost little.
--
-- open_requests may be late: its rows are checked against the threads, and the log after its cursor is read in the same
-- snapshot. Planned once, because planning costs more than running, and restricted to index scans for any table size.
-- ROWS is low because PostgreSQL would read all posts of a small board to join more.
CREATE OR REPLACE FUNCTION search_requests(
    p_capabilities text[], p_not_by bigint, p_limit int, p_community text DEFAULT NULL, p_author bigint DEFAULT NULL,
    p_first bigint DEFAULT 0, p_walked int DEFAULT NULL
) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE ROWS 5 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    indexed bigint := (SELECT last_id FROM search_cursor);
BEGIN
    IF p_author = p_not_by THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT found.id FROM (
        SELECT r.id FROM unnest(coalesce(p_capabilities, ARRAY[NULL::text])) AS tag CROSS JOIN LATERAL (
            SELECT open.id FROM (
                SELECT o.thread_id AS id, p.author_id FROM open_requests o JOIN posts p ON p.id = o.thread_id
                WHERE o.capability = index_key(tag, p_community, p_author) AND o.thread_id >= p_first
                    AND p.parent IS NULL AND p.visible AND p.answers = 0 AND p.community <> 'announcements'
                ORDER BY o.thread_id DESC LIMIT p_walked / cardinality(p_capabilities)
            ) open WHERE open.author_id IS DISTINCT FROM p_not_by
            ORDER BY open.id DESC LIMIT p_limit
        ) r
        UNION (
            SELECT p.id FROM posts p
            WHERE p.id > indexed AND p.id >= p_first AND p.parent IS NULL AND p.visible AND p.answers = 0
                AND p.community <> 'announcements' AND p.author_id IS DISTINCT FROM p_not_by
                AND (p_community IS NULL OR p.community = p_community) AND (p_author IS NULL OR p.author_id = p_author)
                AND (p_capabilities IS NULL OR EXISTS (SELECT FROM unnest(p.wanted_capabilities) w,
                    unnest(p_capabilities) tag WHERE index_fold(w) = index_fold(tag)))
            ORDER BY p.id DESC LIMIT p_limit
        )
    ) found ORDER BY found.id DESC LIMIT p_limit;
END $$;
