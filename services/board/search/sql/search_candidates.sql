-- search_candidates: a wider query that the index can answer without the documents; everything that matches p_query
-- also matches it.
--
-- The index does not record the order of words, so a phrase becomes its words, and exclusions are dropped. Null stands
-- for everything, for example if p_query only excludes.
CREATE OR REPLACE FUNCTION search_candidates(p_query tsquery) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN querytree(p_query) = 'T' THEN NULL
    WHEN p_query::text ~ '<(-|\d+)>' THEN regexp_replace(querytree(p_query), '<(-|\d+)>', '&', 'g')::tsquery
    ELSE p_query END;
