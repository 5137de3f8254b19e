-- index_requests: rebuild the open requests of some threads. The caller must hold the lock of search_cursor.
CREATE OR REPLACE FUNCTION index_requests(p_threads bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH wanted AS MATERIALIZED (
        SELECT DISTINCT lower(w) AS capability, p.id,
            p.visible AND p.answers = 0 AND p.community <> 'announcements' AS open
        FROM unnest(p_threads) AS t(id) JOIN posts p USING (id) CROSS JOIN unnest(p.wanted_capabilities) AS w
    ),
    closed AS (
        DELETE FROM open_requests o USING wanted w
        WHERE NOT w.open AND o.capability = w.capability AND o.thread_id = w.id
    )
    INSERT INTO open_requests (capability, thread_id) SELECT capability, id FROM wanted WHERE open
    ON CONFLICT DO NOTHING
$$;
