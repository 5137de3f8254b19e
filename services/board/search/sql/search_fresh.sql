-- search_fresh: the newest posts after p_merged, up to p_indexed, whose documents are fresh (merge_search) and match,
-- at most p_enough, with their threads; of a thread, itself and its newest replies, at most 10. p_parts as in
-- search_match, filters as in search_documents.
--
-- Reads all these documents, usually some hundreds. If the fan-out does not move them, or the query is long, it reads
-- the newest and is incomplete if there are more.
CREATE OR REPLACE FUNCTION search_fresh(
    p_query tsquery, p_parts tsquery[], p_merged bigint, p_indexed bigint, p_enough int, p_marks tsquery, p_first bigint,
    OUT ids bigint[], OUT threads bigint[], OUT incomplete boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    reads_max CONSTANT int := CASE WHEN cardinality(p_parts) = 0 THEN 5000
        ELSE greatest(500, least(5000, 20000 / numnode(p_query))) END;
    wanted CONSTANT tsquery := coalesce(p_query && p_marks, p_query);
BEGIN
    SELECT coalesce(array_agg(m.id ORDER BY m.id DESC) FILTER (WHERE m.chosen), '{}'),
        coalesce(array_agg(m.thread ORDER BY m.id DESC) FILTER (WHERE m.chosen), '{}'),
        coalesce(bool_or(m.matches IS NULL), false) OR count(*) > reads_max
    INTO ids, threads, incomplete FROM (
        SELECT n.*, n.matches AND row_number() OVER (
            PARTITION BY n.matches, n.thread ORDER BY n.id <> n.thread, n.id DESC) <= 10 AS chosen
        FROM (
            SELECT f.thread_id AS id, coalesce(f.parent, f.thread_id) AS thread,
                CASE WHEN cardinality(p_parts) = 0 THEN f.document @@ wanted
                    ELSE search_match(f.document, wanted, p_parts) END AS matches
            FROM fresh_search f
            WHERE f.thread_id > p_merged AND f.thread_id <= p_indexed AND coalesce(f.parent, f.thread_id) >= p_first
            ORDER BY f.thread_id DESC LIMIT reads_max + 1
        ) n
    ) m;
    incomplete := incomplete AND cardinality(ids) < p_enough;
    ids := ids[:p_enough];
    threads := threads[:p_enough];
END $$;
