-- search_log: the visible posts after the index's cursor, newest first, with their threads and documents. Filters as in
-- search_threads.
--
-- The index usually has all posts but the newest few. If it stops, this reads about 2 MB of text and is
-- incomplete if there is more. The cost of a body is that of its normal form, which can have eleven times its bytes;
-- a further byte of a character counts twice, because a text without spaces has a word for each pair of characters.
CREATE OR REPLACE FUNCTION search_log(
    p_indexed bigint, p_community text, p_author bigint, p_first bigint,
    OUT ids bigint[], OUT threads bigint[], OUT documents tsvector[], OUT incomplete boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    post_bytes CONSTANT int := 100; -- the cost of a post besides its body
    bytes int := 2000000;
    post record;
    form text;
BEGIN
    ids := '{}';
    threads := '{}';
    documents := '{}';
    incomplete := false;
    FOR post IN SELECT p.id, coalesce(p.parent, p.id) AS thread, p.title, p.wanted_capabilities, p.body,
            p.visible AND coalesce(p.parent, p.id) >= p_first AND (p_community IS NULL OR p.community = p_community)
                AND (p_author IS NULL OR p.author_id = p_author) AS wanted
        FROM posts p
        WHERE p.id > p_indexed AND p.id >= p_first ORDER BY p.id DESC LIMIT 20001
    LOOP
        incomplete := bytes <= 0;
        EXIT WHEN incomplete;
        bytes := bytes - post_bytes;
        CONTINUE WHEN NOT post.wanted;
        form := normalize(post.body, NFKC);
        bytes := bytes - 2 * octet_length(form) + char_length(form);
        ids := ids || post.id;
        threads := threads || post.thread;
        documents := documents || index_document(post.id, post.title, post.wanted_capabilities, post.body);
    END LOOP;
END $$;

-- search_newest: the posts of the log after the index's cursor (search_log) that match, newest first, with their threads; of
-- a thread, itself and its newest replies, at most 10.
CREATE OR REPLACE FUNCTION search_newest(
    p_query tsquery, p_ids bigint[], p_threads bigint[], p_documents tsvector[], OUT ids bigint[], OUT threads bigint[]
) LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT coalesce(array_agg(n.id ORDER BY n.id DESC), '{}'), coalesce(array_agg(n.thread ORDER BY n.id DESC), '{}')
    INTO ids, threads FROM (
        SELECT t.id, t.thread,
            row_number() OVER (PARTITION BY t.thread ORDER BY t.id <> t.thread, t.id DESC) AS place
        FROM unnest(p_ids, p_threads, p_documents) AS t (id, thread, document) WHERE t.document @@ p_query
    ) n WHERE n.place <= 10;
END $$;
