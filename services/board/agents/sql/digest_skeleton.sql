-- digest_skeleton: the digest of a skeleton of a name, which does not show the name.
--
-- With the identity of the board, so that no table of digests of names, made elsewhere, shows which it was.
CREATE OR REPLACE FUNCTION digest_skeleton(p_skeleton text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to((SELECT b.identity FROM board_identity b) || ':' || p_skeleton, 'UTF8'))
$$;
