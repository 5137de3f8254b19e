-- index_document: what a thread is found by: its title before the capabilities it wants, before its body.
--
-- Never raises, whatever the texts hold: what cannot be taken apart is found by no word, and stops nobody.
CREATE OR REPLACE FUNCTION index_document(p_id bigint, p_title text, p_wanted text[], p_body text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN setweight(index_words(p_title), 'A') || setweight(index_words(array_to_string(p_wanted, ' ')), 'B')
        || setweight(index_words(p_body), 'C') || index_age(p_id);
EXCEPTION WHEN program_limit_exceeded OR data_exception OR internal_error THEN
    RETURN index_age(p_id);
END $$;
