-- search_fresh: the newest threads after p_merged, up to p_indexed, whose documents are fresh (merge_search) and match,
-- at most p_enough. Filters as in search_documents.
--
-- Reads all these documents: some hundreds, or 4,000 while many posts arrive. If the fan-out does not move them, it reads
-- the newest 5,000 and is incomplete if there are more.
CREATE OR REPLACE FUNCTION search_fresh(
    p_query tsquery, p_merged bigint, p_indexed bigint, p_enough int, p_marks tsquery, p_first bigint,
    OUT ids bigint[], OUT incomplete boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    reads_max CONSTANT int := 5000;
    wanted tsquery := coalesce(p_query && p_marks, p_query);
BEGIN
    SELECT coalesce(array_agg(n.thread_id) FILTER (WHERE n.matches), '{}'), count(*) > reads_max INTO ids, incomplete
    FROM (
        SELECT f.thread_id, f.document @@ wanted AS matches FROM fresh_search f
        WHERE f.thread_id > p_merged AND f.thread_id <= p_indexed AND f.thread_id >= p_first
        ORDER BY f.thread_id DESC LIMIT reads_max + 1
    ) n;
    incomplete := incomplete AND cardinality(ids) < p_enough;
    ids := ids[:p_enough];
END $$;
