-- search_candidates: a wider query that the index can answer without the documents; everything that matches p_query
-- also matches it.
--
-- The index does not record the order of words, so a phrase becomes its words.
CREATE OR REPLACE FUNCTION search_candidates(p_query tsquery) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_query::text ~ '<(-|\d+)>' THEN regexp_replace(p_query::text, '<(-|\d+)>', '&', 'g')::tsquery
    ELSE p_query END;
