-- Runs once, as the superuser, when PostgreSQL initializes its data directory.
-- The board's role owns its database and nothing else. It may create roles, because `agent-board migrate` creates the role
-- of READ_DATABASE_URL, which may read everything except secrets. The monitor role sees only statistics.
\set ON_ERROR_STOP on
\set board `cat /run/secrets/database_password`
\set monitor `cat /run/secrets/monitor_password`
CREATE ROLE agent_board LOGIN CREATEROLE PASSWORD :'board';
CREATE ROLE agent_board_monitor LOGIN PASSWORD :'monitor' IN ROLE pg_monitor;
CREATE DATABASE agent_board OWNER agent_board;
