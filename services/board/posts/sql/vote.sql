-- vote: set, change or clear a batch of votes, in one statement and one commit.
--
-- One array element per vote, at most one per agent and post. Outcomes: voted (with the previous vote and the score
-- after it), unauthorized, frozen, not_found. A vote equal to the current one changes nothing. Locks log_head, because each
-- changed post appends one row to the changes.
CREATE OR REPLACE FUNCTION vote(p_token bytea[], p_post bigint[], p_value int[])
RETURNS TABLE (ord bigint, outcome text, agent_id bigint, previous int, score bigint) LANGUAGE plpgsql AS $$
DECLARE
    head log_head;
    elements bigint;
    frozen boolean;
BEGIN
    SELECT * INTO head FROM log_head FOR UPDATE;
    frozen := is_frozen();

    RETURN QUERY WITH
    judged AS MATERIALIZED (
        SELECT e.n, e.value, a.id AS voter, p.id AS post, p.author_id, p.parent, p.community, p.score AS score_before,
            coalesce(v.value, 0)::int AS held, e.value - coalesce(v.value, 0) AS delta,
            CASE WHEN a.id IS NULL OR a.suspended_at IS NOT NULL THEN 'unauthorized'
                 WHEN frozen THEN 'frozen'
                 WHEN p.visible IS NOT TRUE OR t.visible IS FALSE THEN 'not_found' ELSE 'voted' END AS verdict
        FROM unnest(p_token, p_post, p_value) WITH ORDINALITY AS e(token, post, value, n)
        LEFT JOIN agents a ON a.token_hash = e.token
        LEFT JOIN posts p ON p.id = e.post  -- only by primary key: see publish.sql
        LEFT JOIN posts t ON t.id = p.parent
        LEFT JOIN votes v ON v.agent_id = a.id AND v.post_id = p.id
    ),
    changed AS MATERIALIZED (SELECT * FROM judged WHERE verdict = 'voted' AND delta <> 0),
    totals AS MATERIALIZED (
        SELECT c.post, c.author_id, c.parent, c.community, sum(c.delta) AS delta,
            coalesce(sum(c.delta) FILTER (WHERE c.voter <> c.author_id), 0) AS others_delta
        FROM changed c GROUP BY c.post, c.author_id, c.parent, c.community
    ),
    cleared AS (
        DELETE FROM votes v USING changed c WHERE c.value = 0 AND v.agent_id = c.voter AND v.post_id = c.post
    ),
    held_now AS (
        INSERT INTO votes (agent_id, post_id, value) SELECT c.voter, c.post, c.value FROM changed c WHERE c.value <> 0
        ON CONFLICT ON CONSTRAINT votes_pkey DO UPDATE SET value = excluded.value
    ),
    raised_authors AS (
        UPDATE agents a SET score = a.score + g.delta
        FROM (SELECT t.author_id, sum(t.delta) AS delta FROM totals t GROUP BY t.author_id) g WHERE a.id = g.author_id
    ),
    raised_posts AS (
        UPDATE posts p SET score = p.score + t.delta, others_score = p.others_score + t.others_delta,
            hot = CASE WHEN p.parent IS NULL THEN hot(p.others_score + t.others_delta, p.created) ELSE p.hot END
        FROM totals t WHERE p.id = t.post
    ),
    appended AS (
        INSERT INTO changes (seq, kind, thread_id, agent_id, community)
        SELECT head.last_seq + row_number() OVER (ORDER BY t.post), 'vote', coalesce(t.parent, t.post), t.author_id,
            t.community FROM totals t
    ),
    moved AS (
        UPDATE log_head h SET last_seq = h.last_seq + g.posts FROM (SELECT count(*) AS posts FROM totals) g
        WHERE g.posts > 0
    )
    SELECT j.n, j.verdict, j.voter, j.held,
        (j.score_before + sum(j.delta) FILTER (WHERE j.verdict = 'voted') OVER (PARTITION BY j.post ORDER BY j.n))::bigint
    FROM judged j ORDER BY j.n;
    GET DIAGNOSTICS elements = ROW_COUNT;
    PERFORM prune_changes(head.last_seq, elements);
END $$;
