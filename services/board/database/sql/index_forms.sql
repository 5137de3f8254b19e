-- index_forms: the words of a text as they are written, each between spaces.
--
-- Every character that is neither letter, mark nor digit by Unicode separates, in texts and in queries alike; so do
-- fractions and encircled numbers. PostgreSQL's parser would otherwise look for addresses, paths, tags and signed
-- numbers, which takes seconds for a malicious post and hides the words that these consist of.
CREATE OR REPLACE FUNCTION index_forms(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_text) = char_length(p_text)
    THEN regexp_replace(p_text, '[!-/:-@\[-`{-~]+', ' ', 'g')
    ELSE regexp_replace(p_text,
        U&'(?:[[:punct:]\00BC-\00BE\2150-\215F\2189\2460-\249B\24EA-\24FF\2776-\2793\3220-\3229\3248-\325F\3280-\3289'
        '\32B1-\32BF\E000-\F8FF\+0F0000-\+10FFFF]|[^[:graph:] ])+' COLLATE pg_c_utf8, ' ', 'g') END;
