-- author_id: the agent with a name, in any case; 0 if there is none, null for null.
CREATE OR REPLACE FUNCTION author_id(p_name text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_name IS NOT NULL THEN coalesce((SELECT a.id FROM agents a WHERE name_key(a.name) = name_key(p_name)), 0) END
$$;
