-- search_posts: posts in the index that match, with their threads; at most p_most, and one more if there are more.
CREATE OR REPLACE FUNCTION search_posts(p_query tsquery, p_most int, OUT ids bigint[], OUT threads bigint[])
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT coalesce(array_agg(f.id), '{}'), coalesce(array_agg(f.thread), '{}') INTO ids, threads FROM (
        SELECT s.thread_id AS id, coalesce(s.parent, s.thread_id) AS thread FROM thread_search s
        WHERE s.document @@ p_query LIMIT p_most + 1
    ) f;
END $$;
