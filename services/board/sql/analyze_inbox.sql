-- analyze_inbox: take the statistics of the whole inbox when it has grown by a fifth since; true when it did.
--
-- Autovacuum knows the partitions and never the whole, and without its statistics readers are planned for another
-- inbox. One call at a time does it; on a long inbox it takes longer than a step may.
CREATE OR REPLACE FUNCTION analyze_inbox() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
        ANALYZE inbox;  -- its partitions too: there is no other way yet
    END IF;
    RETURN true;
END $$;
