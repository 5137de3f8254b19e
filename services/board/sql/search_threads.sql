-- search_threads: the visible threads that match best, at most p_limit, in the order of place (decisions 1.8).
--
-- Looks into the index, and at the log behind the index's cursor in the same snapshot: what was answered 201 before is
-- found, however late the index is. Of very many matches the newest 500 compete (search_age): a common word then costs
-- no more than a rare one. Plans are made once: none of them may depend on how common a word was.
CREATE OR REPLACE FUNCTION search_threads(p_query text, p_limit int) RETURNS TABLE (thread_id bigint, place bigint)
LANGUAGE plpgsql STABLE ROWS 20 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    enough CONSTANT int := 500;
    query tsquery := search_words(p_query);
    candidates tsquery := search_candidates(query);
    indexed bigint := (SELECT last_id FROM search_cursor);
    bits int := 10;
    tail bigint[];
    found bigint[] := '{}';
BEGIN
    IF coalesce(numnode(query), 0) = 0 THEN
        RETURN;
    END IF;
    tail := ARRAY(
        SELECT p.id FROM posts p WHERE p.id > indexed AND p.parent IS NULL AND p.visible
            AND index_document(p.id, p.title, p.wanted_capabilities, p.body) @@ query
        ORDER BY p.id DESC LIMIT enough);
    WHILE indexed >> bits > 1 AND bits <= 24 AND cardinality(found) < enough LOOP
        found := ARRAY(SELECT s.thread_id FROM thread_search s
            WHERE s.document @@ coalesce(candidates && search_age(indexed, bits), search_age(indexed, bits)));
        bits := bits + 2;
    END LOOP;
    IF cardinality(found) < enough THEN
        found := ARRAY(SELECT s.thread_id FROM thread_search s
            WHERE s.document @@ coalesce(candidates, search_age(indexed, least(bits, 24))));
    END IF;
    found := ARRAY(SELECT f FROM unnest(found) AS f ORDER BY f DESC LIMIT enough);

    RETURN QUERY
    SELECT r.id, row_number() OVER (ORDER BY r.rank DESC, p.hot DESC, r.id DESC)
    FROM (
        SELECT s.thread_id AS id, ts_rank(s.document, query) AS rank FROM thread_search s
        WHERE s.thread_id = ANY (found) AND s.document @@ query
        UNION ALL
        SELECT t.id, ts_rank(index_document(t.id, t.title, t.wanted_capabilities, t.body), query) FROM posts t
        WHERE t.id = ANY (tail)
    ) r JOIN posts p ON p.id = r.id AND p.visible
    ORDER BY 2 LIMIT p_limit;
END $$;
