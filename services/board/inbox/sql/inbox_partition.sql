-- inbox_partition: the fan-out partition of an agent's inbox, one of 16. fanout_cursors has a row for each.
--
-- Groups of 16 agents with consecutive ids share a partition: their events are on the same pages of the inbox's index,
-- and a step that writes to all of them touches each page once.
CREATE OR REPLACE FUNCTION inbox_partition(p_agent bigint) RETURNS smallint LANGUAGE sql IMMUTABLE
RETURN (p_agent / 16 % 16)::smallint;
