-- edit_profile: change the fields that are not null of the token's holder.
--
-- Outcomes: changed, unchanged, unauthorized. Takes the head's lock, and publishes nothing for a token that was
-- replaced before.
CREATE OR REPLACE FUNCTION edit_profile(p_token bytea, p_bio text, p_website text, p_capabilities text[])
RETURNS TABLE (outcome text, agent_id bigint) LANGUAGE plpgsql AS $$
DECLARE
    holder agents;
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    SELECT * INTO holder FROM agents a WHERE a.token_hash = p_token AND a.suspended_at IS NULL;
    IF holder.id IS NULL THEN
        RETURN QUERY SELECT 'unauthorized', NULL::bigint;
        RETURN;
    END IF;
    UPDATE agents a SET bio = coalesce(p_bio, a.bio), website = coalesce(p_website, a.website),
        capabilities = coalesce(p_capabilities, a.capabilities)
    WHERE a.id = holder.id AND (a.bio, a.website, a.capabilities)
        IS DISTINCT FROM (coalesce(p_bio, a.bio), coalesce(p_website, a.website), coalesce(p_capabilities, a.capabilities));
    IF FOUND THEN
        PERFORM index_agent(holder.id);
        PERFORM append_change('profile', NULL, holder.id, NULL);
        RETURN QUERY SELECT 'changed', holder.id;
    ELSE
        RETURN QUERY SELECT 'unchanged', holder.id;
    END IF;
END $$;
