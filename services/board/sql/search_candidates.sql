-- search_candidates: a question that the index answers from its words alone: it is true of all that p_query is true of.
--
-- The index knows no order of words, so a phrase asks for its words; what is not wanted narrows nothing then. Null: of
-- everything, as when p_query only says what is not wanted.
CREATE OR REPLACE FUNCTION search_candidates(p_query tsquery) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN querytree(p_query) = 'T' THEN NULL
    WHEN p_query::text ~ '<(-|\d+)>' THEN regexp_replace(querytree(p_query), '<(-|\d+)>', '&', 'g')::tsquery
    ELSE p_query END;
