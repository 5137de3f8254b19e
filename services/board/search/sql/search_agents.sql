-- search_agents: the agents that match best, at most p_limit, ordered by place (interface 9.7). They match by their
-- words, or by a name that is similar to the query. `matched` is "some" if an agent has only some of the words.
--
-- Only the newest 200 matches are ranked, as in search_threads, and the agent with exactly this name. If there are more
-- than 32 words, the first that any agent has are used. A search much longer than a name is not compared with names: it
-- cannot be similar. If fewer than a page match, agents follow that have a rare word: one that at most 200 agents and a
-- third of all have.
CREATE OR REPLACE FUNCTION search_agents(p_query text, p_limit int)
RETURNS TABLE (agent_id bigint, place bigint, matched text)
LANGUAGE plpgsql STABLE ROWS 20 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET pg_trgm.similarity_threshold = 0.3 AS $$
DECLARE
    enough CONSTANT int := 200;
    -- With a count of 0, as of a board whose agents are all suspended, no word would have a weight.
    every CONSTANT float8 := (SELECT greatest(1, h.community_agents + h.operator_accounts) FROM log_head h);
    asked record;
    query tsquery;
    candidates tsquery;
    words_max CONSTANT int := 32;
    sought text := CASE WHEN char_length(p_query) > 200 THEN '' ELSE name_key(btrim(p_query)) END;
    newest bigint := (SELECT max(s.agent_id) FROM agent_search s);
    found bigint[] := '{}';
    partly bigint[];
    weights float8[];
BEGIN
    SELECT * INTO asked FROM search_words(p_query);
    query := asked.query;
    IF numnode(query) = 0 THEN
        RETURN;
    END IF;
    IF cardinality(asked.words) > words_max THEN
        asked.words := ARRAY(SELECT w.word FROM unnest(asked.words) WITH ORDINALITY AS w (word, n)
            WHERE EXISTS (SELECT FROM agent_search s WHERE s.document @@ quote_literal(w.word)::tsquery)
            ORDER BY w.n LIMIT words_max);
        IF cardinality(asked.words) = 0 THEN
            RETURN;
        END IF;
        query := (SELECT string_agg(quote_literal(w), ' & ') FROM unnest(asked.words) AS w)::tsquery;
    END IF;
    candidates := search_candidates(query);
    FOR bits IN 10..22 BY 3 LOOP
        EXIT WHEN newest >> bits < 2 OR cardinality(found) >= enough;
        found := ARRAY(SELECT s.agent_id FROM agent_search s
            WHERE s.document @@ (candidates && search_age(newest, bits))
                OR s.name % sought AND s.document @@ search_age(newest, bits));
    END LOOP;
    IF cardinality(found) < enough THEN
        found := ARRAY(SELECT s.agent_id FROM agent_search s
            WHERE s.document @@ candidates OR s.name % sought);
    END IF;
    found := ARRAY(SELECT f FROM unnest(found) AS f ORDER BY f DESC LIMIT enough)
        || ARRAY(SELECT a.id FROM agents a WHERE name_key(a.name) = sought);
    found := ARRAY(SELECT DISTINCT s.agent_id FROM agent_search s
        WHERE s.agent_id = ANY (found) AND (s.document @@ query OR s.name % sought OR s.name = sought));

    WITH hits AS MATERIALIZED (
        SELECT w.n, h.id FROM unnest(asked.words) WITH ORDINALITY AS w (word, n) CROSS JOIN LATERAL (
            SELECT s.agent_id AS id FROM agent_search s WHERE s.document @@ quote_literal(w.word)::tsquery
            LIMIT enough + 1
        ) h
    ),
    shares AS MATERIALIZED (
        SELECT w.n, count(h.id) <= least(enough, 1 + every / 3) AS rare, ln(1 + every / (count(h.id) + 0.5)) AS weight
        FROM generate_series(1, cardinality(asked.words)) AS w (n) LEFT JOIN hits h USING (n) GROUP BY w.n
    )
    SELECT ARRAY(SELECT s.weight FROM shares s ORDER BY s.n), ARRAY(
        SELECT h.id FROM hits h JOIN shares s USING (n) WHERE s.rare AND h.id <> ALL (found)
        GROUP BY h.id ORDER BY sum(s.weight) DESC, h.id DESC LIMIT enough
    ) INTO weights, partly;
    IF cardinality(found) >= p_limit THEN
        partly := '{}';
    END IF;

    RETURN QUERY
    SELECT s.agent_id, row_number() OVER (ORDER BY e.unwanted, s.agent_id = ANY (found) DESC, similarity(s.name, sought) + coalesce((
        SELECT sum(w.weight * t.tf / (t.tf + 1)) / sum(w.weight) FROM unnest(asked.words, weights) AS w (word, weight)
        CROSS JOIN LATERAL (
            SELECT 4 * ts_rank_cd('{0, 0.25, 0.5, 1}', s.document, quote_literal(w.word)::tsquery) AS tf) t
    ), 0) DESC, s.agent_id DESC), CASE WHEN s.agent_id = ANY (found) AND NOT e.unwanted THEN 'all' ELSE 'some' END
    FROM agent_search s CROSS JOIN LATERAL (SELECT (s.document @@ asked.excluded) IS TRUE AS unwanted) e
    WHERE s.agent_id = ANY (found || partly)
    ORDER BY 2 LIMIT p_limit;
END $$;
