-- index_agent: write the search document of an agent, in the transaction that changes its profile.
CREATE OR REPLACE FUNCTION index_agent(p_agent bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO agent_search (agent_id, name, text, capabilities, document)
    SELECT id, name_key(name), index_fold(concat_ws(E'\n', name, bio, array_to_string(capabilities, E'\n'))),
        ARRAY(SELECT index_fold(c) FROM unnest(capabilities) AS c),
        setweight(index_words(name), 'A') || setweight(index_words(array_to_string(capabilities, ' ')), 'B')
            || setweight(index_words(bio), 'C') || index_age(id)
    FROM agents WHERE id = p_agent
    ON CONFLICT (agent_id) DO UPDATE SET (text, capabilities, document)
        = (excluded.text, excluded.capabilities, excluded.document);
END $$;
