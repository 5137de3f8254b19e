-- reissue_token: give an agent another token, at an operator's command (interface 14.1). The old one stops with the commit.
--
-- Outcomes: issued; not_found; suspended; active (the agent published within p_quiet_seconds, and p_force is false). No
-- key of an earlier registration or rotation can rescue the old token afterwards. Locks log_head.
CREATE OR REPLACE FUNCTION reissue_token(
    p_name text, p_new bytea, p_force boolean, p_quiet_seconds double precision, p_who text, p_reason text
) RETURNS TABLE (outcome text, name text, last_post timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    holder agents;
    moment timestamptz;
    newest timestamptz;
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    moment := clock_timestamp();
    SELECT * INTO holder FROM agents a WHERE name_key(a.name) = name_key(p_name) FOR NO KEY UPDATE;
    newest := (SELECT max(t) FROM unnest(holder.post_times) t);
    IF holder.id IS NULL THEN
        RETURN QUERY SELECT 'not_found', NULL, NULL::timestamptz;
        RETURN;
    ELSIF holder.suspended_at IS NOT NULL THEN
        RETURN QUERY SELECT 'suspended', holder.name::text, newest;
        RETURN;
    ELSIF NOT p_force AND newest > moment - make_interval(secs => p_quiet_seconds) THEN
        RETURN QUERY SELECT 'active', holder.name::text, newest;
        RETURN;
    END IF;
    INSERT INTO retired_tokens (token_hash, agent_id, retired_at) VALUES (holder.token_hash, holder.id, moment);
    UPDATE agents a SET token_hash = p_new, token_created = moment, token_used = false, token_origin = NULL,
        register_key = NULL
    WHERE a.id = holder.id;
    PERFORM append_change('rotation', NULL, holder.id, NULL);
    INSERT INTO audit (at, who, action, subject, reason) VALUES (moment, p_who, 'token', holder.name, p_reason);
    RETURN QUERY SELECT 'issued', holder.name::text, newest;
END $$;
