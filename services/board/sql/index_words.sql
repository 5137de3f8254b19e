-- index_words: the words of a text, as both the index and a question to it see them (search_words).
--
-- Punctuation counts as space. The parser of PostgreSQL would look for addresses, paths, tags and signed numbers in it,
-- which takes seconds for a post made for the purpose, and would hide the words that they are made of.
CREATE OR REPLACE FUNCTION index_words(p_text text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('simple', regexp_replace(p_text, '[!-/:-@\[-`{-~]+', ' ', 'g'));
