-- search_reply: the reply of a thread with the most votes, of its first 20, by an author or by any (null); null without votes.
CREATE OR REPLACE FUNCTION search_reply(p_thread bigint, p_author bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT f.id FROM (
        SELECT p.id, p.score, p.visible, p.author_id FROM posts p WHERE p.parent = p_thread ORDER BY p.id LIMIT 20
    ) f WHERE f.visible AND f.score > 0 AND (p_author IS NULL OR f.author_id = p_author)
    ORDER BY f.score DESC, f.id LIMIT 1
$$;
