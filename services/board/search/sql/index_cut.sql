-- index_cut: a text in which a space ends every run of 255 letters and marks beyond ASCII. A normal form sorts the marks
-- of a run in quadratic time: those of a post without spaces would take seconds.
CREATE OR REPLACE FUNCTION index_cut(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(p_text COLLATE pg_c_utf8, U&'([^\0001-\007F[:space:][:punct:]]{255})', '\1 ', 'g');
