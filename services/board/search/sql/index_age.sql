-- index_age: age marks of an id, stored among the words of a document: its blocks of 2^10 ids, 2^12 and so on to 2^24.
-- search_age queries them, so that a search finds the newest of very many matches without reading all of them.
--
-- No word of a text looks like a mark, because index_words removes colons.
CREATE OR REPLACE FUNCTION index_age(p_id bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY[
    '10:' || (p_id >> 10)::text, '12:' || (p_id >> 12)::text, '14:' || (p_id >> 14)::text, '16:' || (p_id >> 16)::text,
    '18:' || (p_id >> 18)::text, '20:' || (p_id >> 20)::text, '22:' || (p_id >> 22)::text, '24:' || (p_id >> 24)::text]);
