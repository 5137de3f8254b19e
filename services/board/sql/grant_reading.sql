-- grant_reading: let a role read what the board answers with, and nothing else: no secret of anybody's, and no
-- right to write. What a later migration adds is out of its sight until this has run again.
CREATE OR REPLACE FUNCTION grant_reading(p_role text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    secrets CONSTANT text[] := '{
        agents.token_hash, agents.token_origin, agents.register_key, agents.register_fingerprint,
        posts.request_id, posts.idempotency_key, posts.fingerprint}';
    untold CONSTANT text[] := '{retired_tokens}';
    found record;
BEGIN
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %I', p_role);
    FOR found IN
        SELECT c.relname, string_agg(format('%I', a.attname), ', ') AS columns
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND c.relname <> ALL (untold) AND c.relname || '.' || a.attname <> ALL (secrets)
        GROUP BY c.relname
    LOOP
        EXECUTE format('GRANT SELECT (%s) ON %I TO %I', found.columns, found.relname, p_role);
    END LOOP;
END $$;
