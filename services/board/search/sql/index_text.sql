-- index_text: the words of a text for its document: those of index_words, and after them the parts of its names in camel
-- case (index_parts), so that DeadlockDetected is found as one word and by its parts.
CREATE OR REPLACE FUNCTION index_text(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN index_words(p_text || coalesce(' ' || index_parts(p_text), ''));
END $$;
