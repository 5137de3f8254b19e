-- search_age: a query for ids in the two newest blocks of 2^p_bits ids, up to p_newest (see index_age).
CREATE OR REPLACE FUNCTION search_age(p_newest bigint, p_bits int) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('''%1$s:%2$s'' | ''%1$s:%3$s''', p_bits, p_newest >> p_bits, (p_newest >> p_bits) - 1)::tsquery;

-- search_candidates: a wider query that the index can answer without the documents; everything that matches p_query
-- also matches it.
--
-- The index does not record the order of words, so a phrase becomes its words.
CREATE OR REPLACE FUNCTION search_candidates(p_query tsquery) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_query::text ~ '<(-|\d+)>' THEN regexp_replace(p_query::text, '<(-|\d+)>', '&', 'g')::tsquery
    ELSE p_query END;

-- search_documents: the newest posts in the index that match, at most p_enough, with their threads: those from p_first on,
-- with p_marks (index_marks); null does not filter. Of one thread it finds itself and its newest replies, at most 10,
-- so that a long thread does not crowd others out.
--
-- Looks into the newest block of ids first, and then into blocks eight times larger, until enough posts match: one
-- statement for each from 2^p_from ids to 2^p_to, at most six (search_age); 25 bits stand for all ids. p_narrow, if not
-- null, is some words of the query: looking the others up costs more than reading what has these. Its candidates, and
-- those for a phrase (search_candidates), are read, about 5 MB of documents, and fewer for a long query. The result is
-- incomplete if a block has more matches than are visited, or if candidates are left. A document keeps 255 positions of a
-- word, so a phrase that stands only behind these is not found.
CREATE OR REPLACE FUNCTION search_documents(
    p_query tsquery, p_indexed bigint, p_enough int, p_marks tsquery, p_first bigint, p_from int DEFAULT 10,
    p_to int DEFAULT 25, p_narrow tsquery DEFAULT NULL, OUT ids bigint[], OUT threads bigint[], OUT incomplete boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    visits_max CONSTANT int := 10000; -- usually at most sixteen times p_enough
    finding_bytes CONSTANT int := 1000; -- finding a document costs as much as reading this many bytes
    replies_max CONSTANT int := 10;
    together CONSTANT int := 100;
    candidates CONSTANT tsquery := coalesce(p_narrow, search_candidates(p_query));
    reading CONSTANT boolean := candidates <> p_query;
    bytes int := 5000000;
    newest tsquery; -- null for all ids
    block tsquery;
    decided bigint := p_indexed + 1; -- all posts from this id on are decided
    found bigint[];
    origins bigint[]; -- their threads
    post record;
BEGIN
    ids := '{}';
    threads := '{}';
    incomplete := false;
    FOR bits IN p_from..p_to BY 3 LOOP
        EXIT WHEN bytes <= 0 OR decided <= p_first OR cardinality(ids) >= p_enough;
        newest := CASE WHEN p_indexed >> bits > 1 AND bits < 25 THEN search_age(p_indexed, bits) END;
        block := coalesce(candidates && newest, candidates);
        block := coalesce(block && p_marks, block);
        -- not ordered inside, or a plan could walk along the ids instead of using the index on words
        SELECT coalesce(array_agg(m.id ORDER BY m.id DESC) FILTER (WHERE m.counts), '{}'),
            coalesce(array_agg(m.thread ORDER BY m.id DESC) FILTER (WHERE m.counts), '{}'),
            incomplete OR count(*) > visits_max
        INTO found, origins, incomplete FROM (
            SELECT b.id, b.thread, b.counts AND (reading OR replies_max >= row_number() OVER (
                PARTITION BY b.counts, b.thread ORDER BY b.id <> b.thread, b.id DESC)) AS counts
            FROM (
                SELECT s.thread_id AS id, coalesce(s.parent, s.thread_id) AS thread,
                    s.thread_id < decided AND coalesce(s.parent, s.thread_id) >= p_first AS counts
                FROM thread_search s WHERE s.document @@ block LIMIT visits_max + 1
            ) b
        ) m;
        IF NOT reading THEN
            ids := ids || found;
            threads := threads || origins;
            found := '{}';
        END IF;
        -- together, because documents of near ids are on the same pages
        FOR n IN 1..cardinality(found) BY together LOOP
            EXIT WHEN bytes <= 0 OR cardinality(ids) = p_enough;
            FOR post IN
                SELECT s.thread_id AS id, coalesce(s.parent, s.thread_id) AS thread, s.document FROM thread_search s
                WHERE s.thread_id = ANY (found[n:n + together - 1]) ORDER BY s.thread_id DESC
            LOOP
                EXIT WHEN bytes <= 0 OR cardinality(ids) = p_enough;
                CONTINUE WHEN post.id <> post.thread
                    AND cardinality(array_positions(threads, post.thread)) >= replies_max;
                bytes := bytes - finding_bytes - pg_column_size(post.document) * (1 + numnode(p_query) / 8);
                IF post.document @@ p_query THEN
                    ids := ids || post.id;
                    threads := threads || post.thread;
                END IF;
            END LOOP;
        END LOOP;
        decided := CASE WHEN newest IS NULL THEN 0 ELSE ((p_indexed >> bits) - 1) << bits END;
    END LOOP;
    incomplete := incomplete OR bytes <= 0;
    ids := ids[:p_enough];
    threads := threads[:p_enough];
END $$;
