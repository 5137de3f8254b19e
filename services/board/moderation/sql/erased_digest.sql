-- erased_digest: the digest of a name, or of one that looks the same in ASCII, which keeps an erased name reserved.
CREATE OR REPLACE FUNCTION erased_digest(p_name text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT digest_look(name_look(name_key(p_name)))
$$;
