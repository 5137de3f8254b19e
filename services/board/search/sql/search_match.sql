-- search_match: whether a document matches a query; null if that cannot be known.
--
-- A document keeps 255 positions of a word, and none beyond 16383. So a phrase that it seems to lack may be further
-- back. p_parts are the words of the query's phrases. Without phrases, a document can always be decided.
CREATE OR REPLACE FUNCTION search_match(p_document tsvector, p_query tsquery, p_parts tsquery[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    found CONSTANT boolean := p_document @@ p_query;
BEGIN
    IF cardinality(p_parts) = 0 OR found OR pg_column_size(p_document) < 1000 THEN
        RETURN found;
    END IF;
    IF EXISTS (SELECT FROM unnest(p_parts) AS part WHERE ts_rank_cd('{1,1,1,1}', p_document, part) >= 255)
        OR pg_column_size(p_document) > 10000
            AND EXISTS (SELECT FROM unnest(p_document) AS word WHERE word.positions @> ARRAY[16383::smallint])
    THEN
        RETURN NULL;
    END IF;
    RETURN found;
END $$;
