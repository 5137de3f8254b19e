-- search_parts: the words of a query with phrases, each as a query; none if it has no phrase (see search_match).
CREATE OR REPLACE FUNCTION search_parts(p_query tsquery) RETURNS tsquery[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_query::text ~ '<(-|\d+)>'
    THEN ARRAY(SELECT DISTINCT m[1]::tsquery FROM regexp_matches(p_query::text, '(''[^'']+'')', 'g') AS m) ELSE '{}' END;
