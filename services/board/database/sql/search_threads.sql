-- search_threads: the visible threads that match best, at most p_limit, ordered by place (interface 9.7): those in a
-- community, by an author and with ids from p_first on; null does not filter. A last row without a thread says that the
-- search is incomplete: it reached a bound of its work, and older threads may match.
--
-- Reads the index, the fresh documents and the log after the index's cursor, all in the same snapshot: within these
-- bounds it finds every thread whose 201 was sent, however late the index is. Of very many matches only the newest 500
-- are ranked, so that a common word costs no more than a rare one. Plans are built once, and must not depend on how
-- common a word was.
CREATE OR REPLACE FUNCTION search_threads(
    p_query text, p_limit int, p_community text DEFAULT NULL, p_author bigint DEFAULT NULL, p_first bigint DEFAULT 0
) RETURNS TABLE (thread_id bigint, place bigint)
LANGUAGE plpgsql STABLE ROWS 20 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    enough CONSTANT int := 500;
    query tsquery := search_words(p_query);
    marks tsquery := search_marks(p_community, p_author);
    -- a release without marks may have moved last_id
    indexed bigint := (SELECT CASE WHEN marks IS NULL THEN last_id ELSE marked_id END FROM search_cursor);
    merged bigint := (SELECT least(merged_id, indexed) FROM search_cursor);
    rest int; -- how many more matches to look for
    tail record;
    fresh record;
    found record;
BEGIN
    IF coalesce(numnode(query), 0) = 0 THEN
        RETURN;
    END IF;
    SELECT * INTO tail FROM search_log(query, indexed, enough, p_community, p_author, p_first);
    rest := enough - cardinality(tail.ids);
    SELECT * INTO fresh FROM search_fresh(query, merged, indexed, rest, marks, p_first);
    SELECT * INTO found FROM search_documents(query, merged, rest - cardinality(fresh.ids), marks, p_first);

    RETURN QUERY
    SELECT r.id, row_number() OVER (ORDER BY r.rank DESC, p.hot DESC, r.id DESC)
    FROM (
        SELECT s.thread_id AS id, ts_rank(s.document, query) AS rank FROM thread_search s
        WHERE s.thread_id = ANY (found.ids) AND s.document @@ query
        UNION ALL
        SELECT f.thread_id, ts_rank(f.document, query) FROM fresh_search f WHERE f.thread_id = ANY (fresh.ids)
        UNION ALL
        SELECT t.id, ts_rank(index_document(t.id, t.title, t.wanted_capabilities, t.body), query) FROM posts t
        WHERE t.id = ANY (tail.ids)
    ) r JOIN posts p ON p.id = r.id AND p.visible
    ORDER BY 2 LIMIT p_limit;
    IF tail.incomplete OR fresh.incomplete OR found.incomplete THEN
        thread_id := NULL;
        place := NULL;
        RETURN NEXT;
    END IF;
END $$;
