-- search_threads: the visible threads that match best, at most p_limit, ordered by place (interface 9.7): those in a
-- community, with text by an author and with ids from p_first on; null does not filter. `matched` is "all" if a thread
-- has all words, or with a reply, and "some" otherwise; `share` is the weight of the words that it has, of 1. The reply is
-- the one that adds a word of weight, or else of the first 20 the one with the most votes; it has an excerpt. A last row
-- without a thread has the number of words that were left out, and whether the search is incomplete: it reached a bound
-- of its work. Other threads may match.
--
-- Reads the index and the log after the index's cursor, both in the same snapshot: within these bounds it finds every
-- post whose 201 was sent, however late the index is. Only the newest 500 matching posts are ranked, so that a
-- common word costs no more than a rare one. If fewer threads than a page have all words, those with some of them follow. Plans are built once, and must not depend on how common a word was.
CREATE OR REPLACE FUNCTION search_threads(
    p_query text, p_limit int, p_community text, p_author bigint, p_first bigint
) RETURNS TABLE (
    thread_id bigint, place bigint, matched text, reply_id bigint, reply_text text, left_out int, incomplete boolean,
    share float8
)
LANGUAGE plpgsql STABLE ROWS 20 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    enough CONSTANT int := 500;
    some_max CONSTANT int := 200; -- posts with some of the words
    common_max CONSTANT int := 100; -- those without a rare one, in each pass
    common_bits CONSTANT int := 13; -- and among how many of the newest: at least 2^13 ids
    words_max CONSTANT int := 32;
    rare CONSTANT int := 1000; -- as in search_counts
    excerpt_bytes CONSTANT int := 200000; -- of the replies that are read for excerpts, from the best on
    excerpt_work CONSTANT int := 30000; -- and of them, characters whose words are made; of each at least 600
    shares CONSTANT float8[] := '{0.6, 0.3, 0}';
    share float8;
    common tsquery;
    all_bits CONSTANT int := 25;
    first_bits int := 10;
    narrow_max CONSTANT int := 4; -- words that are looked up together
    narrow tsquery;
    marks CONSTANT tsquery := nullif(concat_ws(' & ', '''in:' || p_community || '''', '''by:' || p_author || ''''), '');
    indexed CONSTANT bigint := (SELECT last_id FROM search_cursor);
    asked record;
    tail record;
    late record;
    found record;
    wider record;
    whole bigint[]; -- the posts with all words
    origins bigint[]; -- their threads
    partly bigint[] := '{}';
    partly_origins bigint[];
    weights float8[] := '{1}';
    unused int := 0;
    first text;
    bounded boolean;
BEGIN
    SELECT * INTO asked FROM search_words(p_query);
    IF numnode(asked.query) = 0 THEN
        RETURN;
    END IF;
    SELECT * INTO tail FROM search_log(indexed, p_community, p_author, p_first);
    IF cardinality(asked.words) > 1 THEN
        SELECT * INTO wider FROM search_some(asked.words, indexed, some_max, marks, p_first, tail.ids, tail.threads, tail.documents);
        weights := wider.weights;
        IF cardinality(asked.words) > words_max THEN
            first := quote_literal(asked.words[1]);
            -- the numbers of lines, processes and times differ wherever the same trace occurs
            SELECT array_agg(u.word), array_agg(u.weight), array_agg(u.held) INTO asked.words, weights, wider.held FROM (
                SELECT w.word, w.weight, w.held FROM unnest(asked.words, weights, wider.held) WITH ORDINALITY AS w (word, weight, held, n)
                ORDER BY w.held = 0, w.word = ANY (asked.lesser), w.word ~ '^\d', w.weight DESC, w.n LIMIT words_max
            ) u;
            unused := cardinality(wider.weights) - cardinality(asked.lesser)
                - (SELECT count(*) FROM unnest(asked.words) AS w WHERE w <> ALL (asked.lesser));
            -- parts of names without other words are chosen only if no post has another word: then no post has all words
            asked.query := coalesce((SELECT string_agg(quote_literal(w), ' & ') FROM unnest(asked.words) AS w
                WHERE w <> ALL (asked.lesser)), first)::tsquery;
            asked.phrases := ARRAY(SELECT p FROM unnest(asked.phrases) AS p
                WHERE string_to_array(p, ' ') <@ asked.words);
            asked.forms := '{}';
        END IF;
        IF asked.plain AND cardinality(asked.lesser) = 0 OR unused > 0 THEN
            -- a rare word leaves few posts, which can be looked at together
            SELECT CASE WHEN min(w.held) < rare THEN all_bits ELSE first_bits END,
                CASE WHEN count(*) > narrow_max
                    THEN array_to_string((array_agg(quote_literal(w.word) ORDER BY w.weight DESC))[:narrow_max], ' & ') END
            INTO first_bits, narrow FROM unnest(asked.words, weights, wider.held) AS w (word, weight, held)
            WHERE w.word <> ALL (asked.lesser);
        END IF;
        weights := ARRAY(SELECT CASE WHEN w.word = ANY (asked.lesser) AND w.word !~ '^-' THEN 0.3 ELSE 1 END * w.weight
            FROM unnest(asked.words, weights) WITH ORDINALITY AS w (word, weight, n) ORDER BY w.n);
    END IF;
    SELECT * INTO late FROM search_newest(asked.query, tail.ids, tail.threads, tail.documents);
    whole := late.ids[:enough];
    SELECT * INTO found
    FROM search_documents(asked.query, indexed, enough - cardinality(whole), marks, p_first, first_bits, all_bits, narrow);
    whole := whole || found.ids;
    origins := late.threads[:enough] || found.threads;
    bounded := tail.incomplete OR found.incomplete;

    -- hidden posts do not count, although the index may still have them
    IF cardinality(asked.words) > 1 AND (asked.excluded IS NOT NULL OR p_limit > (
        SELECT count(*) FROM posts t WHERE t.visible AND t.id = ANY (ARRAY(SELECT DISTINCT unnest(origins) LIMIT 2 * p_limit))
    )) THEN
        partly := wider.ids;
        partly_origins := wider.threads;
        -- without a rare word: the newest posts with most of the words, then with fewer, down to the rarest
        IF cardinality(partly) = 0 THEN
            FOREACH share IN ARRAY shares LOOP
                EXIT WHEN cardinality(partly) >= p_limit OR cardinality(wider.rarest) = 0;
                common := (SELECT string_agg(quote_literal(w), ' & ')
                    FROM unnest(wider.rarest[:least(words_max, greatest(1, ceil(share * cardinality(wider.rarest))))]) AS w);
                SELECT * INTO late FROM search_newest(common, tail.ids, tail.threads, tail.documents);
                SELECT * INTO found
                FROM search_documents(common, indexed, common_max, marks, p_first, p_to => common_bits);
                partly := partly || late.ids || found.ids;
                partly_origins := partly_origins || late.threads || found.threads;
            END LOOP;
        END IF;
        SELECT coalesce(array_agg(p.id), '{}'), origins || coalesce(array_agg(p.thread), '{}') INTO partly, origins FROM (
            SELECT u.id, u.thread FROM unnest(partly, partly_origins) WITH ORDINALITY AS u (id, thread, n)
            WHERE u.id <> ALL (whole) GROUP BY u.id, u.thread ORDER BY min(u.n) LIMIT some_max
        ) p;
    END IF;
    RETURN QUERY
    SELECT r.thread_id, r.place, CASE WHEN r.is_whole THEN 'all' ELSE 'some' END, p.id,
        -- the last row shows only that there are more
        CASE WHEN r.place < p_limit THEN search_excerpt(CASE
            WHEN sum(octet_length(p.body)) OVER (ORDER BY r.place) <= excerpt_bytes THEN p.body ELSE left(p.body, 1000)
        END, asked.words, weights, greatest(600, excerpt_work / p_limit)) END, NULL::int, NULL::boolean, r.share
    FROM search_rank(whole, partly, origins, asked.query, asked.excluded,
        (asked.plain OR unused > 0) AND cardinality(asked.lesser) = 0, asked.words, weights, asked.phrases, asked.forms,
        p_author, p_first, indexed, tail.ids, tail.documents, p_limit) r
        LEFT JOIN posts p ON p.id = coalesce(r.reply_id, (
            SELECT f.id FROM (
                SELECT o.id, o.score, o.visible, o.author_id FROM posts o WHERE o.parent = r.thread_id
                ORDER BY o.id LIMIT 20
            ) f WHERE f.visible AND f.score > 0 AND (p_author IS NULL OR f.author_id = p_author)
            ORDER BY f.score DESC, f.id LIMIT 1
        ));
    IF bounded OR unused > 0 THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL::bigint, NULL, unused, bounded, NULL::float8;
    END IF;
END $$;
