-- make_inbox_partitions: create partitions of the inbox for at least the next 50,000 posts; return how many.
--
-- A partition should hold about three million rows: in a larger one, a post with many listeners touches and logs a page
-- of the index for nearly every row. The last two partitions show how many posts that is. Partitions are created first
-- and then attached, because creating them in place would block readers. One call at a time creates them.
CREATE OR REPLACE FUNCTION make_inbox_partitions() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    head bigint;
    begins bigint;
    ends bigint;
    posts bigint;
    rows bigint;
    made int := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('inbox partitions')) THEN
        RETURN 0;
    END IF;
    SELECT last_id INTO head FROM log_head;
    SELECT coalesce(max(b.ends), 0) INTO begins FROM inbox_bounds() b;
    SELECT head - min(b.begins) + 1, sum(pg_relation_size(b.name)) / 90 INTO posts, rows
    FROM (SELECT * FROM inbox_bounds() b WHERE b.begins <= head ORDER BY b.begins DESC LIMIT 2) b;
    WHILE begins <= head + 50000 LOOP
        ends := greatest(begins, head) + CASE WHEN rows > 0
            THEN greatest(10000, least(1000000, 3000000 * posts / rows)) ELSE 100000 END;
        EXECUTE format('CREATE TABLE public.inbox_%s (LIKE inbox INCLUDING ALL) WITH (fillfactor = 90)', begins);
        EXECUTE format('ALTER TABLE inbox ATTACH PARTITION inbox_%s FOR VALUES FROM (%s) TO (%s)', begins, begins, ends);
        begins := ends;
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;
