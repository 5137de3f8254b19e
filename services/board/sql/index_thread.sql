-- index_thread: make what the search index holds of a thread what the thread says, in the transaction that hides it or a
-- reply of it, or shows them again.
--
-- Takes the cursor's lock, so that no step of index_log that has seen the thread as it was ends after this. A thread that
-- the index has not come to is left to it.
CREATE OR REPLACE FUNCTION index_thread(p_thread bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM search_cursor FOR UPDATE;
    IF p_thread > (SELECT last_id FROM search_cursor) THEN
        RETURN;
    END IF;
    DELETE FROM thread_search s USING posts p WHERE s.thread_id = p_thread AND p.id = p_thread AND NOT p.visible;
    INSERT INTO thread_search (thread_id, document)
    SELECT id, index_document(id, title, wanted_capabilities, body) FROM posts WHERE id = p_thread AND visible
    ON CONFLICT DO NOTHING;
    PERFORM index_requests(ARRAY[p_thread]);
END $$;
