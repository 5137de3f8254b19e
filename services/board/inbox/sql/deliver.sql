-- deliver: one step of the fan-out for some partitions: write the events of the next posts and move the cursors.
--
-- It takes those of the given partitions that no other process has locked and that are furthest behind, all at the same
-- position. It reads at most p_posts posts and p_heard (at least 1000) listeners of them; a post with more listeners
-- takes several steps. Returns no row if there is no partition to take. Otherwise it returns the
-- partitions, the last post that they passed, the numbers of posts passed and events written, whether there may be more
-- to do, and for each post with events their number and the age of the post in seconds.
-- The row locks reserve them: they end with this statement, even if the caller dies. The cursors move in the same
-- commit, so every event is written once; the primary key guards this. Hidden posts and suspended agents are treated
-- like any others; otherwise an inbox would depend on when this runs. The commit does not wait for the disk: a crash
-- loses events and cursors together, and the step is repeated. An acknowledgement waits for all earlier commits.
CREATE OR REPLACE FUNCTION deliver(p_partitions smallint[], p_posts int, p_heard int)
RETURNS TABLE (partitions smallint[], last_id bigint, posts bigint, events bigint, more boolean, sizes bigint[],
    ages double precision[]) LANGUAGE plpgsql AS $$
DECLARE
    taken smallint[];
    done_id bigint;
    done_agent bigint; -- the last agent served with the post after done_id
BEGIN
    SELECT array_agg(c.partition), c.last_id, c.agent_id INTO taken, done_id, done_agent
    FROM (SELECT * FROM fanout_cursors f WHERE f.partition = ANY (p_partitions) FOR UPDATE SKIP LOCKED) c
    GROUP BY c.last_id, c.agent_id ORDER BY c.last_id, c.agent_id LIMIT 1;
    IF taken IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    -- a separate statement, whose snapshot is younger than the locks and therefore includes the last step
    RETURN QUERY WITH
    coming AS MATERIALIZED (
        SELECT p.id, p.created, p.author_id, p.parent, p.community, p.wanted_capabilities FROM posts p
        WHERE p.id > done_id ORDER BY p.id LIMIT p_posts
    ),
    heard AS MATERIALIZED (
        SELECT c.id, c.created, l.agent_id, l.kind, l.subscription_id FROM coming c
        CROSS JOIN LATERAL listeners(taken, c.id, c.author_id, c.parent, c.community, c.wanted_capabilities) l
        WHERE l.agent_id > done_agent OR c.id > (SELECT min(f.id) FROM coming f)
        ORDER BY c.id, l.agent_id, l.subscription_id LIMIT p_heard
    ),
    -- the event at which a full step stops: some of its subscriptions may be missing
    cut AS (
        SELECT h.id, h.agent_id FROM heard h WHERE (SELECT count(*) FROM heard) = p_heard
        ORDER BY h.id DESC, h.agent_id DESC LIMIT 1
    ),
    events AS MATERIALIZED (
        SELECT h.agent_id, h.id, min(h.created) AS created, min(h.kind) AS kind,
            array_agg(h.subscription_id ORDER BY h.subscription_id) AS subscription_ids
        FROM heard h WHERE (h.id, h.agent_id) IS DISTINCT FROM ((SELECT c.id FROM cut c), (SELECT c.agent_id FROM cut c))
        GROUP BY h.id, h.agent_id
    ),
    written AS (
        INSERT INTO inbox (agent_id, event_id, kind, subscription_ids)
        SELECT e.agent_id, e.id, e.kind, e.subscription_ids FROM events e ORDER BY e.agent_id, e.id
    ),
    passed AS (SELECT c.id FROM coming c WHERE c.id < (SELECT t.id FROM cut t) OR NOT EXISTS (SELECT FROM cut)),
    moved AS (
        UPDATE fanout_cursors f SET last_id = coalesce((SELECT max(p.id) FROM passed p), done_id),
            agent_id = coalesce((SELECT c.agent_id - 1 FROM cut c), 0)
        WHERE f.partition = ANY (taken) AND EXISTS (SELECT FROM coming)
    ),
    delivered AS (
        SELECT count(*) AS size, extract(epoch FROM clock_timestamp() - min(e.created))::double precision AS age
        FROM events e GROUP BY e.id
    )
    SELECT taken, coalesce((SELECT max(p.id) FROM passed p), done_id), (SELECT count(*) FROM passed),
        (SELECT count(*) FROM events), (SELECT count(*) = p_posts FROM coming) OR EXISTS (SELECT FROM cut),
        (SELECT array_agg(d.size) FROM delivered d), (SELECT array_agg(d.age) FROM delivered d);
END $$;
