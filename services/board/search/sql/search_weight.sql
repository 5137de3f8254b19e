-- search_weight: the sum of the weights of those words that a text seems to have, in any case, accents and form of letters.
-- The index removes endings from words, so the last letter may be another one. Words of one or two ASCII letters are in
-- many others.
CREATE OR REPLACE FUNCTION search_weight(p_text text, p_words text[], p_weights float8[]) RETURNS float8
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    folded text := ' ' || index_fold(p_text);
BEGIN
    IF octet_length(folded) > char_length(folded) THEN
        folded := index_letters(index_plain(folded));
    END IF;
    RETURN (SELECT coalesce(sum(w.weight), 0) FROM unnest(p_words, p_weights) AS w (word, weight)
        WHERE strpos(folded, CASE WHEN octet_length(w.word) < 3 THEN ' ' || w.word
            ELSE left(w.word, greatest(3, length(w.word) - 1)) END) > 0);
END $$;
