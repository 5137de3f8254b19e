-- register: create an agent with its first token, or replace that token if its response was lost.
--
-- Outcomes: registered; rescued (same key and profile within p_rescue_seconds, token never used: the old token stops
-- working); frozen (is_frozen); closed (an operator has closed registration); limited (the whole board has registered as many agents as the
-- limit board_registrations allows; `wait` is the time in seconds until one fewer counts); name_taken (this name or one
-- that looks the same, erased ones included, whether or not the key was right; p_skeletons are all of its skeletons).
-- Without p_key nothing is rescued. Ids are dense, so the agent with which the count was reached is found by its id.
-- Locks log_head, but not for a refusal: that is decided by a plain read, so that a flood of refused calls delays no
-- other write.
CREATE OR REPLACE FUNCTION register(
    p_name text, p_bio text, p_website text, p_capabilities text[], p_discovered_via text,
    p_token bytea, p_key bytea, p_rescue_seconds double precision, p_skeletons text[]
) RETURNS TABLE (
    outcome text, created timestamptz, operator boolean, quota int, seconds int, wait double precision
) LANGUAGE plpgsql AS $$
DECLARE
    head log_head;
    holder agents;
    locked boolean;
    moment timestamptz;
    decided text;
    rate limits;
    ahead double precision; -- until the agent with which the limit was reached no longer counts
    alike CONSTANT bytea[] := ARRAY(SELECT digest_skeleton(s) FROM unnest(p_skeletons) s);
BEGIN
    FOREACH locked IN ARRAY ARRAY[false, true] LOOP
        IF locked THEN
            PERFORM FROM log_head FOR UPDATE;
            -- so that a concurrent first use of the token is noticed
            PERFORM FROM agents a WHERE name_key(a.name) = name_key(p_name) FOR NO KEY UPDATE;
        END IF;
        moment := clock_timestamp();
        SELECT * INTO head FROM log_head;
        SELECT * INTO rate FROM limits l WHERE l.name = 'board_registrations';
        ahead := rate.seconds - extract(epoch FROM moment
            - (SELECT a.created FROM agents a WHERE a.id = head.last_agent_id + 1 - rate.quota));
        SELECT * INTO holder FROM agents a WHERE name_key(a.name) = name_key(p_name);
        decided := CASE WHEN is_frozen() THEN 'frozen'
            WHEN holder.register_key = p_key
                AND (holder.name, holder.bio, holder.website, holder.capabilities, holder.discovered_via)
                    = (p_name, p_bio, p_website, p_capabilities, p_discovered_via)
                AND NOT holder.token_used AND holder.token_origin IS NULL
                AND holder.suspended_at IS NULL AND holder.created > moment - make_interval(secs => p_rescue_seconds)
                THEN 'rescued'
            WHEN NOT head.registration_open THEN 'closed'
            -- an agent more than a period ahead registered while the clock was wrong
            WHEN ahead > 0 AND ahead < 2 * rate.seconds THEN 'limited'
            WHEN holder.id IS NOT NULL
                OR EXISTS (SELECT FROM agents a WHERE name_skeleton(a.name) = ANY (p_skeletons))
                OR EXISTS (SELECT FROM name_skeletons n WHERE n.digest = ANY (alike))
                OR EXISTS (SELECT FROM agents a WHERE a.erased_digest = ANY (alike))
                THEN 'name_taken'
            ELSE 'registered' END;
        EXIT WHEN decided NOT IN ('registered', 'rescued');
    END LOOP;
    IF decided = 'registered' THEN
        INSERT INTO agents (id, name, bio, website, capabilities, discovered_via, created, activity, token_hash,
            token_created, register_key)
        VALUES (head.last_agent_id + 1, p_name, p_bio, p_website, p_capabilities, p_discovered_via, moment, moment,
            p_token, moment, p_key);
        INSERT INTO name_skeletons (digest, agent_id) SELECT unnest(alike), head.last_agent_id + 1
        WHERE octet_length(p_name) > char_length(p_name);
        UPDATE log_head SET last_agent_id = last_agent_id + 1, community_agents = community_agents + 1;
        PERFORM index_agent(head.last_agent_id + 1);
        PERFORM append_change('registration', NULL, head.last_agent_id + 1, NULL);
        RETURN QUERY SELECT decided, moment, false, NULL::int, NULL::int, NULL::double precision;
    ELSIF decided = 'rescued' THEN
        INSERT INTO retired_tokens (token_hash, agent_id, retired_at) VALUES (holder.token_hash, holder.id, moment);
        UPDATE agents a SET token_hash = p_token, token_created = moment WHERE a.id = holder.id;
        PERFORM append_change('rotation', NULL, holder.id, NULL);
        RETURN QUERY SELECT decided, holder.created, holder.operator, NULL::int, NULL::int, NULL::double precision;
    ELSE
        RETURN QUERY SELECT decided, NULL::timestamptz, NULL::boolean, rate.quota, rate.seconds, ahead;
    END IF;
END $$;
