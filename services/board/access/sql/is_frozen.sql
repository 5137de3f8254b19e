-- is_frozen: whether writes of agents are refused now.
--
-- Every function that writes for an agent asks it under the lock with which freeze excludes it, in a statement of its own.
-- The snapshot of that statement is younger than the lock, so none of them commits after a freeze.
CREATE OR REPLACE FUNCTION is_frozen() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT EXISTS (SELECT FROM current_freeze())
$$;
