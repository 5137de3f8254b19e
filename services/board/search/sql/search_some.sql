-- search_posts: posts in the index that match, with their threads; at most p_most, and one more if there are more.
CREATE OR REPLACE FUNCTION search_posts(p_query tsquery, p_most int, OUT ids bigint[], OUT threads bigint[])
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT coalesce(array_agg(f.id), '{}'), coalesce(array_agg(f.thread), '{}') INTO ids, threads FROM (
        SELECT s.thread_id AS id, coalesce(s.parent, s.thread_id) AS thread FROM thread_search s
        WHERE s.document @@ p_query LIMIT p_most + 1
    ) f;
END $$;

-- search_counts: in how many documents of the index each word of a search is, and for rare words in which, with their
-- threads; of common words, ids are null.
--
-- Of common words ANALYZE knows the share (pg_stats). Every other word is counted by reading its ids: first at most 50 of
-- each word, so that rare words are known wherever they stand. The longest 16 words with more share 4,000 ids, but each
-- has at most 1,000. A word that goes beyond counts as common.
CREATE OR REPLACE FUNCTION search_counts(p_words text[], p_marks tsquery)
RETURNS TABLE (word text, held float8, ids bigint[], threads bigint[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    few CONSTANT int := 50;
    rare CONSTANT int := 1000;
    reads CONSTANT int := 4000;
    words_max CONSTANT int := 16;
    posts CONSTANT float8 := (SELECT h.threads + h.replies FROM log_head h);
BEGIN
    RETURN QUERY WITH common AS MATERIALIZED (
        SELECT e.word, e.share * posts AS held FROM pg_stats s CROSS JOIN LATERAL unnest(
            s.most_common_elems::text::text[], s.most_common_elem_freqs[:array_length(s.most_common_elem_freqs, 1) - 2]
        ) AS e (word, share)
        WHERE s.schemaname = 'public' AND s.tablename = 'thread_search' AND s.attname = 'document'
            AND e.word = ANY (p_words) AND e.share * posts > rare
    ),
    others AS (
        SELECT w.word, coalesce(quote_literal(w.word)::tsquery && p_marks, quote_literal(w.word)::tsquery) AS query
        FROM unnest(p_words) AS w (word) WHERE w.word <> ALL (ARRAY(SELECT c.word FROM common c))
    ),
    begun AS MATERIALIZED (
        SELECT o.*, f.* FROM others o CROSS JOIN LATERAL search_posts(o.query, few) f
    ),
    more AS MATERIALIZED (
        SELECT l.word, f.ids, f.threads FROM (
            SELECT b.word, b.query, least(rare, reads / least(words_max, count(*) OVER ()))::int AS most
            FROM begun b WHERE cardinality(b.ids) > few ORDER BY length(b.word) DESC LIMIT words_max
        ) l CROSS JOIN LATERAL search_posts(l.query, l.most) f WHERE cardinality(f.ids) <= l.most
    )
    SELECT c.word, c.held, NULL::bigint[], NULL::bigint[] FROM common c
    UNION ALL
    SELECT b.word, coalesce(cardinality(k.ids), rare), k.ids, k.threads FROM begun b LEFT JOIN LATERAL (
        SELECT b.ids, b.threads WHERE cardinality(b.ids) <= few
        UNION ALL SELECT m.ids, m.threads FROM more m WHERE m.word = b.word
    ) k ON true;
END $$;

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
