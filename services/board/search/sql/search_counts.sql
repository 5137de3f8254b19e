-- search_counts: in how many documents of the index each word of a search is, and for rare words in which,
-- with their threads.
--
-- Of common words ANALYZE knows the share (pg_stats). Every other word is counted by reading its ids: first at most 50 of
-- each word, so that rare words are known wherever they are, then at most 250 and at most 1,000, and 4,000 for all words
-- together. A word that goes beyond counts as common: its ids are null.
CREATE OR REPLACE FUNCTION search_counts(p_words text[], p_marks tsquery)
RETURNS TABLE (word text, held float8, ids bigint[], threads bigint[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    rare CONSTANT int := 1000;
    reads int := 4000;
    posts CONSTANT float8 := (SELECT h.threads + h.replies FROM log_head h);
    uncounted text[] := p_words;
    most int;
    beyond text[];
BEGIN
    FOR word, held IN
        SELECT e.word, e.share * posts FROM pg_stats s CROSS JOIN LATERAL unnest(
            s.most_common_elems::text::text[], s.most_common_elem_freqs[:array_length(s.most_common_elem_freqs, 1) - 2]
        ) AS e (word, share)
        WHERE s.schemaname = 'public' AND s.tablename = 'thread_search' AND s.attname = 'document'
            AND e.word = ANY (p_words) AND e.share * posts > rare
    LOOP
        uncounted := array_remove(uncounted, word);
        RETURN NEXT;
    END LOOP;
    FOREACH most IN ARRAY ARRAY[50, 250, rare] LOOP
        beyond := '{}';
        FOREACH word IN ARRAY uncounted LOOP
            ids := NULL;
            IF most = 50 OR reads > 0 THEN
                SELECT coalesce(array_agg(f.id), '{}'), array_agg(f.thread) INTO ids, threads FROM (
                    SELECT s.thread_id AS id, coalesce(s.parent, s.thread_id) AS thread FROM thread_search s
                    WHERE s.document @@ coalesce(quote_literal(word)::tsquery && p_marks, quote_literal(word)::tsquery)
                    LIMIT most + 1
                ) f;
                reads := reads - CASE most WHEN 50 THEN 0 ELSE cardinality(ids) END;
            END IF;
            IF cardinality(ids) <= most THEN
                held := cardinality(ids);
                RETURN NEXT;
            ELSE
                beyond := beyond || word;
            END IF;
        END LOOP;
        uncounted := beyond;
    END LOOP;
    ids := NULL;
    held := rare;
    FOREACH word IN ARRAY uncounted LOOP
        RETURN NEXT;
    END LOOP;
END $$;
