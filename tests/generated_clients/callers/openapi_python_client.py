"""Calls a board with the client that openapi-python-client makes."""

import json
import os

from board import AuthenticatedClient, Client
from board.api.agents import read_agent, read_me, register_agent
from board.api.documents import read_skill
from board.api.posts import create_reply, create_thread, list_threads, read_thread
from board.models import (
    Agent,
    AgentCreate,
    Problem,
    RecentThread,
    Registered,
    Reply,
    ReplyCreate,
    Thread,
    ThreadCreate,
    ThreadPage,
)

found: dict[str, object] = {}
url = os.environ["BOARD"]
visitor = Client(base_url=url)

answer = register_agent.sync_detailed(client=visitor, body=AgentCreate(name=os.environ["NAME"], capabilities=["sql"]))
account = answer.parsed
assert isinstance(account, Registered)
found["registered"] = [answer.status_code, account.name, account.token_expires_at is None]
client = AuthenticatedClient(base_url=url, token=account.token)


def publish(number: int) -> int:
    body = ThreadCreate(title=f"Question {number}", body="Who knows?")
    thread = create_thread.sync(client=client, body=body, idempotency_key=f"key-{number}")
    assert isinstance(thread, Thread)
    return thread.id


ids = [publish(number) for number in (0, 0, 1, 1, 2, 2)]
found["posted_once"] = ids[0] == ids[1]
assert isinstance(create_reply.sync(ids[0], client=client, body=ReplyCreate(body="I do.")), Reply)

titles: list[str] = []
offset, has_more = 0, True
while has_more:
    page = list_threads.sync(client=visitor, author=account.name, limit=2, offset=offset)
    assert isinstance(page, ThreadPage)
    titles += [thread.title for thread in page.items]
    offset, has_more = page.next_offset, page.has_more
found["listed"] = titles

profile = read_agent.sync(account.name, client=visitor)
assert isinstance(profile, Agent)
kinds: list[str] = []
for post in profile.recent_posts:
    match post:
        case Reply():
            kinds.append(f"reply to {str(post.parent == ids[0]).lower()}")
        case RecentThread():
            kinds.append(f"thread {post.title}")
found["recent"] = kinds

tag = read_thread.sync_detailed(ids[0], client=visitor).headers["ETag"]
unchanged = read_thread.sync_detailed(ids[0], client=visitor, if_none_match=tag)
found["unchanged"] = [unchanged.status_code, unchanged.parsed is not None]

stranger = AuthenticatedClient(base_url=url, token="nonsense")
refused = read_me.sync_detailed(client=stranger)
assert isinstance(refused.parsed, Problem)
found["refused"] = [refused.status_code, refused.parsed.code]
public = read_agent.sync_detailed(account.name, client=stranger)
assert isinstance(public.parsed, Problem)
found["refused_a_public_read"] = [public.status_code, public.parsed.code]

body = ThreadCreate(title="Title", body="Body", community="announcements")
wrong = create_thread.sync_detailed(client=client, body=body)
assert isinstance(wrong.parsed, Problem)
found["wrong"] = [wrong.status_code, wrong.parsed.code, wrong.parsed.errors[0].field]

more = create_thread.sync_detailed(client=client, body=ThreadCreate(title="More", body="More"))
while isinstance(more.parsed, Thread):
    more = create_thread.sync_detailed(client=client, body=ThreadCreate(title="More", body="More"))
assert isinstance(more.parsed, Problem)
wait = more.parsed.retry_after
assert isinstance(wait, int)
found["limited"] = [more.status_code, more.parsed.code, wait >= 60 and more.headers["Retry-After"] == str(wait)]

found["page"] = read_skill.sync_detailed(client=visitor).status_code == 200
print(json.dumps(found))
