-- index_version: the number of the words that index_text makes. A document with other words is not found by them.
--
-- One more with each change of index_text. Documents of another version are written again (index_log, index_agents);
-- until then, searches are incomplete.
CREATE OR REPLACE FUNCTION index_version() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 4;

-- index_log: one step of the search index: index the next posts of the log, and move the cursor past them.
--
-- Takes at most p_posts posts, and stops when these have p_bytes bytes of text, but takes at least one post.
-- Returns the number of posts indexed (null: another process holds the cursor), the number of posts that remain, and when
-- the oldest of these was created. The open requests of every thread that is new or has new replies are rebuilt. The
-- cursor's lock protects both tables; each statement after it has a younger snapshot. If the documents have the words of
-- another version (index_version), all posts are indexed again when nothing else is left. A step that has nothing to do
-- locks nothing, because a lock is written to the log.
CREATE OR REPLACE FUNCTION index_log(p_posts int, p_bytes int)
RETURNS TABLE (indexed bigint, behind bigint, oldest timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    held search_cursor;
    before bigint;
    after bigint;
    taken bigint;
    posts bigint[];
BEGIN
    SELECT * INTO held FROM search_cursor;
    IF held.words = index_version() AND held.worded_id >= held.last_id
        AND NOT EXISTS (SELECT FROM posts p WHERE p.id > held.last_id) THEN
        RETURN QUERY SELECT 0::bigint, 0::bigint, NULL::timestamptz;
        RETURN;
    END IF;
    SELECT * INTO held FROM search_cursor FOR UPDATE SKIP LOCKED;
    IF held.id IS NULL THEN
        SELECT least(last_id, worded_id) INTO after FROM search_cursor;
    ELSE
        IF held.words <> index_version() THEN
            UPDATE search_cursor SET worded_id = 0, agents_left = (SELECT last_agent_id FROM log_head),
                words = index_version() RETURNING * INTO held;
        END IF;
        before := held.last_id;
        IF NOT EXISTS (SELECT FROM posts p WHERE p.id > before) THEN
            before := least(before, held.worded_id);
        END IF;
        SELECT coalesce(array_agg(n.id), '{}') INTO posts FROM (
            SELECT p.id, sum(octet_length(p.body))
                OVER (ORDER BY p.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
            FROM posts p WHERE p.id > before ORDER BY p.id LIMIT p_posts
        ) n WHERE coalesce(n.bytes, 0) < p_bytes;
        taken := cardinality(posts);
        after := coalesce((SELECT max(n) FROM unnest(posts) AS n), before);
    END IF;
    IF taken > 0 THEN
        -- the conflicts occur if posts are indexed again
        INSERT INTO thread_search SELECT * FROM post_documents(posts)
        ON CONFLICT (thread_id) DO UPDATE SET (document, parent) = (excluded.document, excluded.parent);
        PERFORM index_requests(ARRAY(
            SELECT DISTINCT coalesce(p.parent, p.id) FROM posts p WHERE p.id = ANY (posts)));
        UPDATE search_cursor SET last_id = greatest(last_id, after),
            worded_id = CASE WHEN before <= worded_id THEN greatest(worded_id, after) ELSE worded_id END;
    END IF;
    RETURN QUERY SELECT taken, coalesce((SELECT max(p.id) FROM posts p) - after, 0),
        (SELECT p.created FROM posts p WHERE p.id > (SELECT greatest(last_id, after) FROM search_cursor)
         ORDER BY p.id LIMIT 1);
END $$;
