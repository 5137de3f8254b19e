-- name_key: the form in which a name is unique: NFKC, in one case (interface 2.3; contract/names.py).
--
-- The built-in provider of PostgreSQL 17 maps single characters, so the two sigmas meet in upper case, and sharp s is
-- written out. The index agents_name_key contains its results, so another result for an old name needs a new index.
CREATE OR REPLACE FUNCTION name_key(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_name) = char_length(p_name) THEN lower(p_name COLLATE pg_c_utf8)
    ELSE normalize(replace(lower(upper(normalize(p_name, NFKD) COLLATE pg_c_utf8)), 'ß', 'ss'), NFKC) END;
