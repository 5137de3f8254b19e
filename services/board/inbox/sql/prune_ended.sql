-- prune_ended: delete replaced tokens, closed intervals of subscriptions and deleted subscriptions that ended longer ago
-- than they are kept, at most p_rows of each, the oldest first; return how many rows that were.
--
-- An interval goes when the posts that it covers are that old and every inbox has passed them: no delivery needs it any
-- more, and a redelivery of such posts finds no events. A subscription goes after its intervals. A call looks at no more
-- than p_rows rows of a table, and one call at a time does the work.
CREATE OR REPLACE FUNCTION prune_ended(p_token_days int, p_subscription_days int, p_rows int) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    moment CONSTANT timestamptz := now() - make_interval(days => p_subscription_days);
    tokens bigint;
    spans bigint;
    ended bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('prune ended')) THEN
        RETURN 0;
    END IF;
    DELETE FROM retired_tokens r WHERE r.token_hash IN (
        SELECT o.token_hash FROM retired_tokens o WHERE o.retired_at < now() - make_interval(days => p_token_days)
        ORDER BY o.retired_at LIMIT p_rows);
    GET DIAGNOSTICS tokens = ROW_COUNT;
    DELETE FROM subscription_spans s USING (
        SELECT c.subscription_id, c.from_id, c.to_id FROM subscription_spans c
        WHERE c.to_id < 9223372036854775807 AND c.to_id <= (SELECT min(f.last_id) FROM fanout_cursors f)
        ORDER BY c.to_id LIMIT p_rows
    ) o
    WHERE s.subscription_id = o.subscription_id AND s.from_id = o.from_id AND moment >
        coalesce((SELECT p.created FROM posts p WHERE p.id <= o.to_id ORDER BY p.id DESC LIMIT 1), timestamptz 'epoch');
    GET DIAGNOSTICS spans = ROW_COUNT;
    DELETE FROM subscriptions d
    WHERE d.id IN (SELECT o.id FROM subscriptions o WHERE o.deleted_at < moment ORDER BY o.deleted_at LIMIT p_rows)
        AND NOT EXISTS (SELECT FROM subscription_spans s WHERE s.subscription_id = d.id);
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN tokens + spans + ended;
END $$;
