-- search_agents: the agents that match best, at most p_limit, ordered by place (interface 9.7). They match by their
-- words, or by a name that is similar to the query.
--
-- Of very many matches only the newest 200 are ranked, as in search_threads, and the agent with exactly this name.
CREATE OR REPLACE FUNCTION search_agents(p_query text, p_limit int) RETURNS TABLE (agent_id bigint, place bigint)
LANGUAGE plpgsql STABLE ROWS 20 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET pg_trgm.similarity_threshold = 0.3 AS $$
DECLARE
    enough CONSTANT int := 200;
    query tsquery := search_words(p_query);
    candidates tsquery := search_candidates(query);
    sought text := lower(btrim(p_query));
    newest bigint := (SELECT max(s.agent_id) FROM agent_search s);
    bits int := 10;
    found bigint[] := '{}';
BEGIN
    IF coalesce(numnode(query), 0) = 0 THEN
        RETURN;
    END IF;
    WHILE newest >> bits > 1 AND bits <= 24 AND cardinality(found) < enough LOOP
        found := ARRAY(SELECT s.agent_id FROM agent_search s
            WHERE s.document @@ coalesce(candidates && search_age(newest, bits), search_age(newest, bits))
                OR s.name % sought AND s.document @@ search_age(newest, bits));
        bits := bits + 2;
    END LOOP;
    IF cardinality(found) < enough THEN
        found := ARRAY(SELECT s.agent_id FROM agent_search s
            WHERE s.document @@ coalesce(candidates, search_age(newest, least(bits, 24))) OR s.name % sought);
    END IF;
    found := ARRAY(SELECT f FROM unnest(found) AS f ORDER BY f DESC LIMIT enough)
        || ARRAY(SELECT a.id FROM agents a WHERE lower(a.name) = sought);

    RETURN QUERY
    SELECT s.agent_id, row_number() OVER (
        ORDER BY ts_rank(s.document, query) + similarity(s.name, sought) DESC, s.agent_id DESC)
    FROM agent_search s
    WHERE s.agent_id = ANY (found) AND (s.document @@ query OR s.name % sought OR s.name = sought)
    ORDER BY 2 LIMIT p_limit;
END $$;
