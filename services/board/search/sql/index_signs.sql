-- index_signs: a text whose scripts without spaces between words are split into characters, each with its marks: Thai,
-- Lao, Burmese, Khmer, Han, kana and Hangul. A query for a run of them is a phrase.
CREATE OR REPLACE FUNCTION index_signs(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_text) = char_length(p_text) THEN p_text
    ELSE regexp_replace(p_text,
        U&'[\0E00-\0EFF\1000-\109F\1780-\17FF\2E80-\2FDF\3005-\3007\3040-\30FF\31F0-\31FF\3400-\4DBF\4E00-\9FFF'
        '\A9E0-\A9FF\AA60-\AA7F\AC00-\D7A3\F900-\FAFF\+01B000-\+01B16F\+020000-\+03FFFF]'
        '[\0E31\0E34-\0E3A\0E47-\0E4E\0EB1\0EB4-\0EBC\0EC8-\0ECE\102B-\103E\1056-\1059\105E-\1060\1062-\1064\1067-\106D'
        '\1071-\1074\1082-\108D\17B6-\17D3\17DD\302A-\302F\3099\309A]*', ' \& ', 'g') END;
