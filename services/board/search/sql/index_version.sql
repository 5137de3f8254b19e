-- index_version: the number of the words that index_text makes. A document with other words is not found by them.
--
-- One more with each change of index_text. Documents of another version are written again (index_log, index_agents);
-- until then, searches are incomplete.
CREATE OR REPLACE FUNCTION index_version() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 4;
