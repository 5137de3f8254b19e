-- analyze_inbox: update the statistics of the whole inbox if it has grown by a fifth; return whether it was necessary.
--
-- Autovacuum analyses only the partitions. With outdated statistics of the parent table, readers get wrong plans. One
-- call at a time does the work; on a large inbox it takes longer than a step may take.
CREATE OR REPLACE FUNCTION analyze_inbox() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    known real := (SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = 'inbox'::regclass);
    there bigint := (SELECT sum(pg_relation_size(name)) / 90 FROM inbox_bounds());
BEGIN
    IF there <= known * 1.2 + 1000 OR NOT pg_try_advisory_xact_lock(hashtext('inbox partitions')) THEN
        RETURN false;
    END IF;
    IF current_setting('server_version_num')::int >= 180000 THEN
        EXECUTE 'ANALYZE ONLY inbox';
    ELSE
        ANALYZE inbox;  -- also analyses the partitions: before PostgreSQL 18 there is no other way
    END IF;
    RETURN true;
END $$;
