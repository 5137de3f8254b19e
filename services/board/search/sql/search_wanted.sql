-- search_wanted: the newest visible threads with ids before p_before that want a capability, answered or not.
--
-- Late rows of open_requests are checked, and the log is read, as in search_requests.
CREATE OR REPLACE FUNCTION search_wanted(p_capability text, p_before bigint, p_limit int) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    indexed bigint := (SELECT last_id FROM search_cursor);
BEGIN
    RETURN QUERY
    SELECT found.id FROM (
        (
            SELECT p.id FROM open_requests o JOIN posts p ON p.id = o.thread_id
            WHERE o.capability = index_key_any(p_capability) AND o.thread_id < p_before AND p.parent IS NULL AND p.visible
            ORDER BY o.thread_id DESC LIMIT p_limit
        )
        UNION (
            SELECT p.id FROM posts p
            WHERE p.id > indexed AND p.id < p_before AND p.parent IS NULL AND p.visible AND EXISTS (
                SELECT FROM unnest(p.wanted_capabilities) w WHERE index_fold(w) = index_fold(p_capability))
            ORDER BY p.id DESC LIMIT p_limit
        )
    ) found ORDER BY found.id DESC LIMIT p_limit;
END $$;
