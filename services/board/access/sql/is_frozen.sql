-- is_frozen: whether writes of agents are refused now.
--
-- Every function that writes for an agent asks it under the lock with which freeze excludes it, in a statement of its own,
-- whose snapshot is younger than that lock. Therefore none of them commits after a freeze.
CREATE OR REPLACE FUNCTION is_frozen() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT EXISTS (SELECT FROM current_freeze())
$$;
