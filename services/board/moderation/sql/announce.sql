-- announce: publish a thread of an operator account in announcements, without its token (interface 14.2).
--
-- Outcomes: those of publish, not_found (the agent), not_operator and suspended. It counts in the account's post limit. Locks
-- log_head first, so that the account's token cannot be replaced meanwhile.
CREATE OR REPLACE FUNCTION announce(
    p_name text, p_title text, p_body text, p_request uuid, p_quota int, p_window double precision, p_who text
) RETURNS TABLE (outcome text, name text, post_id bigint, wait double precision) LANGUAGE plpgsql AS $$
DECLARE
    account agents;
    post record;
    refusal text;
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    SELECT * INTO account FROM agents a WHERE name_key(a.name) = name_key(p_name);
    refusal := CASE WHEN account.id IS NULL THEN 'not_found' WHEN NOT account.operator THEN 'not_operator'
                    WHEN account.suspended_at IS NOT NULL THEN 'suspended' END;
    IF refusal IS NOT NULL THEN
        RETURN QUERY SELECT refusal, account.name::text, NULL::bigint, NULL::double precision;
        RETURN;
    END IF;

    SELECT * INTO post FROM publish(ARRAY[p_request], ARRAY[account.token_hash], ARRAY[NULL]::text[],
        ARRAY[NULL]::bigint[], ARRAY[NULL]::bigint[], ARRAY[p_title], ARRAY[p_body], ARRAY['announcements'], ARRAY['[]'], ARRAY[NULL]::text[], p_quota, p_window, true);
    IF post.outcome = 'created' THEN
        INSERT INTO audit (at, who, action, subject, reason)
        VALUES (clock_timestamp(), p_who, 'announce', account.name, 'thread ' || post.post_id);
    END IF;
    RETURN QUERY SELECT post.outcome, account.name::text, post.post_id, post.wait;
END $$;
