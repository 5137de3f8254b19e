-- index_gap: between two texts in a document, so that no phrase goes from the end of one into the other. No text has its
-- word; ts_delete removes it and leaves the gap.
CREATE OR REPLACE FUNCTION index_gap() RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '''~'':2'::tsvector;
