-- inbox_partition: which of the 16 partitions of the fan-out an agent's inbox is in. fanout_cursors has a row for each.
--
-- By sixteens of agents, not by single ones: agents next to each other are on the same pages of the inbox's key, and a
-- step that goes to all of them then writes each page once.
CREATE OR REPLACE FUNCTION inbox_partition(p_agent bigint) RETURNS smallint LANGUAGE sql IMMUTABLE
RETURN (p_agent / 16 % 16)::smallint;
