-- index_thread: update the search index for a thread, in the transaction that hides or shows it or a reply in it.
--
-- Locks search_cursor, so that a step of index_log that read the old state of the thread cannot end after this. A
-- thread that the index has not reached is left to it.
CREATE OR REPLACE FUNCTION index_thread(p_thread bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM search_cursor FOR UPDATE;
    IF p_thread > (SELECT last_id FROM search_cursor) THEN
        RETURN;
    END IF;
    DELETE FROM thread_search s USING posts p WHERE s.thread_id = p_thread AND p.id = p_thread AND NOT p.visible;
    DELETE FROM fresh_search s USING posts p WHERE s.thread_id = p_thread AND p.id = p_thread AND NOT p.visible;
    IF p_thread > (SELECT merged_id FROM search_cursor) THEN
        INSERT INTO fresh_search SELECT * FROM thread_documents(p_thread - 1, p_thread) ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO thread_search SELECT * FROM thread_documents(p_thread - 1, p_thread) ON CONFLICT DO NOTHING;
    END IF;
    PERFORM index_requests(ARRAY[p_thread]);
END $$;
