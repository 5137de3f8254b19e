-- is_curated: whether a community is one that operators have described.
CREATE OR REPLACE FUNCTION is_curated(p_slug text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM communities WHERE slug = p_slug AND curated);
END $$;
