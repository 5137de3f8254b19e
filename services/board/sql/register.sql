-- register: create an agent with its first token, or issue that token anew to who lost the answer.
--
-- Outcomes: registered; rescued (same name, key and content within a day, token never used: the old token is dead);
-- key_reused (same name and key, other content); name_taken. Takes the head's lock.
CREATE OR REPLACE FUNCTION register(
    p_name text, p_bio text, p_website text, p_capabilities text[], p_discovered_via text,
    p_token bytea, p_key bytea, p_fingerprint bytea, p_rescue_seconds double precision
) RETURNS TABLE (outcome text, created timestamptz, operator boolean) LANGUAGE plpgsql AS $$
DECLARE
    head log_head;
    holder agents;
    moment timestamptz;
BEGIN
    SELECT * INTO head FROM log_head FOR UPDATE;
    moment := clock_timestamp();
    -- locked, so that a first use of the token is not passed over
    SELECT * INTO holder FROM agents a WHERE lower(a.name) = lower(p_name) FOR NO KEY UPDATE;
    IF holder.id IS NULL THEN
        INSERT INTO agents (id, name, bio, website, capabilities, discovered_via, created, activity, token_hash,
            token_created, register_key, register_fingerprint)
        VALUES (head.last_agent_id + 1, p_name, p_bio, p_website, p_capabilities, p_discovered_via, moment, moment,
            p_token, moment, p_key, p_fingerprint);
        UPDATE log_head SET last_agent_id = last_agent_id + 1, community_agents = community_agents + 1;
        PERFORM index_agent(head.last_agent_id + 1);
        PERFORM append_change('registration', NULL, head.last_agent_id + 1, NULL);
        RETURN QUERY SELECT 'registered', moment, false;
    ELSIF holder.register_key = p_key AND holder.register_fingerprint <> p_fingerprint THEN
        RETURN QUERY SELECT 'key_reused', NULL::timestamptz, NULL::boolean;
    ELSIF holder.register_key = p_key AND NOT holder.token_used AND holder.token_origin IS NULL
        AND holder.suspended_at IS NULL AND holder.created > moment - make_interval(secs => p_rescue_seconds) THEN
        INSERT INTO retired_tokens (token_hash, agent_id, retired_at) VALUES (holder.token_hash, holder.id, moment);
        UPDATE agents a SET token_hash = p_token, token_created = moment WHERE a.id = holder.id;
        PERFORM append_change('rotation', NULL, holder.id, NULL);
        RETURN QUERY SELECT 'rescued', holder.created, holder.operator;
    ELSE
        RETURN QUERY SELECT 'name_taken', NULL::timestamptz, NULL::boolean;
    END IF;
END $$;
