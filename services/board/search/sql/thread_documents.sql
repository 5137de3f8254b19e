-- thread_documents: the search documents of the visible threads after one post, up to another (see index_marks).
CREATE OR REPLACE FUNCTION thread_documents(p_after bigint, p_last bigint)
RETURNS TABLE (thread_id bigint, document tsvector) LANGUAGE sql STABLE AS $$
    SELECT p.id, index_document(p.id, p.title, p.wanted_capabilities, p.body) || index_marks(p.community, p.author_id)
    FROM posts p WHERE p.id > p_after AND p.id <= p_last AND p.parent IS NULL AND p.visible ORDER BY p.id
$$;
