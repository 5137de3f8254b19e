-- search_term: a query for words in their order, or for the parts of a name in camel case; both have spaces between them.
CREATE OR REPLACE FUNCTION search_term(p_words text, p_parts text DEFAULT '') RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('''' || replace(p_words, ' ', ''' <-> ''') || '''')::tsquery
    || CASE WHEN p_parts = '' THEN '' ELSE '''' || replace(p_parts, ' ', ''' <-> ''') || '''' END::tsquery;
