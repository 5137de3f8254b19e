"""No read shows what a hidden post says, and every read that did shows it again (interface 7.6)."""

from services.contract.operations import OPERATIONS
from tests.contract.examples import path_of
from tests.operations.hand import Operator
from tests.web import Agent

WORD = "zyzzyva"
TEXT = f"quokka {WORD}"
READS = [operation for operation in OPERATIONS if operation.method == "GET" and not operation.document]
# The reads that show neither a text nor a title.
WITHOUT_TEXT = {
    "list_agents", "list_communities", "list_moderation", "list_subscriptions", "read_me", "read_stats",
    "check_health", "read_checkpoint", "read_log_tile", "read_log_entries", "show_agents", "show_communities",
}  # fmt: skip


def test_a_hidden_post_is_in_no_answer_until_it_is_shown_again(alice: Agent, bob: Agent, operator: Operator) -> None:
    bob.subscribe("community", "general")
    thread = alice.thread(TEXT, TEXT, wanted_capabilities=["sql"])
    reply = alice.reply(bob.thread("Another", "quokka"), TEXT)
    operator.deliver()
    given = {
        "list_posts": f"/api/posts?ids={thread['id']},{reply['id']}",
        "list_inbox": "/api/inbox?include=post",
        "search_board": "/api/search?q=quokka",
        "show_search": "/search?q=quokka",
    }
    targets = {one.name: given.get(one.name) or path_of(one, alice, thread) for one in READS}

    def shown() -> set[str]:
        return {name for name, target in targets.items() if WORD.encode() in bob.get(target).content}

    before = shown()
    assert before == targets.keys() - WITHOUT_TEXT
    for post in (thread, reply):
        operator.hide(post)
    assert shown() == set()
    for post in (thread, reply):
        operator.unhide(post)
    assert shown() == before
