-- index_forms: the words of a text as they are written, each between spaces, in NFKC.
--
-- Every character that is neither letter, mark nor digit by Unicode separates, in texts and in queries alike. A symbol
-- that represents letters or digits, such as ㎏ or ½, is a word of its own. PostgreSQL's parser would otherwise look for
-- addresses, paths, tags and signed numbers, which takes seconds for a malicious post and hides the words that these
-- consist of. A text that becomes very long is cut, as in index_fold.
CREATE OR REPLACE FUNCTION index_forms(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_text) = char_length(p_text)
    THEN regexp_replace(p_text, '[!-/:-@\[-`{-~]+', ' ', 'g')
    ELSE regexp_replace(left(normalize(index_cut(regexp_replace(p_text,
        U&'[\00BC-\00BE\20A8\2100\2101\2103\2105\2106\2109\2116\2120-\2122\213B\2150-\215F\2189\2460-\24B5\24EA\2E9F\2EF3'
        '\2F00-\2FD5\3192-\319F\3200-\33FF\FDFC\+01F100-\+01F12F\+01F14A-\+01F14F\+01F16A-\+01F16C\+01F190'
        '\+01F200-\+01F251]', ' \& ', 'g')), NFKC), greatest(1000, 4 * char_length(p_text))),
        U&'(?:[[:punct:]\24EB-\24FF\2776-\2793\3248-\324F\E000-\F8FF\+0F0000-\+10FFFF]|[^[:graph:] ])+'
        COLLATE pg_c_utf8, ' ', 'g') END;
