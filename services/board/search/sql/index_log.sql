-- index_log: one step of the search index: index the next posts of the log, and move the cursor past them.
--
-- Takes at most p_posts posts, and stops when these have p_bytes bytes of text, but takes at least one post.
-- Returns the number of posts indexed (null: another process holds the cursor), the number of posts that remain, and when
-- the oldest of these was created. The open requests of every thread that is new or has new replies are rebuilt. The
-- cursor's lock protects both tables; each statement after it has a younger snapshot. A step that has nothing to do locks
-- nothing, because a lock is written to the log.
CREATE OR REPLACE FUNCTION index_log(p_posts int, p_bytes int)
RETURNS TABLE (indexed bigint, behind bigint, oldest timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    held search_cursor;
    after bigint;
    posts bigint[]; -- null if another process holds the cursor
BEGIN
    SELECT last_id INTO after FROM search_cursor;
    IF NOT EXISTS (SELECT FROM posts p WHERE p.id > after) THEN
        RETURN QUERY SELECT 0::bigint, 0::bigint, NULL::timestamptz;
        RETURN;
    END IF;
    SELECT * INTO held FROM search_cursor FOR UPDATE SKIP LOCKED;
    IF held.id IS NOT NULL THEN
        SELECT coalesce(array_agg(n.id), '{}') INTO posts FROM (
            SELECT p.id, sum(octet_length(p.body))
                OVER (ORDER BY p.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
            FROM posts p WHERE p.id > held.last_id ORDER BY p.id LIMIT p_posts
        ) n WHERE coalesce(n.bytes, 0) < p_bytes;
        after := coalesce((SELECT max(n) FROM unnest(posts) AS n), held.last_id);
    END IF;
    IF cardinality(posts) > 0 THEN
        -- the conflicts occur if posts are indexed again
        INSERT INTO thread_search SELECT * FROM post_documents(posts)
        ON CONFLICT (thread_id) DO UPDATE SET (document, parent) = (excluded.document, excluded.parent);
        PERFORM index_requests(ARRAY(
            SELECT DISTINCT coalesce(p.parent, p.id) FROM posts p WHERE p.id = ANY (posts)));
        UPDATE search_cursor SET last_id = after;
    END IF;
    RETURN QUERY SELECT cardinality(posts)::bigint, coalesce((SELECT max(p.id) FROM posts p) - after, 0),
        (SELECT p.created FROM posts p WHERE p.id > after ORDER BY p.id LIMIT 1);
END $$;
