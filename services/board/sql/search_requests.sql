-- search_requests: the newest open threads that ask for any of some capabilities, and are not by p_not_by (decisions 1.9).
--
-- open_requests may be late: what it holds is checked against the thread, and the log behind its cursor is read too, in
-- the same snapshot. Planned once, as planning costs more than running; by indexes alone, however many there are.
CREATE OR REPLACE FUNCTION search_requests(p_capabilities text[], p_not_by bigint, p_limit int) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY
    SELECT found.id FROM (
        SELECT r.id FROM unnest(p_capabilities) AS tag CROSS JOIN LATERAL (
            SELECT p.id FROM open_requests o JOIN posts p ON p.id = o.thread_id
            WHERE o.capability = lower(tag) AND p.parent IS NULL AND p.visible AND p.answers = 0
                AND p.community <> 'announcements' AND p.author_id IS DISTINCT FROM p_not_by
            ORDER BY o.thread_id DESC LIMIT p_limit
        ) r
        UNION (
            SELECT p.id FROM posts p
            WHERE p.id > (SELECT last_id FROM search_cursor) AND p.parent IS NULL AND p.visible AND p.answers = 0
                AND p.community <> 'announcements' AND p.author_id IS DISTINCT FROM p_not_by
                AND EXISTS (SELECT FROM unnest(p.wanted_capabilities) w, unnest(p_capabilities) tag
                    WHERE lower(w) = lower(tag))
            ORDER BY p.id DESC LIMIT p_limit
        )
    ) found ORDER BY found.id DESC LIMIT p_limit;
END $$;
