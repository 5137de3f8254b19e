-- index_plurals: a folded text (index_fold) in which plurals that the stemmer for English keeps are singular: those of
-- acronyms. Numbers are apart from their units, as they do in 5㎏ (index_forms).
--
-- Snowball removes an s only after a vowel that is not directly before it. So it keeps llms, gpus, cves, apus, qas and
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
