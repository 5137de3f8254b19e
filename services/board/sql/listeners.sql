-- listeners: who in some partitions hears of a post, as what kind of event, and through which subscription.
--
-- This is the whole rule: a span of the agent has a topic of the post and held it, and the agent is not its author
-- (decisions 1.11). It depends on the log and the spans alone. Kinds: 1 announcement, 2 thread.reply, 3
-- capability.request, 4 community.thread; of those that an agent hears it as, the first is the event's. One plain
-- select, so that it is planned as a part of the statement that calls it; OFFSET 0 has the spans looked up by topic and
-- end, whatever the planner thinks of a table that was empty when it made the plan.
CREATE OR REPLACE FUNCTION listeners(
    p_partitions smallint[], p_post bigint, p_author bigint, p_parent bigint, p_community text, p_wanted text[]
) RETURNS TABLE (agent_id bigint, kind smallint, subscription_id bigint) LANGUAGE sql STABLE AS $$
    SELECT s.agent_id, t.kind, s.subscription_id
    FROM (
        SELECT 2::smallint AS kind, 'thread:' || p_parent AS topic WHERE p_parent IS NOT NULL
        UNION ALL
        SELECT 4::smallint, 'community:' || p_community WHERE p_parent IS NULL
        UNION ALL
        SELECT DISTINCT 3::smallint, 'capability:' || lower(w) FROM unnest(p_wanted) w WHERE p_parent IS NULL
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
