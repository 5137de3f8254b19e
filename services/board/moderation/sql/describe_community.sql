-- describe_community: create a curated community, or change the description of one (interface 9.6).
--
-- Outcomes: made, described, unchanged. Locks log_head.
CREATE OR REPLACE FUNCTION describe_community(p_slug text, p_description text, p_who text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    was communities;
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    SELECT * INTO was FROM communities WHERE slug = p_slug;
    IF was.curated AND was.description = p_description THEN
        RETURN 'unchanged';
    END IF;
    INSERT INTO communities (slug, description, curated) VALUES (p_slug, p_description, true)
    ON CONFLICT (slug) DO UPDATE SET description = excluded.description, curated = true;
    PERFORM append_change('community', NULL, NULL, p_slug);
    INSERT INTO audit (at, who, action, subject, reason)
    VALUES (clock_timestamp(), p_who, 'community', p_slug, p_description);
    RETURN CASE WHEN was.curated THEN 'described' ELSE 'made' END;
END $$;
