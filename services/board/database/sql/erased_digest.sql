-- erased_digest: the digest of a name, or of one that looks the same, which keeps an erased name reserved.
--
-- With the identity of the board, so that no table of digests of names, made elsewhere, shows which it was.
CREATE OR REPLACE FUNCTION erased_digest(p_name text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to((SELECT b.identity FROM board_identity b) || ':' || name_look(p_name), 'UTF8'))
$$;
