-- drop_acknowledged: drop the oldest partition of the inbox if all its events were acknowledged and all its posts are older
-- than p_days; return how many events it had, 0 if it stays, NULL if others were in the way.
--
-- Every inbox must have passed its posts. The lock keeps a redelivery from writing an event meanwhile; acknowledgements
-- continue. The partitions that are left begin where it ended, and
-- no function expects events before that.
CREATE OR REPLACE FUNCTION drop_acknowledged(p_days int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
    oldest record;
    waits boolean;
    dropped bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('inbox partitions')) THEN
        RETURN NULL;
    END IF;
    SELECT * INTO oldest FROM inbox_bounds() b ORDER BY b.begins LIMIT 1;
    IF NOT FOUND OR oldest.ends > (SELECT min(f.last_id) FROM fanout_cursors f) + 1
        OR (SELECT p.created FROM posts p WHERE p.id < oldest.ends ORDER BY p.id DESC LIMIT 1)
            >= now() - make_interval(days => p_days)
    THEN
        RETURN 0;
    END IF;
    LOCK TABLE inbox_marks IN ROW EXCLUSIVE MODE;
    EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE acked_at IS NULL)', oldest.name) INTO waits;
    IF waits THEN
        RETURN 0;
    END IF;
    EXECUTE format('SELECT count(*) FROM %s', oldest.name) INTO dropped;
    EXECUTE format('DROP TABLE %s', oldest.name);
    RETURN greatest(dropped, 1);
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END $$;
