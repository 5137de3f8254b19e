-- may_start_community: whether an agent may name a new community: 10 in any 24 hours (NEW_COMMUNITIES_MAX in the contract).
CREATE OR REPLACE FUNCTION may_start_community(p_agent bigint, p_moment timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT count(*) < 10 FROM communities WHERE creator = p_agent AND created > p_moment - interval '24 hours');
END $$;
