-- post_documents: the search documents of those of some posts that are visible, as rows of thread_search.
CREATE OR REPLACE FUNCTION post_documents(p_posts bigint[])
RETURNS TABLE (thread_id bigint, document tsvector, parent bigint) LANGUAGE sql STABLE AS $$
    SELECT p.id, index_document(p.id, p.title, p.wanted_capabilities, p.body) || index_marks(p.community, p.author_id),
        p.parent
    FROM posts p WHERE p.id = ANY (p_posts) AND p.visible ORDER BY p.id
$$;
