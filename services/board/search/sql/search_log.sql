-- search_log: the visible threads after the index's cursor, newest first, with their documents. Filters as in
-- search_threads.
--
-- The index usually has all threads but the newest few. If it stands still, this reads about 2 MB of text and is
-- incomplete if there is more. Reads in the order of an index that has no replies; times rise with ids.
CREATE OR REPLACE FUNCTION search_log(
    p_indexed bigint, p_community text, p_author bigint, p_first bigint,
    OUT ids bigint[], OUT documents tsvector[], OUT incomplete boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    thread_bytes CONSTANT int := 100; -- the cost of a thread besides its body
    bytes int := 2000000;
    thread record;
BEGIN
    ids := '{}';
    documents := '{}';
    incomplete := false;
    FOR thread IN SELECT p.id, p.title, p.wanted_capabilities, p.body,
            (p_community IS NULL OR p.community = p_community) AND (p_author IS NULL OR p.author_id = p_author) AS wanted
        FROM posts p
        WHERE p.parent IS NULL AND p.visible ORDER BY p.created DESC, p.id DESC LIMIT 20001
    LOOP
        EXIT WHEN thread.id <= p_indexed OR thread.id < p_first;
        incomplete := bytes <= 0;
        EXIT WHEN incomplete;
        bytes := bytes - thread_bytes;
        CONTINUE WHEN NOT thread.wanted;
        bytes := bytes - octet_length(thread.body);
        ids := ids || thread.id;
        documents := documents || index_document(thread.id, thread.title, thread.wanted_capabilities, thread.body);
    END LOOP;
END $$;
