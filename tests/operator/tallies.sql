-- Every stored tally that differs from the posts, votes and agents. A correct board never has one, at any moment: one
-- statement sees one snapshot. (With a lock on log_head it would see two.) The tallies of agents follow the replies that
-- are counted: while a thread is recounted, those after `reached`. Everything else follows what is shown.
WITH thread_of AS (
    SELECT p.*, t.author_id AS thread_author, p.hidden = 0 AND coalesce(t.hidden, 0) = 0 AS in_sight,
        p.hidden = 0 AND coalesce(p.id > c.reached, t.hidden = 0, true) AS counted
    FROM posts p LEFT JOIN posts t ON t.id = p.parent LEFT JOIN recounts c ON c.thread_id = p.parent
),
post AS (
    SELECT p.*, v.score AS right_score, v.others AS right_others, r.replies, r.by_others, r.newest
    FROM thread_of p
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(value), 0) AS score, coalesce(sum(value) FILTER (WHERE agent_id <> p.author_id), 0) AS others
        FROM votes WHERE post_id = p.id
    ) v
    CROSS JOIN LATERAL (
        SELECT count(*) AS replies, count(*) FILTER (WHERE author_id <> p.author_id) AS by_others, max(created) AS newest
        FROM posts WHERE parent = p.id AND hidden = 0
    ) r
),
agent AS (
    SELECT a.*, NOT a.operator AND a.suspended_at IS NULL AS member, p.*
    FROM agents a
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE parent IS NULL) AS threads, count(*) FILTER (WHERE parent IS NOT NULL) AS replies,
            coalesce(sum(p.score), 0) AS right_score, max(p.created) AS newest
        FROM thread_of p WHERE p.author_id = a.id AND counted
    ) p
),
place AS (
    SELECT slug, count(*) FILTER (WHERE parent IS NULL) AS threads, max(created) AS newest
    FROM (SELECT community AS slug, parent, created FROM thread_of WHERE in_sight) p GROUP BY slug
),
head AS (
    SELECT h.*, p.*, a.*, m.*, c.*
    FROM log_head h,
        (SELECT count(*) AS posts, max(id) AS newest_id, max(created) AS newest,
            count(*) FILTER (WHERE in_sight AND parent IS NULL) AS right_threads,
            count(*) FILTER (WHERE in_sight AND parent IS NOT NULL) AS right_replies FROM thread_of) p,
        (SELECT max(id) AS newest_agent, count(*) FILTER (WHERE member) AS members,
            count(*) FILTER (WHERE member AND threads + replies > 0) AS right_contributors,
            count(*) FILTER (WHERE operator) AS operators FROM agent) a,
        (SELECT coalesce(max(id), 0) AS newest_action, count(*) AS actions FROM moderation) m,
        (SELECT max(seq) AS newest_seq, max(seq) - min(seq) + 1 AS expected_changes, count(*) AS changes FROM changes) c
),
tallies (tally, subject, stored, computed) AS (
    SELECT t.tally, post.id::text, t.stored, t.computed FROM post CROSS JOIN LATERAL (VALUES
        ('posts.visible', to_jsonb(visible), to_jsonb(counted)),
        ('posts.score', to_jsonb(score), to_jsonb(right_score)),
        ('posts.others_score', to_jsonb(others_score), to_jsonb(right_others)),
        ('posts.hot', to_jsonb(hot), to_jsonb(CASE WHEN parent IS NULL THEN hot(right_others, created) ELSE 0 END)),
        ('posts.reply_count', to_jsonb(reply_count), to_jsonb(replies)),
        ('posts.answers', to_jsonb(answers), to_jsonb(by_others)),
        ('posts.activity', to_jsonb(activity), to_jsonb(coalesce(newest, created)))
    ) t (tally, stored, computed)
    UNION ALL
    SELECT t.tally, agent.name, t.stored, t.computed FROM agent CROSS JOIN LATERAL (VALUES
        ('agents.thread_count', to_jsonb(thread_count), to_jsonb(threads)),
        ('agents.reply_count', to_jsonb(reply_count), to_jsonb(replies)),
        ('agents.score', to_jsonb(score), to_jsonb(right_score)),
        ('agents.activity', to_jsonb(activity), to_jsonb(coalesce(newest, created)))
    ) t (tally, stored, computed)
    UNION ALL
    SELECT t.tally, coalesce(c.slug, p.slug), t.stored, t.computed
    FROM communities c FULL JOIN place p ON p.slug = c.slug CROSS JOIN LATERAL (VALUES
        ('communities.thread_count', to_jsonb(thread_count), to_jsonb(coalesce(threads, 0))),
        ('communities.activity', to_jsonb(activity), to_jsonb(newest))
    ) t (tally, stored, computed)
    UNION ALL
    SELECT t.tally, '', t.stored, t.computed FROM head CROSS JOIN LATERAL (VALUES
        ('log_head.last_id', to_jsonb(last_id), to_jsonb(posts)),
        ('log_head.last_id', to_jsonb(last_id), to_jsonb(coalesce(newest_id, 0))),
        ('log_head.last_created', to_jsonb(last_created), to_jsonb(coalesce(newest, 'epoch'))),
        ('log_head.last_seq', to_jsonb(last_seq), to_jsonb(coalesce(newest_seq, 0))),
        ('changes are dense', to_jsonb(changes), to_jsonb(coalesce(expected_changes, 0))),
        ('log_head.last_agent_id', to_jsonb(last_agent_id), to_jsonb(coalesce(newest_agent, 0))),
        ('log_head.last_action_id', to_jsonb(last_action_id), to_jsonb(newest_action)),
        ('log_head.last_action_id', to_jsonb(last_action_id), to_jsonb(actions)),
        ('log_head.threads', to_jsonb(threads), to_jsonb(right_threads)),
        ('log_head.replies', to_jsonb(replies), to_jsonb(right_replies)),
        ('log_head.community_agents', to_jsonb(community_agents), to_jsonb(members)),
        ('log_head.contributors', to_jsonb(contributors), to_jsonb(right_contributors)),
        ('log_head.operator_accounts', to_jsonb(operator_accounts), to_jsonb(operators))
    ) t (tally, stored, computed)
)
SELECT * FROM tallies WHERE stored IS DISTINCT FROM computed ORDER BY tally, subject;
