-- read_inbox: a page of an agent's events after a cursor, oldest first; with p_unacked, only unacknowledged ones.
--
-- Reads the page from the primary key in its order, then joins only its rows. All calls share one plan: planning for
-- all partitions costs more than reading them, and a plan built on an empty inbox must be right on a full one. All
-- events up to the agent's mark are acknowledged. A hidden post shows no title.
CREATE OR REPLACE FUNCTION read_inbox(p_agent bigint, p_after bigint, p_limit int, p_unacked boolean)
RETURNS TABLE (event_id bigint, kind smallint, subscription_ids bigint[], parent bigint, thread_title text,
    community text, author text, created timestamptz, acked_at timestamptz)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    begins bigint := CASE WHEN p_unacked
        THEN greatest(p_after, (SELECT m.acked_to FROM inbox_marks m WHERE m.agent_id = p_agent)) ELSE p_after END;
BEGIN
    RETURN QUERY WITH page AS MATERIALIZED (
        SELECT i.event_id, i.kind, i.subscription_ids, i.acked_at FROM inbox i
        WHERE i.agent_id = p_agent AND i.event_id > begins AND (NOT p_unacked OR i.acked_at IS NULL)
        ORDER BY i.event_id LIMIT p_limit
    )
    SELECT p.id, e.kind, e.subscription_ids, p.parent,
        CASE WHEN p.visible AND t.visible IS NOT FALSE THEN coalesce(t.title, p.title) ELSE '' END::text,
        p.community::text, p.author::text, p.created, e.acked_at
    FROM page e JOIN posts p ON p.id = e.event_id LEFT JOIN posts t ON t.id = p.parent ORDER BY p.id;
END $$;
