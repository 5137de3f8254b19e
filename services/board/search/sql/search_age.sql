-- search_age: a query for ids in the two newest blocks of 2^p_bits ids, up to p_newest (see index_age).
CREATE OR REPLACE FUNCTION search_age(p_newest bigint, p_bits int) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('''%1$s:%2$s'' | ''%1$s:%3$s''', p_bits, p_newest >> p_bits, (p_newest >> p_bits) - 1)::tsquery;
