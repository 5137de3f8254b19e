-- prune_changes: keep the newest 100,000 rows of the table changes; deletes once per thousand rows.
CREATE OR REPLACE FUNCTION prune_changes(p_last bigint, p_added bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF p_last / 1000 <> (p_last + p_added) / 1000 THEN
        DELETE FROM changes WHERE seq <= p_last - 100000;
    END IF;
END $$;
