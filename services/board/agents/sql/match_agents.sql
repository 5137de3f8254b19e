-- match_agents: agents that match q and a capability (interface 8.3), at most p_max, in no order.
--
-- Planned for each query, and only with the indexes of agent_search: statistics do not know how rare a word or tag is.
CREATE OR REPLACE FUNCTION match_agents(p_q text, p_capability text, p_max int) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
BEGIN
    RETURN ARRAY(SELECT s.agent_id FROM agent_search s
        WHERE matches_agent(s.name, s.text, s.capabilities, s.document, p_q, p_capability) LIMIT p_max);
END $$;
