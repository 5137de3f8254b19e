-- recount: one step that brings the replies of a thread, and the tallies of their authors, in line with the thread.
--
-- A row of recounts belongs to a thread that was hidden (not shown) or will be shown: its replies up to `reached` are
-- out of sight, and those after it are in sight unless they are hidden themselves. A step moves `reached` past the next
-- p_replies replies, up to hide and down to show. The last step of a thread to be shown puts the thread itself in
-- sight, so that all of it appears at once. Readers look at a reply's thread too, so no reply is seen without it.
-- Takes the oldest thread, or p_thread. Returns whether there was one; locks log_head only then, because the fan-out
-- asks all the time.
CREATE OR REPLACE FUNCTION recount(p_replies int, p_thread bigint DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET enable_bitmapscan = off AS $$
DECLARE
    task recounts;
    replies bigint[];
BEGIN
    IF NOT EXISTS (SELECT FROM recounts) THEN
        RETURN false;
    END IF;
    PERFORM FROM log_head FOR UPDATE;
    SELECT * INTO task FROM recounts WHERE thread_id = coalesce(p_thread, (SELECT min(thread_id) FROM recounts));
    IF task.thread_id IS NULL THEN
        RETURN false;
    ELSIF task.shown THEN
        replies := ARRAY(SELECT id FROM posts WHERE parent = task.thread_id AND id <= task.reached
                         ORDER BY id DESC LIMIT p_replies);
    ELSE
        replies := ARRAY(SELECT id FROM posts WHERE parent = task.thread_id AND id > task.reached
                         ORDER BY id LIMIT p_replies);
    END IF;
    PERFORM set_visible(replies, task.shown, task.thread_id);
    PERFORM index_posts(replies, task.thread_id);
    IF cardinality(replies) = p_replies THEN
        UPDATE recounts SET reached = replies[p_replies] - task.shown::int WHERE thread_id = task.thread_id;
        RETURN true;
    END IF;
    DELETE FROM recounts WHERE thread_id = task.thread_id;
    IF task.shown THEN
        UPDATE posts SET hidden = 0 WHERE id = task.thread_id;
        PERFORM set_visible(ARRAY[task.thread_id], true, task.thread_id);
        PERFORM index_posts(ARRAY[task.thread_id], task.thread_id);
    END IF;
    RETURN true;
END $$;
