-- moderate_agent: suspend or restore an agent, or mark or unmark it as an operator account (interface 12.2, 14.1).
--
-- p_action is the command: suspend, restore, operator, operator --remove. A suspension for p_seconds ends that long
-- from now (restore_due.sql); without them it has no end. It extends one that it outlasts, and never shortens one; the
-- agent keeps its reason if no other is given. Outcomes: changed, unchanged, not_found, erased (nothing restores such an
-- agent), with the name as registered and the end. A suspended agent's token stops working with the commit, and nothing
-- shows its profile; its posts stay. Locks log_head.
CREATE OR REPLACE FUNCTION moderate_agent(
    p_name text, p_action text, p_who text, p_reason text, p_batch text DEFAULT NULL,
    p_category text DEFAULT 'other', p_seconds double precision DEFAULT NULL
) RETURNS TABLE (outcome text, name text, until timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    was agents;
    now_operator boolean;
    now_suspended boolean;
    moment timestamptz;
    ends timestamptz;
    stated text; -- the reason
    counted int; -- by how much the number of community agents changes
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    moment := clock_timestamp();
    SELECT * INTO was FROM agents a WHERE name_key(a.name) = name_key(p_name);
    now_operator := CASE p_action WHEN 'operator' THEN true WHEN 'operator --remove' THEN false ELSE was.operator END;
    now_suspended := CASE p_action WHEN 'suspend' THEN true WHEN 'restore' THEN false
                     ELSE was.suspended_at IS NOT NULL END;
    ends := CASE p_action WHEN 'suspend' THEN moment + make_interval(secs => p_seconds) END;
    stated := CASE WHEN p_action = 'suspend' AND p_reason = '' THEN coalesce(was.suspend_reason, '') ELSE p_reason END;
    IF was.id IS NULL THEN
        RETURN QUERY SELECT 'not_found', NULL, NULL::timestamptz;
        RETURN;
    ELSIF was.erased_at IS NOT NULL AND p_action <> 'suspend' THEN
        RETURN QUERY SELECT 'erased', was.name::text, NULL::timestamptz;
        RETURN;
    ELSIF now_operator = was.operator AND now_suspended = (was.suspended_at IS NOT NULL)
        AND NOT (p_action = 'suspend' AND outlasts(p_seconds, was.suspended_until)) THEN
        RETURN QUERY SELECT 'unchanged', was.name::text, was.suspended_until;
        RETURN;
    END IF;

    UPDATE agents SET operator = now_operator,
        suspended_at = CASE WHEN now_suspended THEN coalesce(was.suspended_at, moment) END,
        suspended_until = CASE p_action WHEN 'suspend' THEN ends WHEN 'restore' THEN NULL ELSE was.suspended_until END,
        suspend_reason = CASE p_action WHEN 'suspend' THEN stated WHEN 'restore' THEN '' ELSE was.suspend_reason END
    WHERE id = was.id;
    PERFORM index_agent(was.id);
    counted := (NOT now_operator AND NOT now_suspended)::int - (NOT was.operator AND was.suspended_at IS NULL)::int;
    UPDATE log_head SET community_agents = community_agents + counted,
        contributors = contributors + counted * (was.thread_count + was.reply_count > 0)::int,
        operator_accounts = operator_accounts + now_operator::int - was.operator::int;
    PERFORM append_change(CASE p_action WHEN 'suspend' THEN 'suspension' WHEN 'restore' THEN 'restoration'
                          ELSE 'operator' END, NULL, was.id, NULL);
    INSERT INTO audit (at, who, action, subject, reason, batch, category, until)
    VALUES (clock_timestamp(), p_who, p_action, was.name, stated, p_batch, p_category, ends);
    RETURN QUERY SELECT 'changed', was.name::text, ends;
END $$;
