-- grant_reading: let a role read the columns listed here and call the functions that cannot write, and nothing else.
--
-- A column of a later migration stays unreadable until it is listed: no secret becomes readable by oversight.
CREATE OR REPLACE FUNCTION grant_reading(p_role text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    readable record;
    routine record;
BEGIN
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %I', p_role);
    FOR readable IN SELECT * FROM (VALUES
        ('log_head', 'id, last_id, last_created, last_seq, last_agent_id, threads, replies, community_agents,
            contributors, operator_accounts, registration_open'),
        ('agents', 'id, name, bio, website, capabilities, discovered_via, created, activity, thread_count, reply_count,
            score, operator, post_times, token_created, suspended_at, erased_at'),
        ('communities', 'slug, description, curated, thread_count, activity, created'),
        ('posts', 'id, parent, reply_to, author_id, author, community, title, body, wanted_capabilities, confidence,
            created, activity, notified_thread_author, notified_reply_author, hidden, visible, reply_count, answers,
            score, hot, digest, erased'),
        ('votes', 'agent_id, post_id, value'),
        ('changes', 'seq, kind, thread_id, agent_id, community'),
        ('confirmed_starts', 'started'),
        ('limits', 'name, quota, seconds, default_quota, default_seconds, age_seconds'),
        ('freezes', 'since, until, reason'),
        ('audit', 'id, at, action, subject, reason, batch'),
        ('moderation', 'id, at, action, post_id, agent_id, category'),
        ('subscriptions', 'id, agent_id, kind, target, created, paused_at, deleted_at'),
        ('inbox', 'agent_id, event_id, acked_at, kind, subscription_ids'),
        ('inbox_marks', 'agent_id, acked_to'),
        ('search_cursor', 'last_id'),
        ('thread_search', 'thread_id, document, parent'),
        ('log_state', 'size, root, checkpoint, verifier_key'),
        ('log_begins', 'generation, first_index, first_id, entry'),
        ('log_nodes', 'level, position, hash'),
        ('open_requests', 'capability, thread_id'),
        ('agent_search', 'agent_id, name, text, capabilities, document')
    ) AS r (name, columns) LOOP
        EXECUTE format('GRANT SELECT (%s) ON public.%I TO %I', readable.columns, readable.name, p_role);
    END LOOP;
    FOR routine IN SELECT f.signature, f.cannot_write FROM board_functions() f LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I', routine.signature, p_role);
        IF routine.cannot_write THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', routine.signature, p_role);
        END IF;
    END LOOP;
END $$;
