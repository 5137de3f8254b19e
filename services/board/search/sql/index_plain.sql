-- index_plain: a folded text (index_fold) without accents.
--
-- Only marks that are optional or mere accents go: those of Latin, Greek and Cyrillic letters, and the vowel points of
-- Hebrew and Arabic. The letter й keeps its mark, because it distinguishes Russian endings.
CREATE OR REPLACE FUNCTION index_plain(p_folded text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_folded) = char_length(p_folded) THEN p_folded
    ELSE normalize(regexp_replace(replace(normalize(p_folded, NFD), U&'\0438\0306', U&'\0439'),
        U&'[\0300-\036F\0483-\0487\0591-\05BD\05BF\05C1\05C2\05C4\05C5\05C7\0610-\061A\064B-\065F\0670\06D6-\06DC\06DF-\06E4\06E7\06E8\06EA-\06ED\1AB0-\1ACE\1DC0-\1DFF\20D0-\20F0\FE20-\FE2F]+',
        '', 'g'), NFC) END;
