-- rename_posts: give some posts of an agent the name that the agent has now. Locks log_head.
--
-- The caller chooses the posts, so that each call is short. A change for each thread evicts what showed the former name.
CREATE OR REPLACE FUNCTION rename_posts(p_agent bigint, p_posts bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    UPDATE posts p SET author = a.name FROM agents a
    WHERE a.id = p_agent AND p.id = ANY (p_posts) AND p.author_id = p_agent;
    PERFORM append_change('hide', t.thread, p_agent, t.community)
    FROM (SELECT DISTINCT coalesce(p.parent, p.id) AS thread, p.community FROM posts p WHERE p.id = ANY (p_posts)) t;
END $$;
