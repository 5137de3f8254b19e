-- index_posts: update the search index for a thread and some of its posts, in the transaction that hides or shows them.
--
-- Locks search_cursor, so that a step of index_log that read their old state cannot end after this. Posts that the index
-- has not reached are left to it.
CREATE OR REPLACE FUNCTION index_posts(p_posts bigint[], p_thread bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held search_cursor;
BEGIN
    SELECT * INTO held FROM search_cursor FOR UPDATE;
    DELETE FROM thread_search s USING posts p WHERE s.thread_id = ANY (p_posts) AND p.id = s.thread_id AND NOT p.visible;
    INSERT INTO thread_search SELECT * FROM post_documents(ARRAY(
        SELECT n FROM unnest(p_posts) AS n WHERE n <= held.last_id)) ON CONFLICT DO NOTHING;
    IF p_thread <= held.last_id THEN
        PERFORM index_requests(ARRAY[p_thread]);
    END IF;
END $$;
