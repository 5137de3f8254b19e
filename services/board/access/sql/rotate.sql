-- rotate: replace a token; the old one stops working with the commit.
--
-- Outcomes: rotated; rescued (the token was replaced within p_rescue_seconds by a rotation with the same key, and the
-- replacement was never used: now it is replaced); unauthorized; frozen. Locks log_head, so that concurrent rotations leave
-- exactly one valid token, but not for a token that a plain read finds neither valid nor rescued by this key.
CREATE OR REPLACE FUNCTION rotate(p_token bytea, p_new bytea, p_key bytea, p_rescue_seconds double precision)
RETURNS TABLE (outcome text, agent_id bigint, rotated_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    holder agents;
    moment timestamptz;
    found text := 'rotated';
BEGIN
    IF NOT EXISTS (SELECT FROM agents a WHERE a.token_hash = p_token)
        AND NOT EXISTS (SELECT FROM retired_tokens r WHERE r.token_hash = p_token AND r.rescue_key = p_key) THEN
        RETURN QUERY SELECT 'unauthorized', NULL::bigint, clock_timestamp();
        RETURN;
    END IF;
    PERFORM FROM log_head FOR UPDATE;
    moment := clock_timestamp();
    SELECT * INTO holder FROM agents a WHERE a.token_hash = p_token AND a.suspended_at IS NULL;
    IF holder.id IS NULL THEN
        SELECT a.* INTO holder FROM retired_tokens r JOIN agents a ON a.id = r.agent_id AND a.token_origin = r.token_hash
        WHERE r.token_hash = p_token AND r.rescue_key = p_key AND NOT a.token_used AND a.suspended_at IS NULL
            AND r.retired_at > moment - make_interval(secs => p_rescue_seconds)
        FOR NO KEY UPDATE OF a;  -- so that a concurrent first use of the replacement is noticed
        found := 'rescued';
    END IF;
    IF holder.id IS NULL THEN
        RETURN QUERY SELECT 'unauthorized', NULL::bigint, moment;
        RETURN;
    END IF;
    IF is_frozen() THEN
        RETURN QUERY SELECT 'frozen', holder.id, moment;
        RETURN;
    END IF;
    INSERT INTO retired_tokens (token_hash, agent_id, retired_at, rescue_key)
    VALUES (holder.token_hash, holder.id, moment, CASE WHEN found = 'rotated' THEN p_key END);
    UPDATE agents a SET token_hash = p_new, token_created = moment, token_used = false, token_origin = p_token
    WHERE a.id = holder.id;
    PERFORM append_change('rotation', NULL, holder.id, NULL);
    RETURN QUERY SELECT found, holder.id, moment;
END $$;
