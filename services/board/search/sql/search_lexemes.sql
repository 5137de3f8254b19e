-- search_lexemes: the words of a text, in their order and with spaces between them.
CREATE OR REPLACE FUNCTION search_lexemes(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(string_agg(w.lexeme, ' ' ORDER BY p), '')
    FROM unnest(index_words(p_text)) w CROSS JOIN unnest(w.positions) p);
