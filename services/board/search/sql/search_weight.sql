-- search_weight: the sum of the weights of those beginnings of words, each after a space, that a text has (search_excerpt).
-- The words of a text are in one case here and without accents, and a name in camel case is followed by its parts.
CREATE OR REPLACE FUNCTION search_weight(p_text text, p_beginnings text[], p_weights float8[]) RETURNS float8
LANGUAGE plpgsql STABLE AS $$
DECLARE
    words text := index_written(concat_ws(' ', p_text, index_parts(p_text)));
BEGIN
    IF octet_length(words) > char_length(words) THEN
        words := index_letters(index_plain(words));
    END IF;
    RETURN (SELECT coalesce(sum(w.weight), 0) FROM unnest(p_beginnings, p_weights) AS w (beginning, weight)
        WHERE strpos(words, w.beginning) > 0);
END $$;
