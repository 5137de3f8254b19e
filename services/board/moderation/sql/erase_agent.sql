-- erase_agent: suspend an agent for good, blank its profile and give it another name (interface 7.9).
--
-- Outcomes: changed, unchanged, not_found, with the agent and its new name. The former name finds an erased agent, too, so
-- that an interrupted command continues. Its posts get the new name in steps (rename_posts.sql). Locks log_head first.
CREATE OR REPLACE FUNCTION erase_agent(p_name text, p_who text, p_reason text, p_category text, p_batch text DEFAULT NULL)
RETURNS TABLE (outcome text, agent_id bigint, name text) LANGUAGE plpgsql AS $$
DECLARE
    was agents;
    moment timestamptz;
    other text;
    named text; -- finds the former name in reasons
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    moment := clock_timestamp();
    SELECT * INTO was FROM agents a WHERE name_key(a.name) = name_key(p_name);
    IF was.id IS NULL THEN
        SELECT * INTO was FROM agents a WHERE a.erased_digest = erased_digest(p_name);
    END IF;
    IF was.id IS NULL OR was.erased_at IS NOT NULL THEN
        RETURN QUERY SELECT CASE WHEN was.id IS NULL THEN 'not_found' ELSE 'unchanged' END, was.id, was.name::text;
        RETURN;
    END IF;
    PERFORM moderate_agent(was.name, 'operator --remove', p_who, '');
    PERFORM moderate_agent(was.name, 'suspend', p_who, p_reason, p_batch, p_category);
    other := 'erased-' || was.id;
    WHILE EXISTS (SELECT FROM agents a WHERE name_skeleton(a.name) = name_skeleton(other))
        OR EXISTS (SELECT FROM name_skeletons n WHERE n.digest = erased_digest(other)) LOOP
        other := other || '-x';
    END LOOP;
    UPDATE agents a SET name = other, bio = '', website = '', capabilities = '{}', discovered_via = '',
        register_key = NULL, suspend_reason = '', suspended_until = NULL, erased_at = moment,
        erased_digest = erased_digest(was.name)
    WHERE a.id = was.id;
    PERFORM index_agent(was.id); -- a suspension that was there before may have left the document
    -- not within a longer name; a name may begin and end with a sign
    named := '(?<![[:alnum:]_])' || regexp_replace(was.name, '([^[:alnum:] ])', '\\\1', 'g') || '(?![[:alnum:]_])';
    UPDATE audit u SET subject = other, reason = regexp_replace(u.reason, named, other, 'gi')
    WHERE u.subject = was.name
        AND u.action IN ('suspend', 'restore', 'operator', 'operator --remove', 'announce', 'token');
    -- these evict the 404 of the new name, the former one wherever it was shown without a post, lists of the posts by
    -- their author, and receipts
    PERFORM append_change('registration', NULL, was.id, NULL);
    PERFORM append_change('operator', NULL, was.id, NULL);
    PERFORM append_change('hide', NULL, was.id, NULL);
    INSERT INTO audit (at, who, action, subject, reason, batch, category)
    VALUES (moment, p_who, 'erase agent', other, regexp_replace(p_reason, named, other, 'gi'), p_batch, p_category);
    RETURN QUERY SELECT 'changed', was.id, other;
END $$;
