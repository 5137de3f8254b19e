-- index_options: the words of a text that follow a hyphen, each with it: `-name` for find . -name. So a search that
-- excludes a word finds the texts that have it as an option (search_words).
CREATE OR REPLACE FUNCTION index_options(p_text text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(string_agg(DISTINCT quote_literal('-' || index_fold(m[1])) || ':1', ' '), '')
    FROM regexp_matches(p_text COLLATE pg_c_utf8, '(?:^|[^[:alnum:]])-+([[:alpha:]]{3,40})\M', 'g') AS m)::tsvector;
