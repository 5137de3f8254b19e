-- search_documents: the newest posts in the index that match, at most p_enough, with their threads: those from p_first on,
-- with p_marks (search_marks); null does not filter. Of one thread it finds itself and its newest replies, at most 10,
-- so that a long thread does not crowd others out.
--
-- Asks for the newest blocks of ids first, and then for blocks four times larger, until enough posts match (search_age).
-- Blocks only grow, up to 2^p_bits ids, so there are at most ten rounds; 26 bits cover all ids. Where the index by
-- itself cannot decide (search_candidates), documents are read, about 5 MB of them, and fewer for a long query. The
-- result is incomplete if more candidates are left, or one that cannot be decided (search_match). p_narrow, if not null,
-- is the words of the query without the most common ones: reading the few documents that have these costs less than
-- reading the long lists of common words. It is given up if it finds too many, even in the round before the last.
CREATE OR REPLACE FUNCTION search_documents(
    p_query tsquery, p_parts tsquery[], p_indexed bigint, p_enough int, p_marks tsquery, p_first bigint,
    p_narrow tsquery,
    p_bits int DEFAULT 28, OUT ids bigint[], OUT threads bigint[], OUT incomplete boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    finding_bytes CONSTANT int := 1000; -- finding a document costs as much as reading this many bytes
    visits_max CONSTANT int := 10000; -- matches in a block; usually at most eight times p_enough
    narrow_max CONSTANT int := 500; -- and those of p_narrow
    replies_max CONSTANT int := 10;
    together CONSTANT int := 100;
    bytes int := 5000000;
    candidates tsquery := coalesce(p_narrow, search_candidates(p_query));
    narrow boolean := p_narrow <> p_query;
    undecided boolean := false;
    newest tsquery; -- null for all ids
    block tsquery;
    decided bigint := p_indexed + 1; -- all candidates from this id on are decided
    found bigint[];
    origins bigint[]; -- their threads
    post bigint;
    thread bigint;
    document tsvector;
BEGIN
    ids := '{}';
    threads := '{}';
    incomplete := false;
    FOR bits IN 10..p_bits BY 2 LOOP
        EXIT WHEN incomplete OR cardinality(ids) = p_enough OR decided <= p_first;
        newest := CASE WHEN p_indexed >> bits > 1 AND bits <= 24 THEN search_age(p_indexed, bits) END;
        block := coalesce(candidates && newest, candidates, newest);
        block := coalesce(block && p_marks, block, p_marks, search_age(p_indexed, 24));
        -- not ordered here, or a plan could walk along the ids instead of using the index on words
        SELECT coalesce(array_agg(b.thread_id), '{}'), coalesce(array_agg(b.thread), '{}') INTO found, origins FROM (
            SELECT s.thread_id, coalesce(s.parent, s.thread_id) AS thread FROM thread_search s
            WHERE s.document @@ block LIMIT visits_max + 1
        ) b;
        IF narrow AND cardinality(found) > narrow_max THEN
            candidates := search_candidates(p_query);
            narrow := false;
            CONTINUE;
        END IF;
        undecided := undecided OR cardinality(found) > visits_max;
        SELECT coalesce(array_agg(f.id ORDER BY f.id DESC), '{}'), coalesce(array_agg(f.thread ORDER BY f.id DESC), '{}')
        INTO found, origins FROM (
            SELECT u.*, row_number() OVER (PARTITION BY u.thread ORDER BY u.id <> u.thread, u.id DESC) AS nth
            FROM unnest(found, origins) AS u (id, thread) WHERE u.id < decided AND u.thread >= p_first
        ) f WHERE f.nth <= replies_max OR candidates <> p_query;
        IF candidates = p_query THEN
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
        decided := CASE WHEN newest IS NULL THEN 0 ELSE ((p_indexed >> bits) - 1) << bits END;
    END LOOP;
    incomplete := incomplete OR undecided;
END $$;
