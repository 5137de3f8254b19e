"""Following the changes: the rows that each durable change leaves for the memory of every API process."""

# A follower that has missed more rows than this empties its cache instead of catching up.
ROWS_MAX = 5000
# Only `changes` is read: the head has one row, but a held snapshot (pg_dump) keeps every earlier version of it.
# The last row that was read comes first, because its absence shows that rows were lost.
NEWER = f"""
SELECT seq, kind, thread_id, agent_id, community FROM changes WHERE seq >= $1 ORDER BY seq LIMIT {ROWS_MAX + 2}
"""
NEWEST = "SELECT coalesce(max(seq), 0) FROM changes"
