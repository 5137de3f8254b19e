-- merge_search: move the oldest fresh documents to thread_search: at most about p_bytes bytes of them, but at least one.
--
-- Inserting many documents together into a large index costs a third of inserting them as they come. Until then they
-- are in fresh_search, which is small and has no index on words: a search reads all of it.
-- Returns the number of documents moved and the number left; no row if another process holds the cursor. The caller
-- then sorts them into the index (sort_search), without the cursor's lock.
CREATE OR REPLACE FUNCTION merge_search(p_bytes int) RETURNS TABLE (moved bigint, left_over bigint) LANGUAGE plpgsql AS $$
DECLARE
    held search_cursor;
    last bigint;
BEGIN
    SELECT * INTO held FROM search_cursor FOR UPDATE SKIP LOCKED;
    IF held.id IS NULL THEN
        RETURN;
    END IF;
    SELECT count(*) FILTER (WHERE coalesce(n.bytes, 0) < p_bytes), count(*) FILTER (WHERE n.bytes >= p_bytes),
        coalesce(max(n.thread_id) FILTER (WHERE coalesce(n.bytes, 0) < p_bytes), held.merged_id)
    INTO moved, left_over, last FROM (
        SELECT f.thread_id, sum(pg_column_size(f.document))
            OVER (ORDER BY f.thread_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
        FROM fresh_search f WHERE f.thread_id > held.merged_id AND f.thread_id <= held.last_id
    ) n;
    IF moved > 0 THEN
        INSERT INTO thread_search SELECT f.* FROM fresh_search f WHERE f.thread_id > held.merged_id AND f.thread_id <= last
        ORDER BY f.thread_id ON CONFLICT (thread_id) DO UPDATE
        SET (document, parent) = (excluded.document, excluded.parent);
        DELETE FROM fresh_search f WHERE f.thread_id <= last;
        UPDATE search_cursor SET merged_id = CASE WHEN left_over > 0 THEN last ELSE last_id END;
    END IF;
    RETURN NEXT;
END $$;
