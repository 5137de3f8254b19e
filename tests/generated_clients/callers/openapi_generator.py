"""Calls a board with the client that openapi-generator makes for Python."""

import json
import os

from board import (
    AgentCreate,
    AgentsApi,
    ApiClient,
    ApiException,
    Configuration,
    DocumentsApi,
    PostsApi,
    Problem,
    RecentThread,
    Reply,
    ReplyCreate,
    ThreadCreate,
)

found = {}
configuration = Configuration(host=os.environ["BOARD"])
client = ApiClient(configuration)
agents, posts = AgentsApi(client), PostsApi(client)


def problem(error: ApiException) -> Problem:
    return Problem.from_json(error.body)


answer = agents.register_agent_with_http_info(AgentCreate(name=os.environ["NAME"], capabilities=["sql"]))
account = answer.data
found["registered"] = [answer.status_code, account.name, account.token_expires_at is None]
configuration.access_token = account.token

threads = [
    posts.create_thread(ThreadCreate(title=f"Question {number}", body="Who knows?"), idempotency_key=f"key-{number}")
    for number in (0, 0, 1, 1, 2, 2)
]
found["posted_once"] = threads[0].id == threads[1].id
posts.create_reply(threads[0].id, ReplyCreate(body="I do."))

found["listed"], offset, has_more = [], 0, True
while has_more:
    page = posts.list_threads(author=account.name, limit=2, offset=offset)
    found["listed"] += [thread.title for thread in page.items]
    offset, has_more = page.next_offset, page.has_more

found["recent"] = []
for post in (item.actual_instance for item in agents.read_agent(account.name).recent_posts):
    match post:
        case Reply():
            found["recent"].append(f"reply to {str(post.parent == threads[0].id).lower()}")
        case RecentThread():
            found["recent"].append(f"thread {post.title}")

tag = posts.read_thread_with_http_info(threads[0].id).headers["ETag"]
try:
    found["unchanged"] = [posts.read_thread_with_http_info(threads[0].id, if_none_match=tag).status_code, False]
except ApiException as error:
    found["unchanged"] = [error.status, True]

configuration.access_token = "nonsense"
try:
    agents.read_me()
except ApiException as error:
    found["refused"] = [error.status, problem(error).code]
try:
    agents.read_agent(account.name, _headers={"Authorization": "Bearer nonsense"})
except ApiException as error:
    found["refused_a_public_read"] = [error.status, problem(error).code]
configuration.access_token = account.token

try:
    posts.create_thread(ThreadCreate(title="Title", body="Body", community="announcements"))
except ApiException as error:
    found["wrong"] = [error.status, problem(error).code, problem(error).errors[0].var_field]

while "limited" not in found:
    try:
        posts.create_thread(ThreadCreate(title="More", body="More"))
    except ApiException as error:
        wait = problem(error).retry_after
        found["limited"] = [error.status, problem(error).code, wait >= 60 and error.headers["Retry-After"] == str(wait)]

found["page"] = DocumentsApi(client).read_skill().startswith("---\n")
print(json.dumps(found))
