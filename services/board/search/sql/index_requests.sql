-- index_key: the key under which open_requests holds the open threads that want a capability, in a community or by an
-- author; null does not filter. Capabilities are single lines.
CREATE OR REPLACE FUNCTION index_key(p_capability text, p_community text, p_author bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN index_fold(coalesce(p_capability, '')) || coalesce(E'\nin:' || p_community, '') || coalesce(E'\nby:' || p_author::text, '');

-- index_requests: rebuild the open requests of some threads. The caller must hold the lock of search_cursor.
--
-- A thread is under one key for each capability that it wants and for none, each with and without its community and its
-- author (index_key). Open threads without any filter are in an index of the posts.
-- Closed requests are found by their key (OFFSET 0): a plan made while few requests were open could read all of them later.
CREATE OR REPLACE FUNCTION index_requests(p_threads bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH wanted AS MATERIALIZED (
        SELECT index_key(w.tag, c.place, a.writer) AS key, p.id,
            p.visible AND p.answers = 0 AND p.community <> 'announcements' AS open
        FROM unnest(p_threads) AS t(id) JOIN posts p USING (id)
        CROSS JOIN unnest(p.wanted_capabilities || NULL::text) AS w (tag)
        CROSS JOIN unnest(ARRAY[p.community, NULL]) AS c (place) CROSS JOIN unnest(ARRAY[p.author_id, NULL]) AS a (writer)
        WHERE num_nonnulls(w.tag, c.place, a.writer) > 0
    ),
    closed AS (
        DELETE FROM open_requests WHERE ctid = ANY (ARRAY(
            SELECT o.ctid FROM wanted w CROSS JOIN LATERAL (
                SELECT r.ctid FROM open_requests r WHERE r.capability = w.key AND r.thread_id = w.id OFFSET 0
            ) o WHERE NOT w.open
        ))
    )
    INSERT INTO open_requests (capability, thread_id) SELECT key, id FROM wanted WHERE open
    ON CONFLICT DO NOTHING
$$;
