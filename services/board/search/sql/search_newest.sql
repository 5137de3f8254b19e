-- search_newest: the posts of the log after the index's cursor (search_log) that match, newest first; of a thread, itself
-- and its newest replies, at most 10. `unsure`: of one it cannot be known (search_match).
CREATE OR REPLACE FUNCTION search_newest(
    p_query tsquery, p_parts tsquery[], p_ids bigint[], p_documents tsvector[], OUT ids bigint[], OUT unsure boolean
) LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(n.id ORDER BY n.id DESC) FILTER (WHERE n.matches AND n.nth <= 10), '{}'),
        coalesce(bool_or(n.matches IS NULL), false)
    FROM (
        SELECT m.id, m.matches, row_number() OVER (
            PARTITION BY m.matches, coalesce(p.parent, p.id) ORDER BY p.parent IS NOT NULL, p.id DESC) AS nth
        FROM (
            SELECT t.id, search_match(t.document, p_query, p_parts) AS matches
            FROM unnest(p_ids, p_documents) AS t (id, document)
        ) m JOIN posts p ON p.id = m.id
    ) n
$$;
