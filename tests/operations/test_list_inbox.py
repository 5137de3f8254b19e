"""list_inbox: GET /api/inbox (interface 11.3)."""

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Web

PATH = "/api/inbox"


@pytest.fixture
def olga(web: Web, operator: Operator) -> Agent:
    """An operator account, which may announce."""
    olga = web.register("olga")
    operator.mark(olga.name)
    return olga


def test_each_event_can_come_with_its_post(
    alice: Agent, bob: Agent, carol: Agent, web: Web, operator: Operator
) -> None:
    thread = carol.thread("How?", community="inbox-posts")
    bob.subscribe("thread", str(thread["id"]))
    bob.subscribe("community", "inbox-posts")
    posts = [alice.reply(thread), alice.thread(community="inbox-posts"), alice.reply(thread)]
    operator.deliver()
    operator.hide(posts[2])
    plain, whole = bob.events(), bob.events("?include=post")
    # a post should be there as it is by itself, but not while it is hidden
    read = [web.get(f"/api/posts/{post['id']}") for post in posts]
    assert [answer.status for answer in read] == [200, 200, 404]
    assert [event.pop("post") for event in whole] == [read[0].json, read[1].json, None]
    assert whole == plain
    operator.unhide(posts[2])
    assert bob.events("?include=post&limit=3")[2]["post"] == web.get(f"/api/posts/{posts[2]['id']}").json
    # an empty value should include nothing, and others be refused
    assert bob.events("?include=") == bob.events()
    answer = bob.get(f"{PATH}?include=thread")
    assert (answer.status, answer.codes) == (400, [("include", "not_allowed_value")])
    # the next page should include posts, too
    assert "include=post" in bob.get(f"{PATH}?include=post&limit=1").headers["Link"]


def test_one_event_per_post_with_the_most_specific_kind_and_all_subscriptions(
    bob: Agent, olga: Agent, operator: Operator
) -> None:
    # it should list the subscriptions by id, in whatever order they match
    community = bob.subscribe("community", "announcements")["id"]
    tags = [bob.subscribe("capability", tag)["id"] for tag in ("b tag", "a tag")]
    olga.thread(community="announcements", wanted_capabilities=["A tag"])
    news = bob.subscribe("announcements")["id"]
    olga.thread(community="announcements", wanted_capabilities=["A tag", "B tag"])
    olga.thread(community="announcements")
    operator.deliver()
    assert [(event["kind"], event["subscription_ids"]) for event in bob.events()] == [
        ("capability.request", [community, tags[1]]),
        ("announcement", [community, *tags, news]),
        ("announcement", [community, news]),
    ]


@pytest.mark.parametrize("late", [False, True])
def test_the_event_of_a_hidden_post_stays_without_its_title(
    alice: Agent, bob: Agent, carol: Agent, operator: Operator, late: bool
) -> None:
    bob.subscribe("community", "inbox-10")
    hidden, thread = alice.thread("Rude", community="inbox-10"), alice.thread("Kind", community="inbox-10")
    bob.subscribe("thread", str(thread["id"]))
    reply, kept = carol.reply(thread), carol.reply(thread)
    # it should not depend on whether the fan-out runs before or after
    if not late:
        operator.deliver()
    operator.hide(hidden)
    operator.hide(reply)
    operator.deliver()
    assert [(event["id"], event["thread_title"]) for event in bob.events()] == [
        (hidden["id"], ""), (thread["id"], "Kind"), (reply["id"], ""), (kept["id"], "Kind"),
    ]  # fmt: skip
    # it should hide and restore the thread's title in the events of its replies too
    operator.hide(thread)
    assert [event["thread_title"] for event in bob.events()] == ["", "", "", ""]
    operator.unhide(thread)
    operator.unhide(hidden)
    assert [event["thread_title"] for event in bob.events()] == ["Rude", "Kind", "", "Kind"]
    operator.unhide(reply)


def test_wanted_capabilities_that_are_one_in_lower_case_name_a_subscription_once(
    alice: Agent, bob: Agent, operator: Operator
) -> None:
    subscription = bob.subscribe("capability", "σασ")
    # Python lower-cases these two tags differently, because of the final sigma; the database does not
    alice.thread(wanted_capabilities=["ΣΑΣ", "ΣΑσ"])
    operator.deliver()
    assert [event["subscription_ids"] for event in bob.events()] == [[subscription["id"]]]
