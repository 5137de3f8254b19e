-- search_counts: in how many documents of the index each word of a search is, and for rare words in which.
--
-- Of common words ANALYZE knows the share (pg_stats); every other word is counted by reading its ids, at most 1,000,
-- and 4,000 for all words together. A word that goes beyond counts as common: its ids are null.
CREATE OR REPLACE FUNCTION search_counts(p_words text[], p_marks tsquery)
RETURNS TABLE (word text, held float8, ids bigint[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    rare CONSTANT int := 1000;
    reads int := 4000;
    posts CONSTANT float8 := (SELECT h.threads + h.replies FROM log_head h);
    wanted tsquery;
BEGIN
    FOR word, held IN
        SELECT w.word, known.share * posts FROM unnest(p_words) WITH ORDINALITY AS w (word, n) LEFT JOIN (
            SELECT e.word, e.share FROM pg_stats s CROSS JOIN LATERAL unnest(
                s.most_common_elems::text::text[], s.most_common_elem_freqs[:array_length(s.most_common_elem_freqs, 1) - 2]
            ) AS e (word, share)
            WHERE s.schemaname = 'public' AND s.tablename = 'thread_search' AND s.attname = 'document'
                AND e.word = ANY (p_words)
        ) known USING (word)
        ORDER BY known.share NULLS FIRST, w.n
    LOOP
        ids := NULL;
        IF coalesce(held, 0) <= rare AND reads > 0 THEN
            wanted := coalesce(quote_literal(word)::tsquery && p_marks, quote_literal(word)::tsquery);
            ids := ARRAY(SELECT s.thread_id FROM thread_search s WHERE s.document @@ wanted LIMIT rare + 1);
            reads := reads - cardinality(ids);
            held := cardinality(ids);
            IF held > rare THEN
                ids := NULL;
            END IF;
        END IF;
        held := coalesce(held, rare);
        RETURN NEXT;
    END LOOP;
END $$;
