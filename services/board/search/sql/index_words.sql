-- index_forms: the words of a text as they are written, each between spaces, in NFKC.
--
-- Every character that is neither letter, mark nor digit by Unicode separates, in texts and in queries alike. A symbol
-- that stands for letters or digits, such as ㎏ or ½, is a word of its own. PostgreSQL's parser would otherwise look for
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

-- index_letters: a folded text (index_fold) without accents, in which Latin letters that Unicode does not decompose are ASCII:
-- those with strokes and hooks, ligatures, and letters of their own, such as ł, ø, đ, æ, þ and ŋ.
--
-- As in PostgreSQL's extension unaccent, whose rules are those of Unicode's transliteration Latin-ASCII (CLDR), and the
-- letters ə ǝ ɔ ɵ ʊ ɣ ɩ, which these lack. Modifier letters, such as the ʻ of Hawaiʻi, vanish.
CREATE OR REPLACE FUNCTION index_letters(p_folded text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    -- Only marks that are optional or mere accents go: those of Latin, Greek and Cyrillic letters, and the vowel points
    -- of Hebrew and Arabic. The letter й keeps its mark, because it distinguishes Russian endings.
    words text := normalize(regexp_replace(replace(normalize(p_folded, NFD), U&'\0438\0306', U&'\0439'),
        U&'[\0300-\036F\0483-\0487\0591-\05BD\05BF\05C1\05C2\05C4\05C5\05C7\0610-\061A\064B-\065F\0670\06D6-\06DC\06DF-\06E4\06E7\06E8\06EA-\06ED\1AB0-\1ACE\1DC0-\1DFF\20D0-\20F0\FE20-\FE2F]+',
        '', 'g'), NFC);
BEGIN
    RETURN lower(public.unaccent('public.unaccent', translate(words, 'əǝɔɵʊɣɩʹʺʻʼʽʾʿ', 'eeoougi')));
END $$;

-- index_signs: a text whose scripts without spaces between words are split into characters, each with its marks: Thai,
-- Lao, Burmese, Khmer, Han, kana and Hangul. A query for a run of them is a phrase.
CREATE OR REPLACE FUNCTION index_signs(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_text) = char_length(p_text) THEN p_text
    ELSE regexp_replace(p_text,
        U&'[\0E00-\0EFF\1000-\109F\1780-\17FF\2E80-\2FDF\3005-\3007\3040-\30FF\31F0-\31FF\3400-\4DBF\4E00-\9FFF'
        '\A9E0-\A9FF\AA60-\AA7F\AC00-\D7A3\F900-\FAFF\+01B000-\+01B16F\+020000-\+03FFFF]'
        '[\0E31\0E34-\0E3A\0E47-\0E4E\0EB1\0EB4-\0EBC\0EC8-\0ECE\102B-\103E\1056-\1059\105E-\1060\1062-\1064\1067-\106D'
        '\1071-\1074\1082-\108D\17B6-\17D3\17DD\302A-\302F\3099\309A]*', ' \& ', 'g') END;

-- index_plurals: a folded text (index_fold) in which plurals that the stemmer for English keeps are singular: those of
-- acronyms. Numbers stand apart from their units, as they do in 5㎏ (index_forms).
--
-- Snowball removes an s only after a vowel that is not directly before it. It keeps llms, gpus, cves, apus, qas and
-- h100s. The classes leave out words that are no plurals, or whose beginning is an everyday word: was, has, dos, opus.
-- A colon marks the end of a plural: no text has one here. Without groups, a match costs a tenth; of units, which are
-- rare, the attempts cost more, and those with groups a sixth of those that look ahead.
CREATE OR REPLACE FUNCTION index_plurals(p_folded text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(replace(replace(regexp_replace(replace(regexp_replace(p_folded COLLATE pg_c_utf8,
    '\m[bcdfghjklmnpqrstvwxz]+(?:[bcdfghjklmnpqrtvwxz]s|[xz])es\M', '\&:', 'g'), 'es:', ''),
    '\m(?:[bcdfghjklmnpqrstvwxz]+[bcdfghjklmnpqrtvwxz]|[bcdfghjklmnpqrstvwxz]{2,}[aiouy]'
    '|[bcdfghjklmnpqrstvwxz]+[bcdfghjklmnpqrtvw]e|[bcdfjkmnpqrstvxz]a|[cfgjknpqtv]e|[bcfgjklmnpqrstvwxz]i|[bcfhjkmpqrvwxz]o'
    '|[cdfghjklmnpqrstvwxz]u|a[bcdfghjklmpqrstvwxz]u|[eiu][bcdfghjklmnpqrstvwxz]u|o[bcdfghjklmqrstvwxz]u|[a-z]+[0-9]+)s\M',
    '\&:', 'g'), 'https:', 'https'), 's:', ''),
    '([0-9])((?:[kmg]b|[kmgt]?hz|[pnμmk][awv]|[hkmg]?pa|k?cal|[pnμ]f|[μmk]g|[μmdk]l|[fnμmck]m[23]?|m[23]|[pnμm]s|db|bar|mol)\M)',
    '\1 \2', 'g');

-- index_words: the words of a text, for both the index and its queries (search_words): without accents, in ASCII
-- where they are Latin (index_letters), acronyms in the singular (index_plurals), and those of Latin or Cyrillic letters
-- without their endings (the configuration board_words, which drops no word).
--
-- A document with other words is not found by them: a change of the words needs new documents (CONTRIBUTING.md). Each
-- result has a variable, so that PostgreSQL inlines the functions and computes nothing twice.
CREATE OR REPLACE FUNCTION index_words(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    -- plurals of words in capitals are singular, and words have no possessive s: QAs, OSes, 2FAs, LLM's, the agent's
    words text := regexp_replace(regexp_replace(p_text COLLATE pg_c_utf8, '\M[''’＇][sSｓＳ]\M', '', 'g'),
        '\m(?:([0-9]*[A-Z][A-Z0-9]+|[0-9]+[A-Z])s|([A-Z0-9]*[A-Z0-9][SXZ])es)\M', '\1\2', 'g');
BEGIN
    words := index_forms(words);
    words := index_fold(words);
    IF octet_length(words) > char_length(words) THEN
        words := index_letters(words);
        words := index_signs(words);
    END IF;
    words := index_plurals(words);
    RETURN to_tsvector('public.board_words', words);
END $$;

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
