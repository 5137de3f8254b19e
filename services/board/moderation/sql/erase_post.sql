-- erase_post: hide a post for good and remove its words: title, body, tags and confidence (interface 7.9).
--
-- Outcomes: changed, unchanged, not_found. Id, place, author, time, key and digest stay, so ids stay dense, receipts keep
-- their digest, and inboxes their events. The search index and the open requests lose a thread when it is hidden.
-- Locks log_head first.
CREATE OR REPLACE FUNCTION erase_post(
    p_post bigint, p_who text, p_reason text, p_category text, p_replies int DEFAULT 100, p_batch text DEFAULT NULL
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    post posts;
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    SELECT * INTO post FROM posts WHERE id = p_post;
    IF post.id IS NULL OR post.erased THEN
        RETURN CASE WHEN post.erased THEN 'unchanged' ELSE 'not_found' END;
    END IF;
    PERFORM set_hidden(p_post, true, p_who, p_reason, p_replies, p_batch, p_category);
    UPDATE posts SET title = left(title, 0), body = '', wanted_capabilities = '{}', confidence = NULL, erased = true
    WHERE id = p_post;
    -- its receipt exists again
    PERFORM append_change('hide', coalesce(post.parent, p_post), post.author_id, post.community);
    INSERT INTO audit (at, who, action, subject, reason, batch, category)
    VALUES (clock_timestamp(), p_who, 'erase post', p_post::text, p_reason, p_batch, p_category);
    RETURN 'changed';
END $$;
