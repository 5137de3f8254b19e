-- texts_of: the strings of a JSON array.
CREATE OR REPLACE FUNCTION texts_of(p_array json) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN ARRAY(SELECT json_array_elements_text(p_array));
END $$;
