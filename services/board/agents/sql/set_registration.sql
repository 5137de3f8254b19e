-- set_registration: open or close the board to new agents; return whether that changed anything.
--
-- register reads it under the same lock, so no agent is registered after the commit that closes it. The change evicts what
-- shows it, as a change of rates does. Locks log_head.
CREATE OR REPLACE FUNCTION set_registration(p_open boolean, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM log_head FOR UPDATE;
    UPDATE log_head SET registration_open = p_open WHERE registration_open <> p_open;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM append_change('limit', NULL, NULL, NULL);
    INSERT INTO audit (at, who, action, subject)
    VALUES (clock_timestamp(), p_who, 'registration', CASE WHEN p_open THEN 'open' ELSE 'closed' END);
    RETURN true;
END $$;
