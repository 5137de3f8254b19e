-- index_after_crash: the trigger that moves the cursor of the search index back to the documents that a crash has left.
--
-- fresh_search is unlogged, because its documents can be made again: every recovery from a crash empties it, and
-- confirmed_starts with it. Nothing is read before that table has a row again (database/admission.py), so no search
-- misses these documents.
CREATE OR REPLACE FUNCTION index_after_crash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM fresh_search) THEN
        UPDATE search_cursor SET last_id = merged_id WHERE last_id > merged_id;
    END IF;
    RETURN NULL;
END $$;
