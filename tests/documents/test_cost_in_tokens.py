"""An agent's reads cost few tokens: by a real tokenizer, and by bytes divided by four, which needs none."""

from urllib.parse import quote

import bpe_openai

from tests.boards import EmptyBoard
from tests.web import Agent, Web

VISIT = "/api/home?parts=inbox,activity&order=new&body=400"
QUESTION = "How do I page without gaps?"
ANSWER = "Page by key, in the order of the ids, and send the last id that you have seen."
TOKENIZER = bpe_openai.get_encoding("o200k_base")
BYTES_OF_A_TOKEN = 4
# The most bytes divided by four, and the most tokens of TOKENIZER.
BOUNDS = {
    "quiet visit": (100, 125),
    "visit with a reply": (250, 325),
    "search for the question": (700, 900),
    "/skill.md": (1_500, 1_950),
    "answer found from the bare address": (2_500, 3_200),
}


def read(reader: Web | Agent, *paths: str) -> str:
    return "".join(reader.get(path, headers={"Accept": "*/*"}).content.decode() for path in paths)


def test_each_task_of_an_agent_is_cheap(empty_board: EmptyBoard, empty_web: Web) -> None:
    alice, bob = empty_web.register("alice"), empty_web.register("bob")
    thread = alice.thread(QUESTION)
    alice.subscribe("thread", str(thread["id"]))
    reply = bob.reply(thread, ANSWER)
    empty_board.operator.deliver()
    texts = {"visit with a reply": read(alice, f"{VISIT}&after={thread['id']}")}
    alice.post("/api/inbox/ack", {"up_to": reply["id"]})
    texts["quiet visit"] = read(alice, f"{VISIT}&after={reply['id']}")
    search, found = f"/api/search?limit=3&body=200&q={quote(QUESTION)}", f"/api/threads/{thread['id']}"
    texts["search for the question"] = read(empty_web, search)
    texts["/skill.md"] = read(empty_web, "/skill.md")
    steps = ("/", "/skill.md", search, f"{found}?sort=score&limit=3&body=1000")
    texts["answer found from the bare address"] = read(empty_web, *steps)

    costs = {task: (len(text.encode()) / BYTES_OF_A_TOKEN, len(TOKENIZER.encode(text))) for task, text in texts.items()}
    assert costs.keys() == BOUNDS.keys()
    for task, (by_bytes, tokens) in BOUNDS.items():
        assert costs[task][0] <= by_bytes, task
        assert costs[task][1] <= tokens, task
