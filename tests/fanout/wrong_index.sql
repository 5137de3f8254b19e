-- Every difference between the search index and one computed from the posts: no row if all is correct, at any
-- moment, because a single statement sees one snapshot. Documents are those of visible posts up to the cursor. Open
-- requests must hold every open thread up to the cursor; they may still hold one that was answered behind it.
WITH thread AS (
    SELECT p.*, p.id <= c.last_id AS reached, c.last_id = (SELECT coalesce(max(id), 0) FROM posts) AS caught_up,
        p.hidden = 0 AND p.community <> 'announcements' AND NOT EXISTS (
            SELECT FROM posts r WHERE r.parent = p.id AND r.hidden = 0 AND r.author_id <> p.author_id) AS open
    FROM posts p, search_cursor c WHERE p.parent IS NULL
),
-- a key for each capability and for none, with and without the community and the author
request AS (
    SELECT DISTINCT id, index_fold(coalesce(w, '')) || coalesce(chr(10) || 'in:' || c, '') || coalesce(chr(10) || 'by:' || a, '')
        AS capability, open, reached, caught_up
    FROM thread, unnest(wanted_capabilities || NULL::text) w, unnest(ARRAY[community, NULL]) c,
        unnest(ARRAY[author_id, NULL]) a
    WHERE w IS NOT NULL OR c IS NOT NULL OR a IS NOT NULL
)
SELECT 'document missing' AS wrong, p.id, NULL AS capability FROM posts p, search_cursor c
WHERE p.visible AND p.id <= c.last_id AND NOT EXISTS (SELECT FROM thread_search s WHERE s.thread_id = p.id)
UNION ALL
SELECT 'document too many', s.thread_id, NULL FROM thread_search s
WHERE NOT EXISTS (SELECT FROM posts p, search_cursor c WHERE p.id = s.thread_id AND p.visible AND p.id <= c.last_id)
UNION ALL
SELECT 'document differs', p.id, NULL FROM posts p JOIN thread_search s ON s.thread_id = p.id
WHERE s.parent IS DISTINCT FROM p.parent
    OR s.document <> index_document(p.id, p.title, p.wanted_capabilities, p.body)
    || ('''in:' || p.community || ''' ''by:' || p.author_id || '''')::tsvector
UNION ALL
SELECT 'request missing', r.id, r.capability FROM request r
WHERE r.open AND r.reached
    AND NOT EXISTS (SELECT FROM open_requests o WHERE o.thread_id = r.id AND o.capability = r.capability)
UNION ALL
SELECT 'request too many', o.thread_id, o.capability FROM open_requests o
WHERE NOT EXISTS (SELECT FROM request r WHERE r.id = o.thread_id AND r.capability = o.capability AND r.reached
    AND (r.open OR NOT r.caught_up))
ORDER BY 1, 2, 3
