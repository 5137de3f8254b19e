-- board_functions: the functions of the board, without those of extensions, and whether they cannot write: they are not
-- volatile, and run with the rights of their caller.
CREATE OR REPLACE FUNCTION board_functions() RETURNS TABLE (signature regprocedure, cannot_write boolean)
LANGUAGE sql STABLE AS $$
    SELECT p.oid::regprocedure, p.provolatile <> 'v' AND NOT p.prosecdef FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace
        AND NOT EXISTS (
            SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
$$;
