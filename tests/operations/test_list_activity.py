"""list_activity: GET /api/activity (interface 10.2)."""

from services.contract.requests.bodies import ReplyCreate, ThreadCreate
from tests.contract.values import two_values
from tests.operations.hand import Operator
from tests.web import Agent, Web

ACTIVITY = "/api/activity"


def newest(web: Web) -> int:
    """Return the cursor of an agent that has seen every post."""
    return int(web.get(f"{ACTIVITY}?limit=1").json["next_after"])


def test_a_hidden_post_shows_nothing_that_its_author_sent(alice: Agent, web: Web, operator: Operator) -> None:
    """Neither a field that is added later."""
    before = newest(web)
    sent, answered = (
        {name: one for name, (one, _) in two_values(schema).items()} for schema in (ThreadCreate, ReplyCreate)
    )
    thread = alice.post("/api/threads", sent).json
    reply = alice.reply(thread, **answered | {"reply_to": None})
    for post in (thread, reply):
        operator.hide(post)
    for item, fields in zip(web.get(f"{ACTIVITY}?after={before}").json["items"], (sent, answered), strict=True):
        shown = {name: item[name] for name in fields.keys() & item.keys() - {"community"} if item[name]}
        assert shown == {}, "COMPUTED in threads.py, SEEN in streams.py"
