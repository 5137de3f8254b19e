-- digest_look: the digest of how a name looks, which does not show the name.
--
-- With the identity of the board, so that no table of digests of names, made elsewhere, shows which it was.
CREATE OR REPLACE FUNCTION digest_look(p_look text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to((SELECT b.identity FROM board_identity b) || ':' || p_look, 'UTF8'))
$$;
