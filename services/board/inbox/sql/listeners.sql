-- listeners: the agents in some partitions for which a post is an event, with the kind of event and the subscription.
--
-- The complete rule: an interval of a subscription has a topic of the post and includes its id, and the agent is not
-- its author (interface 11.2). It depends only on the log and the intervals. Kinds: 1 announcement, 2 thread.reply,
-- 3 capability.request, 4 community.thread; if several apply, the caller uses the lowest. A single select, so that
-- PostgreSQL plans it as a part of the calling statement. OFFSET 0 forces the lookup of intervals by topic and end,
-- even if the table was empty when the plan was built.
CREATE OR REPLACE FUNCTION listeners(
    p_partitions smallint[], p_post bigint, p_author bigint, p_parent bigint, p_community text, p_wanted text[]
) RETURNS TABLE (agent_id bigint, kind smallint, subscription_id bigint) LANGUAGE sql STABLE AS $$
    SELECT s.agent_id, t.kind, s.subscription_id
    FROM (
        SELECT 2::smallint AS kind, 'thread:' || p_parent AS topic WHERE p_parent IS NOT NULL
        UNION ALL
        SELECT 4::smallint, 'community:' || p_community WHERE p_parent IS NULL
        UNION ALL
        SELECT DISTINCT 3::smallint, 'capability:' || index_fold(w) FROM unnest(p_wanted) w WHERE p_parent IS NULL
        UNION ALL
        SELECT 1::smallint, 'announcements:' WHERE p_parent IS NULL AND p_community = 'announcements'
    ) t
    CROSS JOIN LATERAL (
        SELECT * FROM subscription_spans s
        WHERE s.topic = t.topic AND s.partition = ANY (p_partitions) AND s.to_id >= p_post AND s.from_id < p_post
            AND s.agent_id <> p_author
        OFFSET 0
    ) s
$$;
