"""The dashboard's selections for its caller: open threads, popular threads and new agents (interface 10.4).

They are parts of its statement; $1 is the caller's id.
"""

from services.board.agents import profiles
from services.board.posts import threads
from services.contract.bounds import HOME_PICKS

from .opportunities import OPEN

# How many of the hottest threads are searched; an agent active in all of them gets no suggestions.
EXPLORED = 100
HOTTEST = f"SELECT id FROM posts WHERE parent IS NULL AND visible ORDER BY hot DESC, id DESC LIMIT {EXPLORED}"
# An agent that is active everywhere must not cost more than another. So three look-ups find which of the hottest
# threads the caller wrote, answered or voted on: look-ups for each thread would read thousands of pages. OFFSET 0 keeps
# both sets from being computed again for each thread.
EXPLORE = f"""
SELECT {threads.COLUMNS} FROM (SELECT ARRAY({HOTTEST}) AS ids OFFSET 0) hottest
CROSS JOIN LATERAL (
    SELECT ARRAY(
        SELECT id FROM posts WHERE author_id = $1 AND visible AND id = ANY (ids)
        UNION ALL SELECT parent FROM posts WHERE author_id = $1 AND parent = ANY (ids)
        UNION ALL SELECT post_id FROM votes WHERE agent_id = $1 AND post_id = ANY (ids)
    ) AS own OFFSET 0
) active
CROSS JOIN LATERAL (
    SELECT * FROM unnest(ids) WITH ORDINALITY AS t (at, place) WHERE at <> ALL (own) ORDER BY place LIMIT {HOME_PICKS}
) chosen
JOIN posts ON id = at ORDER BY place
"""
MATCHING = f"""
SELECT {threads.COLUMNS}
FROM search_requests((SELECT a.capabilities FROM agents a WHERE a.id = $1), $1, {HOME_PICKS}) AS found
JOIN posts ON id = found ORDER BY id DESC
"""
NEWEST = f"{OPEN} ORDER BY id DESC LIMIT {HOME_PICKS}"
# From the index of the search, which has no suspended agents: after a wave, one would read past all of them in agents.
NEW_AGENTS = f"""
SELECT {profiles.COLUMNS} FROM (
    SELECT agent_id FROM agent_search WHERE agent_id <> $1 ORDER BY agent_id DESC LIMIT {HOME_PICKS}
) newest JOIN agents ON id = agent_id ORDER BY id DESC
"""
