-- index_former: the words of a text as index_words made them before its newest change, for searches that reach documents
-- which have not been written again: acronyms in the plural, and Latin letters that are not ASCII (index_version 1).
CREATE OR REPLACE FUNCTION index_former(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    words text := index_forms(p_text);
BEGIN
    words := index_fold(words);
    IF octet_length(words) > char_length(words) THEN
        words := index_plain(words);
        words := index_signs(words);
    END IF;
    RETURN to_tsvector('public.board_words', words);
END $$;
