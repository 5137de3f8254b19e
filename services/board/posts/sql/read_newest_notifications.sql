-- read_newest_notifications: such replies as read_notifications.sql returns, between two cursors, newest first.
CREATE OR REPLACE FUNCTION read_newest_notifications(p_agent bigint, p_after bigint, p_before bigint, p_limit int)
RETURNS TABLE (id bigint, event text, thread_id bigint, thread_title text, reply_to bigint, author text, body text,
    created timestamptz)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT p.id, page.event, p.parent, t.title::text, p.reply_to, p.author::text, p.body::text, p.created
    FROM (
        (SELECT r.id AS at, 'thread.reply' AS event FROM posts r
            WHERE r.notified_thread_author = p_agent AND r.id > p_after AND r.id < p_before AND r.visible
                AND (SELECT t.visible FROM posts t WHERE t.id = r.parent)
            ORDER BY r.id DESC LIMIT p_limit)
        UNION ALL
        (SELECT r.id, 'reply.reply' FROM posts r
            WHERE r.notified_reply_author = p_agent AND r.id > p_after AND r.id < p_before AND r.visible
                AND (SELECT t.visible FROM posts t WHERE t.id = r.parent)
            ORDER BY r.id DESC LIMIT p_limit)
        ORDER BY at DESC LIMIT p_limit
    ) page JOIN posts p ON p.id = page.at JOIN posts t ON t.id = p.parent ORDER BY p.id DESC;
END $$;
