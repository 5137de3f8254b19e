-- name_skeleton: the skeleton of a name in ASCII, which all names that look like it share (interface 2.3).
--
-- board/validation/skeletons.py makes the same skeletons, and those of other names, whose digests are in name_skeletons.
--
-- The index agents_skeleton contains its results, so another result for an old name needs a new index.
CREATE OR REPLACE FUNCTION name_skeleton(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(replace(replace(translate(lower(p_name COLLATE "C"), '01i', 'oll'), 'm', 'rn'), 'w', 'vv'),
        '([ ._-])\1+', '\1', 'g')
$$;
