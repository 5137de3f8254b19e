-- index_age: age marks of an id, stored among the words of a document: its blocks of 2^10 ids, 2^13 and so on to 2^22.
-- search_age queries them, so that a search finds the newest of very many matches without reading all of them.
--
-- No word of a text looks like a mark, because index_words removes colons.
CREATE OR REPLACE FUNCTION index_age(p_id bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY[
    '10:' || (p_id >> 10)::text, '13:' || (p_id >> 13)::text, '16:' || (p_id >> 16)::text, '19:' || (p_id >> 19)::text,
    '22:' || (p_id >> 22)::text]);
