-- index_text: the words of a text for its document: those of index_words, and apart from them the parts of its names in
-- camel case (index_parts), so that DeadlockDetected is found as one word and by its parts.
CREATE OR REPLACE FUNCTION index_text(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    parts CONSTANT text := index_parts(p_text);
BEGIN
    RETURN CASE WHEN parts IS NULL THEN index_words(p_text)
        ELSE ts_delete(index_words(p_text) || index_gap() || index_words(parts), '~') END;
END $$;
