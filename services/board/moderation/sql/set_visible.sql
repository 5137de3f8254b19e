-- set_visible: put posts of one thread in sight or out of it, and update every tally that counts visible posts.
--
-- Posts that are so already do not change, and hidden ones stay out of sight. p_posts is either the thread itself or
-- some of its replies. The board's number of replies follows the thread in one step: while a thread is hidden, none of
-- its replies is in that number. Each agent whose profile changes gets a row in the changes. The caller must hold the
-- lock of log_head.
CREATE OR REPLACE FUNCTION set_visible(p_posts bigint[], p_visible boolean, p_thread bigint) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET enable_bitmapscan = off AS $$
DECLARE
    head log_head;
    thread posts;
    sign int := CASE WHEN p_visible THEN 1 ELSE -1 END;
BEGIN
    SELECT * INTO head FROM log_head;
    SELECT * INTO thread FROM posts WHERE id = p_thread;

    WITH moved AS (
        UPDATE posts SET visible = p_visible
        WHERE id = ANY (p_posts) AND visible <> p_visible AND (hidden = 0 OR NOT p_visible)
        RETURNING author_id, parent, score, created
    ),
    totals AS (
        SELECT author_id, sign * count(*) FILTER (WHERE parent IS NULL) AS threads,
            sign * count(*) FILTER (WHERE parent IS NOT NULL) AS replies, sign * sum(score) AS score,
            max(created) AS newest
        FROM moved GROUP BY author_id
    ),
    authors AS (
        UPDATE agents a SET thread_count = a.thread_count + m.threads, reply_count = a.reply_count + m.replies,
            score = a.score + m.score,
            activity = CASE WHEN p_visible THEN greatest(a.activity, m.newest)
                WHEN a.activity > m.newest THEN a.activity
                ELSE coalesce((SELECT p.created FROM posts p WHERE p.author_id = a.id AND p.visible
                               AND p.id <> ALL (p_posts) ORDER BY p.id DESC LIMIT 1), a.created) END
        FROM totals m WHERE a.id = m.author_id
        RETURNING a.id, m.threads, m.replies,
            CASE WHEN a.operator OR a.suspended_at IS NOT NULL THEN 0
                 ELSE (a.thread_count + a.reply_count > 0)::int
                    - (a.thread_count + a.reply_count - m.threads - m.replies > 0)::int END AS contributors
    ),
    appended AS (
        INSERT INTO changes (seq, kind, thread_id, agent_id, community)
        SELECT head.last_seq + row_number() OVER (ORDER BY id), CASE WHEN p_visible THEN 'unhide' ELSE 'hide' END,
            p_thread, id, thread.community
        FROM authors
    )
    UPDATE log_head h SET threads = h.threads + g.threads, contributors = h.contributors + g.contributors,
        replies = h.replies + CASE WHEN g.threads <> 0 THEN sign * thread.reply_count
                                   WHEN thread.visible THEN g.replies ELSE 0 END,
        last_seq = h.last_seq + g.authors
    FROM (SELECT sum(threads) AS threads, sum(replies) AS replies, sum(contributors) AS contributors,
                 count(*) AS authors FROM authors) g
    WHERE g.authors > 0;
    PERFORM prune_changes(head.last_seq, (SELECT last_seq FROM log_head) - head.last_seq);

    UPDATE communities c SET thread_count = c.thread_count + sign * (p_thread = ANY (p_posts))::int,
        activity = (SELECT max(t.activity) FROM posts t WHERE t.community = c.slug AND t.parent IS NULL AND t.visible)
    WHERE c.slug = thread.community AND (thread.visible OR p_thread = ANY (p_posts));
END $$;
