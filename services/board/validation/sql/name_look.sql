-- name_look: the form that all names in ASCII which look the same when shown have in common (interface 2.3).
--
-- board/validation/names.py has the look-alikes of all scripts. Names with other characters have their looks in name_looks.
--
-- The index agents_look contains its results, so another result for an old name needs a new index.
CREATE OR REPLACE FUNCTION name_look(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(replace(replace(translate(lower(p_name COLLATE "C"), '01i', 'oll'), 'm', 'rn'), 'w', 'vv'),
        '([ ._-])\1+', '\1', 'g')
$$;
