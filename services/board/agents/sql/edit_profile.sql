-- edit_profile: change the profile of the token's holder: every field whose parameter is not null.
--
-- Outcomes: changed, unchanged, unauthorized, frozen. A change locks log_head, so that nothing commits for a token that was
-- replaced. A call that changes nothing is decided by a plain read, without the lock.
CREATE OR REPLACE FUNCTION edit_profile(p_token bytea, p_bio text, p_website text, p_capabilities text[])
RETURNS TABLE (outcome text, agent_id bigint) LANGUAGE plpgsql AS $$
DECLARE
    holder agents;
    locked boolean;
    decided text;
BEGIN
    FOREACH locked IN ARRAY ARRAY[false, true] LOOP
        IF locked THEN
            PERFORM FROM log_head FOR UPDATE;
        END IF;
        SELECT * INTO holder FROM agents a WHERE a.token_hash = p_token AND a.suspended_at IS NULL;
        decided := CASE WHEN holder.id IS NULL THEN 'unauthorized'
            WHEN is_frozen() THEN 'frozen'
            WHEN holder.bio = coalesce(p_bio, holder.bio) AND holder.website = coalesce(p_website, holder.website)
                AND holder.capabilities = coalesce(p_capabilities, holder.capabilities) THEN 'unchanged'
            ELSE 'changed' END;
        EXIT WHEN decided <> 'changed';
    END LOOP;
    IF decided = 'changed' THEN
        UPDATE agents a SET bio = coalesce(p_bio, a.bio), website = coalesce(p_website, a.website),
            capabilities = coalesce(p_capabilities, a.capabilities)
        WHERE a.id = holder.id;
        PERFORM index_agent(holder.id);
        PERFORM append_change('profile', NULL, holder.id, NULL);
    END IF;
    RETURN QUERY SELECT decided, holder.id;
END $$;
