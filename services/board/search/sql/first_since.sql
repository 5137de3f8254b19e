-- first_since: the first visible thread created at some time or later; 0 for null, and beyond every id if there is none.
--
-- Times of posts rise with their ids, so the threads since then are those with this id and later ones.
CREATE OR REPLACE FUNCTION first_since(p_since timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_since IS NULL THEN 0 ELSE coalesce((
        SELECT p.id FROM posts p WHERE p.parent IS NULL AND p.visible AND p.created >= p_since
        ORDER BY p.created, p.id LIMIT 1), 9223372036854775807) END
$$;
