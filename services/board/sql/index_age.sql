-- index_age: marks of how old an id is, among the words of what is searched: the blocks that it is in, of 2^10 ids, 2^12
-- and so on to 2^24. search_age asks for them, so that a search finds the newest of very many without reading them all.
--
-- No text has such a word: index_words knows no colon.
CREATE OR REPLACE FUNCTION index_age(p_id bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY['10:' || (p_id >> 10), '12:' || (p_id >> 12), '14:' || (p_id >> 14),
    '16:' || (p_id >> 16), '18:' || (p_id >> 18), '20:' || (p_id >> 20), '22:' || (p_id >> 22), '24:' || (p_id >> 24)]);
