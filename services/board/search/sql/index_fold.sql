-- index_cut: a text in which a space ends every run of 255 letters and marks beyond ASCII. A normal form sorts the marks
-- of a run in quadratic time: those of a post without spaces would take seconds.
CREATE OR REPLACE FUNCTION index_cut(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(p_text COLLATE pg_c_utf8, U&'([^\0001-\007F[:space:][:punct:]]{255})', '\1 ', 'g');

-- index_fold: a text for comparison: NFKC, in one case by Unicode's rules, and without format characters. Tags are equal
-- if this is equal (validation/values.py).
--
-- The built-in provider of PostgreSQL 17 maps single characters, so the two sigmas meet in upper case, and sharp s is
-- written out. Joiners, soft hyphens, variation selectors and marks of direction vanish.
CREATE OR REPLACE FUNCTION index_fold(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_text) = char_length(p_text) THEN lower(p_text COLLATE pg_c_utf8)
    ELSE normalize(replace(lower(upper(left(normalize(index_cut(regexp_replace(p_text,
        U&'[\00AD\034F\0600-\0605\061C\06DD\070F\115F\1160\17B4\17B5\180B-\180F\200B-\200F\202A-\202E\2060-\206F\3164\FE00-\FE0F\FEFF\FFA0\FFF9-\FFFB\+0E0000-\+0E0FFF]+',
        '', 'g')), NFKD), greatest(1000, 4 * char_length(p_text))) COLLATE pg_c_utf8)), 'ß', 'ss'), NFKC) END;
