-- index_key: the key under which open_requests holds the open threads that want a capability, in a community or by an
-- author; null does not filter. Capabilities are single lines.
-- Functions are created in the order of their names, and index_requests needs this one.
CREATE OR REPLACE FUNCTION index_key(p_capability text, p_community text, p_author bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN index_fold(coalesce(p_capability, '')) || coalesce(E'\nin:' || p_community, '') || coalesce(E'\nby:' || p_author::text, '');
