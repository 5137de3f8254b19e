-- search_some: the posts with the most and rarest words of a search, at most p_enough, a reply with the words of its
-- thread. `weights` are those of the words: their inverse document frequency; `held` is in how many posts each is, and
-- `rarest` are the words that any post has, the rarest first. Filters as in search_documents; of the log, p_ids with
-- p_threads and p_documents (search_log).
--
-- A post counts if it has a rare word: one that search_counts has counted, and that at most a third of the posts has. Of
-- one thread, at most 10 posts count.
CREATE OR REPLACE FUNCTION search_some(
    p_words text[], p_indexed bigint, p_enough int, p_marks tsquery, p_first bigint, p_ids bigint[], p_threads bigint[],
    p_documents tsvector[], OUT ids bigint[], OUT threads bigint[], OUT weights float8[], OUT held float8[],
    OUT rarest text[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    posts CONSTANT float8 := (SELECT h.threads + h.replies FROM log_head h);
BEGIN
    WITH counted AS MATERIALIZED (
        SELECT c.*, quote_literal(c.word)::tsquery AS query FROM search_counts(p_words, p_marks) c
    ),
    -- a few more posts change nothing for a common word
    new AS MATERIALIZED (
        SELECT c.word, r.id, r.thread FROM unnest(p_ids, p_threads, p_documents) AS r (id, thread, document)
        CROSS JOIN counted c WHERE c.ids IS NOT NULL AND r.document @@ c.query
    ),
    shares AS MATERIALIZED (
        SELECT c.word, d.held, d.held > 1 + posts / 3 AS usual, c.ids, c.threads,
            -- a word that no post has counts as one that a single post has
            ln(1 + (greatest(posts, d.held, 1) - greatest(d.held, 1) + 0.5) / (greatest(d.held, 1) + 0.5)) AS weight
        FROM counted c CROSS JOIN LATERAL (SELECT c.held + count(*) AS held FROM new n WHERE n.word = c.word) d
    ),
    telling AS MATERIALIZED (
        SELECT s.word, s.weight, h.id, h.thread FROM shares s CROSS JOIN LATERAL (
            SELECT i.id, i.thread FROM unnest(s.ids, s.threads) AS i (id, thread) WHERE i.id <= p_indexed
            UNION ALL SELECT n.id, n.thread FROM new n WHERE n.word = s.word
        ) h WHERE s.ids IS NOT NULL AND NOT s.usual AND h.thread >= p_first
    ),
    -- a reply has the words of its thread, too
    had AS (
        SELECT t.word, t.weight, t.id, t.thread FROM telling t
        UNION SELECT o.word, o.weight, r.id, r.thread
        FROM (SELECT DISTINCT t.id, t.thread FROM telling t WHERE t.id <> t.thread) r JOIN telling o ON o.id = r.thread
    ),
    summed AS (
        SELECT h.id, h.thread, sum(h.weight) AS weight,
            row_number() OVER (PARTITION BY h.thread ORDER BY sum(h.weight) DESC, h.id = h.thread DESC, h.id DESC) AS nth
        FROM had h GROUP BY h.id, h.thread
    )
    SELECT coalesce(array_agg(b.id ORDER BY b.weight DESC, b.id DESC), '{}'), coalesce(array_agg(b.thread ORDER BY b.weight DESC, b.id DESC), '{}'),
    ARRAY(SELECT r.word FROM (
        SELECT s.word, s.weight, s.usual, bool_and(s.usual) OVER () AS all_usual FROM shares s WHERE s.held > 0
    ) r WHERE NOT r.usual OR r.all_usual ORDER BY r.weight DESC),
    ARRAY(SELECT s.weight FROM unnest(p_words) WITH ORDINALITY AS w (word, n) JOIN shares s USING (word) ORDER BY w.n),
    ARRAY(SELECT s.held FROM unnest(p_words) WITH ORDINALITY AS w (word, n) JOIN shares s USING (word) ORDER BY w.n)
    INTO ids, threads, rarest, weights, held
    FROM (SELECT s.* FROM summed s WHERE s.nth <= 10 ORDER BY s.weight DESC, s.id DESC LIMIT p_enough) b;
END $$;
