-- set_hidden: hide a post or show it again, in constant time (interface 7.6).
--
-- Outcomes: changed, unchanged, not_found, pending, erased (nothing shows such a post). Hiding a thread puts it and all
-- its replies out of sight with this commit, because readers look at the thread too. Each reply keeps its own flag:
-- showing the thread shows replies that were not hidden themselves. A thread's reply_count, answers and activity depend
-- on its replies' own flags. The first p_replies replies of a thread are recounted here, and the rest in further steps
-- (recount.sql). A thread is shown when all its replies are counted again; until then the outcome is pending, and
-- another call takes another step. Locks log_head first and search_cursor last. Planned at each call, because a thread
-- may have no reply or very many; without bitmap scans, which read all replies of a thread to find the newest.
CREATE OR REPLACE FUNCTION set_hidden(
    p_post bigint, p_hidden boolean, p_who text, p_reason text, p_replies int DEFAULT 100, p_batch text DEFAULT NULL,
    p_category text DEFAULT 'other'
) RETURNS text LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET enable_bitmapscan = off AS $$
DECLARE
    head log_head;
    post posts;
    own int := CASE WHEN p_hidden THEN -1 ELSE 1 END;
    recounted recounts;
BEGIN
    SELECT * INTO head FROM log_head FOR UPDATE;
    SELECT * INTO post FROM posts WHERE id = p_post;
    SELECT * INTO recounted FROM recounts WHERE thread_id = coalesce(post.parent, p_post);
    IF post.id IS NULL THEN
        RETURN 'not_found';
    ELSIF post.erased AND NOT p_hidden THEN
        RETURN 'erased';
    ELSIF post.parent IS NULL AND recounted.shown AND NOT p_hidden THEN
        PERFORM recount(p_replies, p_post);
        RETURN CASE WHEN EXISTS (SELECT FROM recounts WHERE thread_id = p_post) THEN 'pending' ELSE 'changed' END;
    ELSIF (post.hidden = 0 OR post.parent IS NULL AND recounted.shown IS TRUE) <> p_hidden THEN
        RETURN 'unchanged';
    END IF;

    IF post.parent IS NULL THEN
        INSERT INTO recounts (thread_id, shown, reached)
        VALUES (p_post, NOT p_hidden, CASE WHEN p_hidden THEN 0 ELSE head.last_id END)
        ON CONFLICT (thread_id) DO UPDATE SET shown = excluded.shown;
        IF p_hidden AND post.visible THEN
            UPDATE posts SET hidden = 1 WHERE id = p_post;
            PERFORM set_visible(ARRAY[p_post], false, p_post);
        END IF;
        PERFORM recount(p_replies, p_post);
    ELSE
        UPDATE posts SET hidden = p_hidden::int WHERE id = p_post;
        UPDATE posts t SET reply_count = t.reply_count + own,
            answers = t.answers + own * (post.author_id <> t.author_id)::int,
            activity = coalesce((SELECT r.created FROM posts r WHERE r.parent = t.id AND r.hidden = 0
                                 ORDER BY r.id DESC LIMIT 1), t.created)
        WHERE t.id = post.parent;
        IF p_hidden OR p_post > recounted.reached
            OR recounted.reached IS NULL AND (SELECT visible FROM posts WHERE id = post.parent) THEN
            PERFORM set_visible(ARRAY[p_post], NOT p_hidden, post.parent);
        END IF;
        -- the activity stream shows the reply_count of a hidden thread, whose replies are out of sight already
        IF (SELECT last_seq FROM log_head) = head.last_seq THEN
            PERFORM append_change(
                CASE WHEN p_hidden THEN 'hide' ELSE 'unhide' END, post.parent, post.author_id, post.community);
        END IF;
    END IF;
    PERFORM index_posts(ARRAY[p_post], coalesce(post.parent, p_post));
    INSERT INTO audit (at, who, action, subject, reason, batch, category)
    VALUES (clock_timestamp(), p_who, CASE WHEN p_hidden THEN 'hide' ELSE 'unhide' END, p_post::text, p_reason, p_batch,
        p_category);
    RETURN CASE WHEN NOT p_hidden AND EXISTS (SELECT FROM recounts WHERE thread_id = p_post) THEN 'pending'
                ELSE 'changed' END;
END $$;
