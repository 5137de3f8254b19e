-- search_rank: put the threads p_threads of the posts p_whole and p_partly in order, at most p_limit, those with all words
-- first and those with excluded words last, each with the reply that adds words of weight to those of the thread, a part
-- of 0.15 of the search; null if none does. `share` is the part of a thread with its reply.
--
-- The formula is BM25: each word counts by its weight, and more if it occurs often in a short text; in titles it counts
-- twice, in capabilities 1.5 times, in a reply 0.7 times, and up to 0.8 times if the reply has votes. A thread counts
-- with its best reply only, and a word with its better place. For the best 30 threads, words that are next to each other
-- as in the search count more, and so does the form of the search, in the title or the beginning of a text. Then the more popular thread comes first, then the newer. The words of a thread by another author than p_author
-- do not count. p_every states that what matches p_query has every word. p_ids and p_documents are posts of the log
-- after p_indexed (search_log).
--
-- Posts are visible, and so are their threads, in this snapshot, whatever the index has. Ids are looked up together, and
-- joined by hashing: a plan made for few posts would compare each with each. Asking whether a document has a word costs
-- less than counting it, so only words that it has are counted.
CREATE OR REPLACE FUNCTION search_rank(
    p_whole bigint[], p_partly bigint[], p_threads bigint[], p_query tsquery, p_excluded tsquery,
    p_every boolean, p_words text[], p_weights float8[], p_phrases text[], p_forms text[], p_author bigint, p_first bigint,
    p_indexed bigint, p_ids bigint[], p_documents tsvector[], p_limit int
) RETURNS TABLE (thread_id bigint, reply_id bigint, place bigint, is_whole boolean, share float8)
LANGUAGE plpgsql STABLE SET enable_nestloop = off AS $$
DECLARE
    queries CONSTANT tsquery[] := ARRAY(SELECT quote_literal(w)::tsquery FROM unnest(p_words) AS w);
    -- words such as "why" or "because" tell nothing, however rare they are on a young board; a stem may end otherwise
    telling CONSTANT float8[] := ARRAY(
        SELECT CASE WHEN EXISTS (SELECT FROM unnest(ARRAY[t.w, t.w || 'e', regexp_replace(t.w, 'i$', 'y')]) AS form
            WHERE ts_lexize('english_stem', form) = '{}') THEN 0 ELSE t.weight END
        FROM unnest(p_words, p_weights) WITH ORDINALITY AS t (w, weight, n) ORDER BY t.n);
    none CONSTANT float8[] := array_fill(0::float8, ARRAY[cardinality(p_words)]);
    pairs CONSTANT tsquery[] := ARRAY(SELECT search_term(p) FROM unnest(p_phrases) AS p);
    pair_weights CONSTANT float8[] := ARRAY(
        SELECT 0.6 * least(p_weights[array_position(p_words, split_part(p, ' ', 1))],
            p_weights[array_position(p_words, split_part(p, ' ', 2))])
        FROM unnest(p_phrases) AS p);
    best_max CONSTANT int := greatest(30, p_limit);
    every CONSTANT bigint[] := ARRAY(SELECT DISTINCT unnest(p_whole || p_partly || p_threads));
BEGIN
    RETURN QUERY WITH held AS (
        SELECT s.thread_id AS id, s.document FROM thread_search s
        WHERE s.thread_id = ANY (every) AND s.thread_id <= p_indexed
        UNION ALL SELECT t.id, t.document FROM unnest(p_ids, p_documents) AS t (id, document)
    ),
    kept AS MATERIALIZED (
        SELECT p.id, p.parent, p.score, p.hot, w.id IS NOT NULL AS matches,
            p_author IS NULL OR p.author_id = p_author AS counts, 2 * (0.2 + 1.2 * p.size / avg(p.size) OVER ()) AS full
        FROM (
            SELECT p.id, p.parent, p.score, p.hot, p.author_id,
                (octet_length(coalesce(p.title, '')) + octet_length(p.body))::float8 AS size
            FROM posts p
            WHERE p.id = ANY (every) AND p.visible AND coalesce(p.parent, p.id) >= p_first
        ) p LEFT JOIN unnest(p_whole) AS w (id) USING (id)
    ),
    -- the weight that each word adds for a post
    measured AS MATERIALIZED (
        SELECT k.*, h.document, coalesce(h.document @@ p_excluded, false) AS unwanted,
            CASE WHEN k.counts AND h.document IS NOT NULL THEN ARRAY(
            -- tf / (tf + full), written so that the number of occurrences is counted once
            SELECT CASE WHEN h.document @@ w.query THEN w.weight
                * 3 * (1 - k.full / (2 * ts_rank_cd('{0, 0.5, 0.75, 1}', h.document, w.query) + k.full)) ELSE 0 END
            FROM unnest(queries, p_weights) WITH ORDINALITY AS w (query, weight, n) ORDER BY w.n
        ) ELSE none END AS has
        FROM kept k LEFT JOIN held h USING (id)
    ),
    scored AS (
        SELECT t.id, NULL::bigint AS reply, t.hot, t.document, ''::tsvector AS more, t.unwanted, t.matches AS whole,
            0 AS votes, false AS tells, w.score, w.share
        FROM measured t CROSS JOIN LATERAL (
            SELECT sum(h.own) AS score, sum(h.weight) FILTER (WHERE h.own > 0) AS share
            FROM unnest(t.has, p_weights) AS h (own, weight)
        ) w
        WHERE t.parent IS NULL AND t.counts AND (t.matches OR 0 < ANY (t.has))
        UNION ALL
        SELECT t.id, r.id, t.hot, t.document, r.document, t.unwanted OR r.unwanted,
            CASE WHEN r.matches OR t.matches THEN true
            WHEN NOT t.counts OR p_every AND w.lacks THEN false
            ELSE (t.document || index_gap() || r.document) @@ p_query END, r.score, w.tells, w.score, w.share
        FROM measured r JOIN measured t ON t.id = r.parent CROSS JOIN LATERAL (
            SELECT sum(greatest(h.own, (0.7 + 0.1 * v.votes / (v.votes + 5)) * h.reply)) AS score,
                bool_or(h.own = 0 AND h.reply = 0) AS lacks, bool_or(h.own = 0 AND h.reply > 0) AS adds,
                -- without a word that the thread lacks, it has a phrase
                coalesce(sum(h.told) FILTER (WHERE h.own = 0 AND h.reply > 0) >= 0.15 * sum(h.weight), true) AS tells,
                sum(h.weight) FILTER (WHERE h.own > 0 OR h.reply > 0) AS share
            FROM (SELECT greatest(r.score, 0)::float8 AS votes) v
            CROSS JOIN unnest(t.has, r.has, p_weights, telling) AS h (own, reply, weight, told)
        ) w
        WHERE t.parent IS NULL AND r.parent IS NOT NULL AND (w.adds OR r.matches AND NOT t.matches)
    ),
    best AS MATERIALIZED (
        SELECT b.* FROM (
            SELECT DISTINCT ON (s.id) s.* FROM scored s
            ORDER BY s.id, s.unwanted, s.whole DESC, s.score DESC NULLS LAST, s.votes DESC, s.reply DESC
        ) b ORDER BY b.unwanted, b.whole DESC, b.score DESC NULLS LAST, b.hot DESC, b.id DESC LIMIT best_max
    )
    SELECT n.id, CASE WHEN n.tells THEN n.reply END,
        row_number() OVER (ORDER BY n.unwanted, n.whole DESC, n.score DESC, n.hot DESC, n.id DESC) AS at,
        n.whole AND NOT n.unwanted, round((coalesce(n.share, 0) / (SELECT sum(w) FROM unnest(p_weights) AS w))::numeric, 2)::float8
    FROM (
        SELECT b.id, b.reply, b.unwanted, b.whole, b.hot, b.tells, b.share, coalesce(b.score, 0)
            + coalesce((SELECT sum(j.weight) FROM unnest(pairs, pair_weights) AS j (pair, weight)
                WHERE b.document @@ j.pair OR b.more @@ j.pair), 0)
            + 0.5 * (SELECT count(*) FROM unnest(p_forms) AS f (form) WHERE strpos(w.words, ' ' || f.form || ' ') > 0)
                / greatest(1, cardinality(p_forms)) AS score
        FROM best b CROSS JOIN LATERAL (
            SELECT index_written(string_agg(concat_ws(' ', p.title, left(p.body, 300)), ' ')) AS words
            FROM posts p WHERE p.id IN (b.id, b.reply) OFFSET 0
        ) w
    ) n ORDER BY at LIMIT p_limit;
END $$;
