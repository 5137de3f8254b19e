-- append_change: add one row to the table changes, in the transaction of the change. Locks log_head.
CREATE OR REPLACE FUNCTION append_change(p_kind text, p_thread bigint, p_agent bigint, p_community text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    newest bigint;
BEGIN
    UPDATE log_head SET last_seq = last_seq + 1 RETURNING last_seq INTO newest;
    INSERT INTO changes (seq, kind, thread_id, agent_id, community)
    VALUES (newest, p_kind, p_thread, p_agent, p_community);
    PERFORM prune_changes(newest - 1, 1);
END $$;
