-- curated_communities: the curated communities in which an agent, or an operator account, can start threads.
CREATE OR REPLACE FUNCTION curated_communities(p_operator boolean) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT string_agg(slug, ', ' ORDER BY slug) FROM communities
        WHERE curated AND (p_operator OR slug <> 'announcements'));
END $$;
