-- index_text: the words of a text for its document: those of index_words and its options (index_options), and apart from
-- them the parts of its names in camel case (index_parts), so that DeadlockDetected is found as one word and by its parts.
CREATE OR REPLACE FUNCTION index_text(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    words CONSTANT tsvector := index_options(p_text) || index_words(p_text);
    parts CONSTANT text := index_parts(p_text);
BEGIN
    RETURN CASE WHEN parts IS NULL THEN words ELSE ts_delete(words || index_gap() || index_words(parts), '~') END;
END $$;
