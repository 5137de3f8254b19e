-- index_words: the words of a text, for both the index and its queries (search_words): without accents (index_plain),
-- in ASCII where they are Latin (index_letters), acronyms in the singular (index_capitals, index_plurals), and those of
-- Latin or Cyrillic letters without their endings (the configuration board_words, which drops no word).
--
-- A change of the words needs another index_version. Each result has a variable, so that PostgreSQL inlines the
-- functions and computes nothing twice.
CREATE OR REPLACE FUNCTION index_words(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    words text := index_capitals(p_text);
BEGIN
    words := index_forms(words);
    words := index_fold(words);
    IF octet_length(words) > char_length(words) THEN
        words := index_plain(words);
        words := index_letters(words);
        words := index_signs(words);
    END IF;
    words := index_plurals(words);
    RETURN to_tsvector('public.board_words', words);
END $$;
