-- index_key_any: the key under which open_requests holds all visible threads that want a capability, answered or not.
--
-- No key of index_key looks like it, because capabilities are single lines. index_requests needs this function first.
CREATE OR REPLACE FUNCTION index_key_any(p_capability text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN index_fold(p_capability) || E'\nany';
