-- index_age: age marks of an id, stored among the words of a document: its blocks of 2^10 ids, 2^13 and so on to 2^22.
-- search_age queries them, so that a search finds the newest of very many matches without reading all of them.
--
-- No word of a text looks like a mark, because index_words removes colons.
CREATE OR REPLACE FUNCTION index_age(p_id bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY[
    '10:' || (p_id >> 10)::text, '13:' || (p_id >> 13)::text, '16:' || (p_id >> 16)::text, '19:' || (p_id >> 19)::text,
    '22:' || (p_id >> 22)::text]);

-- index_marks: marks of a thread's community and author, stored among the words of its document. search_threads
-- queries them, so that a search finds the threads of a community or an author among very many that have its words.
--
-- No word of a text looks like a mark, because index_words removes colons.
CREATE OR REPLACE FUNCTION index_marks(p_community text, p_author bigint) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY['in:' || p_community, 'by:' || p_author::text]);

-- index_document: the search document of a post: a title ranks before wanted capabilities, and these before the body. A
-- reply has neither title nor wanted capabilities.
--
-- Never raises, whatever the texts contain. A text that cannot be parsed matches no word, but does not stop the index.
CREATE OR REPLACE FUNCTION index_document(p_id bigint, p_title text, p_wanted text[], p_body text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF p_title IS NULL THEN
        RETURN index_age(p_id) || setweight(index_text(p_body), 'C');
    END IF;
    -- the body comes last, because each || copies the words on both sides; marks have no position
    RETURN ts_delete(index_age(p_id) || setweight(index_text(p_title), 'A') || index_gap()
        || setweight(index_text(array_to_string(p_wanted, ' ')), 'B') || index_gap() || setweight(index_text(p_body), 'C'), '~');
EXCEPTION WHEN program_limit_exceeded OR data_exception OR internal_error THEN
    RETURN index_age(p_id);
END $$;

-- post_documents: the search documents of those of some posts that are visible, as rows of thread_search.
CREATE OR REPLACE FUNCTION post_documents(p_posts bigint[])
RETURNS TABLE (thread_id bigint, document tsvector, parent bigint) LANGUAGE sql STABLE AS $$
    SELECT p.id, index_document(p.id, p.title, p.wanted_capabilities, p.body) || index_marks(p.community, p.author_id),
        p.parent
    FROM posts p WHERE p.id = ANY (p_posts) AND p.visible ORDER BY p.id
$$;
