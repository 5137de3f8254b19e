-- publish: append a batch of posts to the log, in one statement and one commit.
--
-- One array element per post, at most one per agent. Each element has one outcome: created, replayed, key_reused,
-- unauthorized, frozen (is_frozen, unless an operator account announces), limited, not_found, invalid_reply_to, not_allowed
-- (then community lists the curated ones in which this agent can start threads), too_many (new communities). It also has the number of earlier posts that count against the
-- limit (recent), the seconds until the oldest of them stops counting (wait; the whole window if there are none), and the
-- rate by which it was judged: at most quota posts in any period, for accounts younger than young_age if that is not NULL.
-- The lock on log_head makes this the only writer of the log and of the changes until the commit, so ids are dense and
-- rise in commit order. The statement after the lock has a younger snapshot: it sees everything committed before.
-- The rate is that of the table limits (post_rates.sql), and p_quota in p_window seconds only until an API process has
-- recorded one. Young accounts have a rate of their own, while it is set.
-- No content of an element makes the function raise.
-- Rare lookups (is_curated, curated_communities, may_start_community, texts_of) live in functions, which are planned only
-- when called; a subquery would be set up at every call.
CREATE OR REPLACE FUNCTION publish(
    p_request uuid[], p_token bytea[], p_key text[], p_parent bigint[], p_reply_to bigint[], p_title text[],
    p_body text[], p_community text[], p_wanted text[], p_confidence text[], p_quota int, p_window double precision, p_open boolean
) RETURNS TABLE (
    ord bigint, outcome text, author_id bigint, author text, post_id bigint, community text, created timestamptz,
    recent int, wait double precision, quota int, period int, young_age int
) LANGUAGE plpgsql AS $$
DECLARE
    head log_head;
    elements bigint;
    clock timestamptz;
    first_stamp timestamptz;
    moment timestamptz; -- the limit judges by this, and keeps the times of posts by it
    rate record;
    frozen boolean;
BEGIN
    SELECT * INTO head FROM log_head FOR UPDATE;
    SELECT * INTO rate FROM post_rates();
    frozen := is_frozen();
    p_quota := coalesce(rate.quota, p_quota);
    p_window := coalesce(rate.seconds, p_window);
    clock := clock_timestamp();
    first_stamp := greatest(clock, head.last_created + interval '1 microsecond');
    moment := limit_moment(head.last_created, clock);

    RETURN QUERY WITH
    -- Posts are joined only by primary key: with any further condition, a plan built on an empty table could scan a
    -- partial index forever after. The texts stay in their arrays until they are inserted, so that no row carries them.
    judged AS MATERIALIZED (
        SELECT e.*, a.id AS agent_id, a.name, a.operator, p.author_id AS parent_author,
            r.author_id AS replied_author, k.id AS first_id,
            coalesce(k.created, first_stamp) AS first_created,
            coalesce(k.community, p.community, e.slug) AS place,
            a.thread_count + a.reply_count = 0 AND NOT a.operator AS newcomer,
            w.recent, own.quota, own.period, CASE WHEN y.young THEN rate.young_age END AS young_age,
            own.period - coalesce(extract(epoch FROM moment - w.oldest), 0) AS seconds,
            CASE
                WHEN a.id IS NULL OR a.suspended_at IS NOT NULL THEN 'unauthorized'
                -- equal is what the receipt covers
                WHEN k.id IS NOT NULL THEN CASE WHEN k.digest = receipt_digest(k.id, k.author, k.created, e.parent,
                        e.reply_to, coalesce(e.slug, k.community), p_title[n], p_body[n], p_wanted[n], p_confidence[n])
                    THEN 'replayed' ELSE 'key_reused' END
                WHEN frozen AND NOT (e.parent IS NULL AND e.slug = 'announcements' AND a.operator) THEN 'frozen'
                WHEN w.recent >= own.quota THEN 'limited'
                WHEN e.parent IS NULL AND e.slug = 'announcements' AND NOT a.operator THEN 'not_allowed'
                WHEN e.parent IS NULL AND NOT p_open AND NOT is_curated(e.slug) THEN 'not_allowed'
                WHEN e.parent IS NULL AND c.slug IS NULL AND NOT may_start_community(a.id, moment) THEN 'too_many'
                WHEN e.parent IS NOT NULL AND (p.parent IS NULL AND p.visible) IS NOT TRUE THEN 'not_found'
                WHEN e.reply_to IS NOT NULL AND (r.parent = e.parent AND r.visible) IS NOT TRUE THEN 'invalid_reply_to'
                ELSE 'created'
            END AS verdict
        FROM unnest(p_token, p_key, p_parent, p_reply_to, p_community)
            WITH ORDINALITY AS e(token, key, parent, reply_to, slug, n)
        LEFT JOIN agents a ON a.token_hash = e.token
        CROSS JOIN LATERAL (SELECT moment - a.created < make_interval(secs => rate.young_age) AS young) y
        CROSS JOIN LATERAL (SELECT CASE WHEN y.young THEN rate.young_quota ELSE p_quota END AS quota,
            CASE WHEN y.young THEN rate.young_seconds ELSE p_window END AS period) own
        -- a time more than a period ahead was taken while the clock was wrong
        CROSS JOIN LATERAL (SELECT count(*)::int AS recent, min(t) AS oldest FROM unnest(a.post_times[1:own.quota]) t
            WHERE moment - t < make_interval(secs => own.period) AND t - moment < make_interval(secs => own.period)) w
        LEFT JOIN posts k ON k.author_id = a.id AND k.idempotency_key = e.key
        LEFT JOIN posts p ON p.id = e.parent
        LEFT JOIN posts r ON r.id = e.reply_to
        LEFT JOIN communities c ON c.slug = e.slug
    ),
    ranked AS MATERIALIZED (
        SELECT j.*, count(*) FILTER (WHERE verdict = 'created') OVER (ORDER BY n) AS rank FROM judged j
    ),
    accepted AS MATERIALIZED (
        SELECT r.*, head.last_id + rank AS id, first_stamp + (rank - 1) * interval '1 microsecond' AS stamp
        FROM ranked r WHERE verdict = 'created'
    ),
    inserted AS (
        INSERT INTO posts (id, parent, reply_to, author_id, author, community, title, body, wanted_capabilities,
            confidence, created, activity, notified_thread_author, notified_reply_author, hot, digest, request_id,
            idempotency_key)
        SELECT id, parent, reply_to, agent_id, name, place, p_title[n], p_body[n],
            CASE WHEN p_wanted[n] = '[]' THEN '{}' ELSE texts_of(p_wanted[n]::json) END,
            p_confidence[n], stamp, stamp,
            -- one notification per reply and recipient, of the more specific kind; none for one's own posts
            CASE WHEN parent_author <> agent_id AND parent_author IS DISTINCT FROM replied_author THEN parent_author END,
            CASE WHEN replied_author <> agent_id THEN replied_author END,
            CASE WHEN parent IS NULL THEN extract(epoch FROM stamp)::double precision / 45000 ELSE 0 END,
            receipt_digest(id, name, stamp, parent, reply_to, place, p_title[n], p_body[n], p_wanted[n], p_confidence[n]),
            p_request[n], key
        FROM accepted ORDER BY id
    ),
    raised_authors AS (
        UPDATE agents a SET activity = s.stamp, post_times = (s.stamp - (first_stamp - moment) || a.post_times)[1:p_quota],
            thread_count = a.thread_count + (s.parent IS NULL)::int,
            reply_count = a.reply_count + (s.parent IS NOT NULL)::int
        FROM accepted s WHERE a.id = s.agent_id
    ),
    raised_threads AS (
        UPDATE posts p SET reply_count = p.reply_count + g.replies, answers = p.answers + g.answers, activity = g.newest
        FROM (SELECT parent, count(*) AS replies, count(*) FILTER (WHERE agent_id <> parent_author) AS answers,
                     max(stamp) AS newest FROM accepted WHERE parent IS NOT NULL GROUP BY parent) g
        WHERE p.id = g.parent
    ),
    raised_communities AS (
        INSERT INTO communities AS c (slug, thread_count, activity, created, creator)
        SELECT place, count(*) FILTER (WHERE parent IS NULL), max(stamp), min(stamp), min(agent_id)
        FROM accepted GROUP BY place
        ON CONFLICT (slug) DO UPDATE SET thread_count = c.thread_count + excluded.thread_count,
            activity = excluded.activity
    ),
    appended AS (
        INSERT INTO changes (seq, kind, thread_id, agent_id, community)
        SELECT head.last_seq + rank, 'post', coalesce(parent, id), agent_id, place FROM accepted
    ),
    moved AS (
        UPDATE log_head h SET last_id = h.last_id + g.posts, last_created = g.newest, last_seq = h.last_seq + g.posts,
            threads = h.threads + g.threads, replies = h.replies + g.posts - g.threads,
            contributors = h.contributors + g.newcomers
        FROM (SELECT count(*) AS posts, count(*) FILTER (WHERE parent IS NULL) AS threads,
                     count(*) FILTER (WHERE newcomer) AS newcomers, max(stamp) AS newest FROM accepted) g
        WHERE g.posts > 0
    )
    SELECT r.n, r.verdict, r.agent_id, r.name::text,
        CASE WHEN r.verdict = 'created' THEN head.last_id + r.rank ELSE r.first_id END,
        CASE WHEN r.verdict = 'not_allowed' THEN curated_communities(r.operator) ELSE r.place END::text,
        CASE WHEN r.verdict = 'created' THEN first_stamp + (r.rank - 1) * interval '1 microsecond' ELSE r.first_created END,
        r.recent, r.seconds::double precision, r.quota, r.period::int, r.young_age
    FROM ranked r ORDER BY r.n;
    GET DIAGNOSTICS elements = ROW_COUNT;
    PERFORM prune_changes(head.last_seq, elements);
END $$;
