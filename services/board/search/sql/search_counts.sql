-- search_counts: in how many documents of the index each word of a search is, and for rare words in which, with their
-- threads; of common words, ids are null.
--
-- Of common words ANALYZE knows the share (pg_stats). Every other word is counted by reading its ids: first at most 50 of
-- each word, so that rare words are known wherever they stand. Words with more ids share 4,000, but each has at most
-- 1,000. A word that goes beyond counts as common.
CREATE OR REPLACE FUNCTION search_counts(p_words text[], p_marks tsquery)
RETURNS TABLE (word text, held float8, ids bigint[], threads bigint[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    few CONSTANT int := 50;
    rare CONSTANT int := 1000;
    reads CONSTANT int := 4000;
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
    counted AS (
        SELECT b.word, b.ids, b.threads, few AS most FROM begun b WHERE cardinality(b.ids) <= few
        UNION ALL
        SELECT b.word, f.ids, f.threads, b.most FROM (
            SELECT g.word, g.query, greatest(few, least(rare, reads / count(*) OVER ()))::int AS most
            FROM begun g WHERE cardinality(g.ids) > few
        ) b CROSS JOIN LATERAL search_posts(b.query, b.most) f
    )
    SELECT c.word, c.held, NULL::bigint[], NULL::bigint[] FROM common c
    UNION ALL
    SELECT c.word, CASE WHEN e.known THEN cardinality(c.ids) ELSE rare END, CASE WHEN e.known THEN c.ids END, c.threads
    FROM counted c CROSS JOIN LATERAL (SELECT cardinality(c.ids) <= c.most AS known) e;
END $$;
