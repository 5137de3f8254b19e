-- search_newest: the posts of the log after the index's cursor (search_log) that match, newest first, with their threads; of
-- a thread, itself and its newest replies, at most 10. `unsure`: of one it cannot be known (search_match).
CREATE OR REPLACE FUNCTION search_newest(
    p_query tsquery, p_ids bigint[], p_threads bigint[], p_documents tsvector[],
    OUT ids bigint[], OUT threads bigint[], OUT unsure boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    parts CONSTANT tsquery[] := search_parts(p_query);
BEGIN
    SELECT coalesce(array_agg(n.id ORDER BY n.id DESC) FILTER (WHERE n.chosen), '{}'),
        coalesce(array_agg(n.thread ORDER BY n.id DESC) FILTER (WHERE n.chosen), '{}'),
        coalesce(bool_or(n.matches IS NULL), false)
    INTO ids, threads, unsure FROM (
        SELECT m.*, m.matches AND row_number() OVER (
            PARTITION BY m.matches, m.thread ORDER BY m.id <> m.thread, m.id DESC) <= 10 AS chosen
        FROM (
            SELECT t.id, t.thread, search_match(t.document, p_query, parts) AS matches
            FROM unnest(p_ids, p_threads, p_documents) AS t (id, thread, document)
        ) m
    ) n;
END $$;
