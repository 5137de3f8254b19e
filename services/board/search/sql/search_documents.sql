-- search_documents: the newest posts in the index that match, at most p_enough, with their threads: those from p_first on,
-- with p_marks (search_marks); null does not filter. Of one thread it finds itself and its newest replies, at most 10,
-- so that a long thread does not crowd others out.
--
-- Asks for the newest blocks of ids first and for larger ones until enough posts match (search_age): four times larger,
-- or as large as the matches so far let expect. The index by itself cannot decide about phrases (search_candidates): for
-- these, documents are read, about 5 MB of them, and fewer for a long query. The result is incomplete if more candidates
-- are left, or one that cannot be decided (search_match). p_narrow, if not null, is the words of the query without the
-- most common ones: the index finds few threads with these faster than it reads the long lists of common words. It is
-- given up if it finds too many. No block is larger than 2^p_bits ids.
CREATE OR REPLACE FUNCTION search_documents(
    p_query tsquery, p_parts tsquery[], p_indexed bigint, p_enough int, p_marks tsquery, p_first bigint,
    p_narrow tsquery,
    p_bits int DEFAULT 26, OUT ids bigint[], OUT threads bigint[], OUT incomplete boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    finding_bytes CONSTANT int := 1000; -- finding a document costs as much as reading this many bytes
    visits_max CONSTANT int := 10000; -- matches in a block; usually at most four times p_enough
    replies_max CONSTANT int := 10;
    together CONSTANT int := 100;
    bytes int := 5000000;
    candidates tsquery := search_candidates(p_query);
    exact boolean := candidates = p_query;
    asked CONSTANT tsquery := candidates;
    narrow tsquery := nullif(p_narrow, candidates);
    undecided boolean := false;
    block tsquery;
    bits int := 10;
    steps int := 1; -- of two bits, from the block before
    decided bigint := p_indexed + 1; -- all candidates from this id on are decided
    whole boolean := false;
    found bigint[];
    origins bigint[]; -- their threads
    post bigint;
    thread bigint;
    document tsvector;
BEGIN
    ids := '{}';
    threads := '{}';
    incomplete := false;
    candidates := coalesce(candidates && p_marks, candidates, p_marks);
    narrow := coalesce(narrow && p_marks, narrow);
    WHILE NOT (whole OR incomplete OR bits > p_bits OR cardinality(ids) = p_enough OR decided <= p_first) LOOP
        whole := p_indexed >> bits <= 1 OR bits > 24;
        block := search_age(p_indexed, least(bits, 24));
        block := CASE WHEN whole THEN coalesce(narrow, candidates, block)
            ELSE coalesce(coalesce(narrow, candidates) && block, block) END;
        -- not ordered here, or a plan could walk along the ids instead of using the index on words
        SELECT coalesce(array_agg(b.thread_id), '{}'), coalesce(array_agg(b.thread), '{}') INTO found, origins FROM (
            SELECT s.thread_id, coalesce(s.parent, s.thread_id) AS thread FROM thread_search s
            WHERE s.document @@ block LIMIT visits_max + 1
        ) b;
        IF narrow IS NOT NULL THEN
            IF cardinality(found) > visits_max THEN
                narrow := NULL;
                whole := false;
                CONTINUE;
            END IF;
            -- IS TRUE, because the index on words must not be used here
            SELECT coalesce(array_agg(s.thread_id), '{}'), coalesce(array_agg(coalesce(s.parent, s.thread_id)), '{}')
            INTO found, origins FROM thread_search s
            WHERE s.thread_id = ANY (found) AND (s.document @@ asked) IS TRUE;
        END IF;
        IF cardinality(found) > visits_max AND steps > 1 THEN
            bits := bits - 2 * (steps - 1);
            steps := 1;
            whole := false;
            CONTINUE;
        END IF;
        undecided := undecided OR cardinality(found) > visits_max;
        SELECT coalesce(array_agg(f.id ORDER BY f.id DESC), '{}'), coalesce(array_agg(f.thread ORDER BY f.id DESC), '{}')
        INTO found, origins FROM (
            SELECT u.*, row_number() OVER (PARTITION BY u.thread ORDER BY u.id <> u.thread, u.id DESC) AS nth
            FROM unnest(found, origins) AS u (id, thread) WHERE u.id < decided AND u.thread >= p_first
        ) f WHERE f.nth <= replies_max OR NOT exact;
        IF exact THEN
            threads := threads || origins[:p_enough - cardinality(ids)];
            ids := ids || found[:p_enough - cardinality(ids)];
            found := '{}';
        END IF;
        -- together, because documents of near ids are on the same pages
        FOR n IN 1..cardinality(found) BY together LOOP
            FOR post, thread, document IN
                SELECT s.thread_id, coalesce(s.parent, s.thread_id), s.document FROM thread_search s
                WHERE s.thread_id = ANY (found[n:(n + together - 1)]) ORDER BY s.thread_id DESC
            LOOP
                EXIT WHEN cardinality(ids) = p_enough;
                CONTINUE WHEN post <> thread AND cardinality(array_positions(threads, thread)) >= replies_max;
                incomplete := bytes <= 0;
                EXIT WHEN incomplete;
                bytes := bytes - finding_bytes - pg_column_size(document) * (1 + numnode(p_query) / 8);
                CASE search_match(document, p_query, p_parts)
                    WHEN true THEN
                        ids := ids || post;
                        threads := threads || thread;
                    WHEN false THEN NULL;
                    ELSE undecided := true;
                END CASE;
            END LOOP;
            EXIT WHEN incomplete OR cardinality(ids) = p_enough;
        END LOOP;
        decided := ((p_indexed >> bits) - 1) << bits;
        steps := greatest(1, floor(log(4, 4 * p_enough / (cardinality(ids) + 1.0)))::int);
        bits := greatest(bits + 2, least(bits + 2 * steps, p_bits));
    END LOOP;
    incomplete := incomplete OR undecided;
END $$;
