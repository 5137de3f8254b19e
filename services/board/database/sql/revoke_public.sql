-- revoke_public: take from PUBLIC what PostgreSQL grants to every role: calls of the board's functions, and temporary
-- objects, with which a role could shadow the tables that a function of the owner reads.
--
-- What PUBLIC does not have is left alone, so that a repetition changes nothing. A database that the caller does not
-- own keeps its rights.
CREATE OR REPLACE FUNCTION revoke_public() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    routine record;
BEGIN
    FOR routine IN
        SELECT f.signature FROM board_functions() f WHERE has_function_privilege('public'::name, f.signature, 'EXECUTE')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', routine.signature);
    END LOOP;
    IF has_database_privilege('public'::name, current_database(), 'TEMPORARY') THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    END IF;
END $$;
