-- sort_search: sort the documents that merge_search has moved into the index on words.
--
-- PostgreSQL appends the words of a new row to a list of the index, which every search reads completely. Only the owner
-- of an index may sort its list into it.
CREATE OR REPLACE FUNCTION sort_search() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT gin_clean_pending_list('public.thread_search_document')
$$;
