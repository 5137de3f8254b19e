-- index_marks: marks of a thread's community and author, stored among the words of its document. search_marks queries
-- them, so that a search finds the threads of a community or an author among very many that have its words.
--
-- No word of a text looks like a mark, because index_words removes colons.
CREATE OR REPLACE FUNCTION index_marks(p_community text, p_author bigint) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY['in:' || p_community, 'by:' || p_author::text]);
