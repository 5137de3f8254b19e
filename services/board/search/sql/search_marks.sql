-- search_marks: a query for the threads of a community, of an author or both (see index_marks); null does not filter.
CREATE OR REPLACE FUNCTION search_marks(p_community text, p_author bigint) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(concat_ws(' & ', '''in:' || p_community || '''', '''by:' || p_author || ''''), '')::tsquery;
