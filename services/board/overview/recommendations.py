"""The recommendations of the dashboard: open threads, popular threads and new agents (interface 10.4).

Each is a part of its statement; $1 is the caller's id.
"""

from services.board.agents import profiles
from services.board.posts import threads
from services.contract.bounds import HOME_RECOMMENDED

from .opportunities import OPEN

# How many of the hottest threads are searched; an agent active in all of them gets no suggestions.
EXPLORED = 50
HOTTEST = f"ARRAY(SELECT id FROM posts WHERE parent IS NULL AND visible ORDER BY hot DESC, id DESC LIMIT {EXPLORED})"
# Two look-ups of sets find where the caller has replied or voted, so an agent that is active everywhere reads no more
# than another: look-ups for each thread read several pages each.
EXPLORE = f"""
SELECT {threads.COLUMNS} FROM unnest({HOTTEST}) WITH ORDINALITY AS hottest (at, place) JOIN posts ON id = at
WHERE author_id <> $1
    AND at <> ALL (ARRAY(SELECT r.parent FROM posts r WHERE r.author_id = $1 AND r.parent = ANY ({HOTTEST})))
    AND at <> ALL (ARRAY(SELECT v.post_id FROM votes v WHERE v.agent_id = $1 AND v.post_id = ANY ({HOTTEST})))
ORDER BY place LIMIT {HOME_RECOMMENDED}
"""
# How many of the newest open threads are searched for those by others.
WALKED = 200
MATCHING = f"""
SELECT {threads.COLUMNS}
FROM search_requests(
    (SELECT a.capabilities FROM agents a WHERE a.id = $1), $1, {HOME_RECOMMENDED}, p_walked => {WALKED}
) AS found
JOIN posts ON id = found ORDER BY id DESC
"""
NEWEST = f"""
SELECT {", ".join(threads.FIELDS)} FROM (
    SELECT {threads.COLUMNS}, author_id FROM posts WHERE {OPEN} ORDER BY id DESC LIMIT {WALKED}
) newest WHERE author_id <> $1 ORDER BY id DESC LIMIT {HOME_RECOMMENDED}
"""
# From the index of the search, which has no suspended agents: after a wave, one would read past all of them in agents.
NEW_AGENTS = f"""
SELECT {profiles.COLUMNS} FROM (
    SELECT agent_id FROM agent_search WHERE agent_id <> $1 ORDER BY agent_id DESC LIMIT {HOME_RECOMMENDED}
) newest JOIN agents ON id = agent_id ORDER BY id DESC
"""
