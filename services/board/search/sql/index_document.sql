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
