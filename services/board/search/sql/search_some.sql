-- search_some: the threads with the most and rarest words of a search, at most p_enough, and the weight of each word:
-- its inverse document frequency. `rarest` are the words that any thread has, the rarest first. Filters as in
-- search_documents; of the log, p_ids with p_documents (search_log).
--
-- A thread counts if it has a rare word: one that search_counts has counted, and that at most a third of the threads has.
CREATE OR REPLACE FUNCTION search_some(
    p_words text[], p_merged bigint, p_indexed bigint, p_enough int, p_marks tsquery, p_first bigint, p_ids bigint[],
    p_documents tsvector[], OUT ids bigint[], OUT weights float8[], OUT rarest text[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    reads_max CONSTANT int := 60000 / cardinality(p_words);
    threads CONSTANT float8 := (SELECT h.threads FROM log_head h);
BEGIN
    WITH counted AS MATERIALIZED (
        SELECT c.word, quote_literal(c.word)::tsquery AS query, c.held, c.ids FROM search_counts(p_words, p_marks) c
    ),
    recent AS (
        (SELECT f.thread_id AS id, f.document FROM fresh_search f
        WHERE f.thread_id > p_merged AND f.thread_id <= p_indexed AND f.thread_id >= p_first
            AND (p_marks IS NULL OR f.document @@ p_marks)
        ORDER BY f.thread_id DESC LIMIT least(5000, reads_max))
        UNION ALL SELECT * FROM unnest(p_ids, p_documents)
    ),
    hits AS MATERIALIZED (
        SELECT c.word, i.id, false AS new FROM counted c CROSS JOIN unnest(c.ids) AS i (id)
        WHERE i.id >= p_first AND i.id <= p_merged
        UNION ALL
        SELECT c.word, r.id, true FROM recent r CROSS JOIN counted c WHERE p_enough > 0 AND r.document @@ c.query
    ),
    shares AS MATERIALIZED (
        SELECT c.word, d.held, d.held > 1 + threads / 3 AS usual, c.ids,
            ln(1 + (greatest(threads, d.held) - d.held + 0.5) / (d.held + 0.5)) AS weight
        FROM counted c CROSS JOIN LATERAL (
            SELECT c.held + count(*) AS held FROM hits h WHERE h.word = c.word AND h.new
        ) d
    )
    SELECT ARRAY(
        SELECT h.id FROM hits h JOIN shares s USING (word) WHERE s.ids IS NOT NULL AND NOT s.usual
        GROUP BY h.id ORDER BY sum(s.weight) DESC, h.id DESC LIMIT p_enough
    ), ARRAY(SELECT r.word FROM (
        SELECT s.word, s.weight, s.usual, bool_and(s.usual) OVER () AS all_usual FROM shares s WHERE s.held > 0
    ) r WHERE NOT r.usual OR r.all_usual ORDER BY r.weight DESC),
    ARRAY(SELECT s.weight FROM unnest(p_words) WITH ORDINALITY AS w (word, n) JOIN shares s USING (word) ORDER BY w.n)
    INTO ids, rarest, weights;
END $$;
