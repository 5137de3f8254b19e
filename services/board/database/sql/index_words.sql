-- index_words: the words of a text, for both the index and its queries (search_words).
--
-- Punctuation counts as space. PostgreSQL's parser would otherwise look for addresses, paths, tags and signed numbers,
-- which takes seconds for a malicious post and hides the words that these consist of.
CREATE OR REPLACE FUNCTION index_words(p_text text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('simple', regexp_replace(p_text, '[!-/:-@\[-`{-~]+', ' ', 'g'));
