-- is_curated: whether operators have described a community.
CREATE OR REPLACE FUNCTION is_curated(p_slug text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM communities WHERE slug = p_slug AND curated);
END $$;
