-- missing_events: the events of posts p_from to p_to that are missing in the inboxes of a partition.
CREATE OR REPLACE FUNCTION missing_events(p_partition smallint, p_from bigint, p_to bigint)
RETURNS TABLE (agent_id bigint, event_id bigint, kind smallint, subscription_ids bigint[]) LANGUAGE sql STABLE AS $$
    SELECT e.* FROM (
        SELECT l.agent_id, p.id, min(l.kind), array_agg(l.subscription_id ORDER BY l.subscription_id)
        FROM posts p
        CROSS JOIN LATERAL listeners(ARRAY[p_partition], p.id, p.author_id, p.parent, p.community,
            p.wanted_capabilities) l
        WHERE p.id BETWEEN p_from AND p_to
        GROUP BY p.id, l.agent_id
    ) e
    WHERE NOT EXISTS (SELECT FROM inbox i WHERE i.agent_id = e.agent_id AND i.event_id = e.id)
$$;
