-- index_written: the words of a text in the form in which they are written, with a space before and after each.
CREATE OR REPLACE FUNCTION index_written(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    words text := translate(p_text, E'\t\n\r', '   ');
BEGIN
    words := index_forms(words);
    words := index_fold(words);
    IF octet_length(words) > char_length(words) THEN
        words := index_forms(words);
        words := index_signs(words);
    END IF;
    RETURN ' ' || words || ' ';
END $$;
