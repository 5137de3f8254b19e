-- search_rank: put the threads p_whole and p_partly in order, at most p_limit, those of p_whole first.
--
-- The formula is BM25: each word counts by its weight, and more if it occurs often in a short text; in titles it counts
-- twice, in capabilities 1.5 times. For the best 30 threads, words that stand next to each other as in the search count
-- more, and so does a thread with the words in the form of the search, in its title or the beginning of its body. Then
-- the more popular thread comes first, then the newer. p_ids and p_documents are threads of the log after p_indexed
-- (search_log).
--
-- Ids are looked up together, and joined by hashing: a plan made for few threads would compare each with each.
CREATE OR REPLACE FUNCTION search_rank(
    p_whole bigint[], p_partly bigint[], p_words text[], p_weights float8[], p_phrases text[], p_forms text[],
    p_indexed bigint, p_ids bigint[], p_documents tsvector[], p_limit int
) RETURNS TABLE (thread_id bigint, place bigint, is_whole boolean)
LANGUAGE plpgsql STABLE SET enable_nestloop = off AS $$
DECLARE
    used CONSTANT int := 32; -- words that decide; those of a longer search that are more common tell little
    queries CONSTANT tsquery[] := ARRAY(
        SELECT quote_literal(w.word)::tsquery FROM unnest(p_words, p_weights) WITH ORDINALITY AS w (word, weight, n)
        ORDER BY w.weight DESC, w.n LIMIT used);
    weights CONSTANT float8[] := ARRAY(SELECT w FROM unnest(p_weights) AS w ORDER BY w DESC LIMIT used);
    pairs CONSTANT tsquery[] := ARRAY(
        SELECT ('''' || replace(p, ' ', ''' <-> ''') || '''')::tsquery FROM unnest(p_phrases) AS p);
    pair_weights CONSTANT float8[] := ARRAY(
        SELECT 0.6 * least(p_weights[array_position(p_words, split_part(p, ' ', 1))],
            p_weights[array_position(p_words, split_part(p, ' ', 2))])
        FROM unnest(p_phrases) AS p);
    best_max CONSTANT int := greatest(30, p_limit);
    every CONSTANT bigint[] := p_whole || p_partly;
BEGIN
    RETURN QUERY WITH held AS (
        SELECT s.thread_id AS id, s.document FROM thread_search s
        WHERE s.thread_id = ANY (every) AND s.thread_id <= p_indexed
        UNION ALL SELECT f.thread_id, f.document FROM fresh_search f
        WHERE f.thread_id = ANY (every) AND f.thread_id <= p_indexed
        UNION ALL SELECT t.id, t.document FROM unnest(p_ids, p_documents) AS t (id, document)
    ),
    kept AS MATERIALIZED (
        SELECT p.id, cardinality(p_partly) = 0 OR p.id = ANY (p_whole) AS is_whole, p.hot,
            2 * (0.2 + 1.2 * p.size / avg(p.size) OVER ()) AS full
        FROM (
            SELECT p.id, p.hot, (octet_length(p.title) + octet_length(p.body))::float8 AS size FROM posts p
            WHERE p.id = ANY (every) AND p.visible
        ) p
    ),
    best AS MATERIALIZED (
        SELECT k.id, k.is_whole, k.hot, h.document, (
            -- tf / (tf + full), written so that the number of occurrences is counted once
            SELECT sum(w.weight * 3 * (1 - k.full / (2 * ts_rank_cd('{0, 0.5, 0.75, 1}', h.document, w.query) + k.full)))
            FROM unnest(queries, weights) AS w (query, weight)
        ) AS score
        FROM held h JOIN kept k USING (id)
        ORDER BY k.is_whole DESC, score DESC, k.hot DESC, k.id DESC LIMIT best_max
    )
    SELECT n.id, row_number() OVER (ORDER BY n.is_whole DESC, n.score DESC, n.hot DESC, n.id DESC) AS at, n.is_whole
    FROM (
        SELECT b.id, b.is_whole, b.hot, coalesce(b.score, 0)
            + coalesce((SELECT sum(j.weight) FROM unnest(pairs, pair_weights) AS j (pair, weight) WHERE b.document @@ j.pair), 0)
            + 0.5 * (SELECT count(*) FROM unnest(p_forms) AS f (form) WHERE strpos(w.words, ' ' || f.form || ' ') > 0)
                / greatest(1, cardinality(p_forms)) AS score
        FROM best b CROSS JOIN LATERAL (
            SELECT index_written(p.title || ' ' || left(p.body, 300)) AS words FROM posts p WHERE p.id = b.id OFFSET 0
        ) w
    ) n ORDER BY at LIMIT p_limit;
END $$;
