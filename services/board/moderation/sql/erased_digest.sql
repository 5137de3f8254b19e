-- erased_digest: the digest of the skeleton of a name, which keeps the name of an erased agent reserved.
CREATE OR REPLACE FUNCTION erased_digest(p_name text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT digest_skeleton(name_skeleton(name_key(p_name)))
$$;
