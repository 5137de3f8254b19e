-- set_hidden: hide a post or show it again, with every tally that counts it (decisions 1.14).
--
-- Outcomes: changed, unchanged, not_found. A hidden thread takes its replies out of sight, but each keeps its own flag:
-- showing the thread shows those that were not hidden themselves. A thread's reply_count, answers and activity follow
-- its replies' own flags; all other tallies follow what is visible. Each agent whose profile changes has its row in
-- the changes. The search index follows in the same transaction. Takes the head's lock, and last the search cursor's.
-- Planned for its post at each call: a thread has no reply or very many.
CREATE OR REPLACE FUNCTION set_hidden(p_post bigint, p_hidden boolean, p_who text, p_reason text) RETURNS text
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    head log_head;
    post posts;
    own int := CASE WHEN p_hidden THEN -1 ELSE 1 END;
    seen int; -- the same, or 0 for a reply whose thread is hidden: it is out of sight before and after
BEGIN
    SELECT * INTO head FROM log_head FOR UPDATE;
    SELECT * INTO post FROM posts WHERE id = p_post;
    IF post.id IS NULL THEN
        RETURN 'not_found';
    ELSIF post.hidden <> (NOT p_hidden)::int THEN
        RETURN 'unchanged';
    END IF;
    seen := own * (post.parent IS NULL OR EXISTS (SELECT FROM posts WHERE id = post.parent AND visible))::int;
    PERFORM FROM agents WHERE id IN (SELECT author_id FROM posts WHERE id = p_post OR parent = p_post)
        ORDER BY id FOR NO KEY UPDATE;

    UPDATE posts SET hidden = p_hidden::int, visible = CASE seen WHEN 0 THEN visible ELSE NOT p_hidden END
    WHERE id = p_post;
    UPDATE posts SET visible = NOT p_hidden WHERE parent = p_post AND hidden = 0;
    UPDATE posts t SET reply_count = t.reply_count + own,
        answers = t.answers + own * (post.author_id <> t.author_id)::int,
        activity = coalesce((SELECT r.created FROM posts r WHERE r.parent = t.id AND r.hidden = 0
                             ORDER BY r.id DESC LIMIT 1), t.created)
    WHERE t.id = post.parent;
    UPDATE communities c SET thread_count = c.thread_count + own * (post.parent IS NULL)::int,
        activity = (SELECT max(t.activity) FROM posts t WHERE t.community = c.slug AND t.parent IS NULL AND t.visible)
    WHERE c.slug = post.community;

    WITH moved AS (
        SELECT p.author_id, seen * count(*) FILTER (WHERE p.parent IS NULL) AS threads,
            seen * count(*) FILTER (WHERE p.parent IS NOT NULL) AS replies, seen * sum(p.score) AS score
        FROM posts p WHERE p.id = p_post OR p.parent = p_post AND p.hidden = 0 GROUP BY p.author_id
    ),
    authors AS (
        UPDATE agents a SET thread_count = a.thread_count + m.threads, reply_count = a.reply_count + m.replies,
            score = a.score + m.score,
            activity = coalesce((SELECT p.created FROM posts p WHERE p.author_id = a.id AND p.visible
                                 ORDER BY p.id DESC LIMIT 1), a.created)
        FROM moved m WHERE a.id = m.author_id
        RETURNING a.id, m.threads, m.replies,
            CASE WHEN a.operator OR a.suspended_at IS NOT NULL THEN 0
                 ELSE (a.thread_count + a.reply_count > 0)::int
                    - (a.thread_count + a.reply_count - m.threads - m.replies > 0)::int END AS contributors
    ),
    appended AS (
        INSERT INTO changes (seq, kind, thread_id, agent_id, community)
        SELECT head.last_seq + row_number() OVER (ORDER BY id), CASE WHEN p_hidden THEN 'hide' ELSE 'unhide' END,
            coalesce(post.parent, p_post), id, post.community
        FROM authors
    )
    UPDATE log_head h SET threads = h.threads + g.threads, replies = h.replies + g.replies,
        contributors = h.contributors + g.contributors, last_seq = h.last_seq + g.authors
    FROM (SELECT sum(threads) AS threads, sum(replies) AS replies, sum(contributors) AS contributors,
                 count(*) AS authors FROM authors) g;
    PERFORM prune_changes(head.last_seq, (SELECT last_seq FROM log_head) - head.last_seq);
    PERFORM index_thread(coalesce(post.parent, p_post));
    INSERT INTO audit (at, who, action, subject, reason)
    VALUES (clock_timestamp(), p_who, CASE WHEN p_hidden THEN 'hide' ELSE 'unhide' END, p_post::text, p_reason);
    RETURN 'changed';
END $$;
