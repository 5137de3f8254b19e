"""The judges of a history. Each takes all calls and returns the promises that they broke, in sentences.

Ids are dense and rise in commit order, so the order that a general checker must infer is read off the log, and each
judge reads the calls once. The last call of the kind read_log holds the log as the database has it.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from tests.history.freshness import is_fresh
from tests.history.inboxes import inboxes_are_right
from tests.history.late import all_has_come
from tests.history.limits import limits_are_exact
from tests.history.record import CREATE, Call, log_of, numbered, posts_in
from tests.history.tree import one_tree

Calls = Sequence[Call]
Judge = Callable[[Calls], Iterator[str]]
WITHDRAW = ("hide", "erase", "suspend")


def each_post_is_there_once(calls: Calls) -> Iterator[str]:
    """Each acknowledged post is in the log once, by its author, under the id that was answered, and none refused."""
    attempts: dict[int, list[Call]] = defaultdict(list)
    for number, call in numbered(calls, *CREATE):
        attempts[number].append(call)
    there: dict[int, list[int]] = defaultdict(list)
    for post in log_of(calls):
        if post.number is not None:
            there[post.number].append(post.id)
            if post.author not in (authors := {call.sent["author"] for call in attempts[post.number]}):
                yield f"post {post.id} is by {post.author} in the log and was sent by {sorted(authors)}"
    erased = {number for number, _ in numbered(calls, "erase")}
    for number, sent in attempts.items():
        ids = {int(call.seen["id"]) for call in sent if call.status == 201}
        found = there[number]
        if len(ids | set(found)) > 1:
            yield f"post {number} was answered as {sorted(ids)} and is in the log as {found}"
        elif ids and not found and number not in erased:
            yield f"post {number} was answered as {sorted(ids)} and is not in the log"
        elif found and all(call.outcome == "refused" for call in sent):
            yield f"post {number} was refused each time and is in the log as {found}"


def ids_follow_real_time(calls: Calls) -> Iterator[str]:
    """Ids are dense, their times rise, and a post answered before another one was sent has a lower id."""
    for before, after in pairwise(log_of(calls)):
        if after.id != before.id + 1 or after.created <= before.created:
            yield f"post {after.id} of {after.created} follows post {before.id} of {before.created}"
    begun: dict[int, float] = {}
    ended: dict[int, tuple[float, int]] = {}
    for number, call in numbered(calls, *CREATE):
        begun.setdefault(number, call.invoked)
        if call.status == 201 and call.ended is not None:
            ended[number] = min(ended.get(number, (math.inf, 0)), (call.ended, int(call.seen["id"])))
    answered, newest, place = sorted(ended.values()), 0, 0
    for number in sorted(ended, key=lambda each: begun[each]):
        while place < len(answered) and answered[place][0] < begun[number]:
            newest, place = max(newest, answered[place][1]), place + 1
        if ended[number][1] <= newest:
            yield f"post {ended[number][1]} was sent after post {newest} was answered"


def an_id_has_one_content(calls: Calls) -> Iterator[str]:
    """No id has two contents for anybody, whether its post was ever acknowledged or not."""
    times: dict[int, float] = {}
    numbers: dict[int, int] = {}
    for call in calls:
        for post in posts_in(call):
            if times.setdefault(post.id, post.created) != post.created:
                yield f"post {post.id} is of {times[post.id]} and of {post.created}, as {call.process} saw"
            elif post.number is not None and numbers.setdefault(post.id, post.number) != post.number:
                yield f"post {post.id} has the words {numbers[post.id]} and {post.number}, as {call.process} saw"
    for logged in log_of(calls):
        if times.get(logged.id, logged.created) != logged.created:
            yield f"post {logged.id} was shown as of {times[logged.id]} and is of {logged.created} in the log"


def withdrawn_words_are_gone(calls: Calls) -> Iterator[str]:
    """After a hiding, an erasure or a suspension was answered, no answer has its words."""
    since = {number: call.ended for number, call in numbered(calls, *WITHDRAW) if call.outcome == "ok"}
    for call in calls:
        if call.does not in CREATE:
            for number in since.keys() & call.seen.get("words", ()):
                if call.invoked > (since[number] or math.inf):
                    yield f"{call.sent.get('path')} showed the words {number} after they were withdrawn"


def answers_are_expected(calls: Calls) -> Iterator[str]:
    """No call fails but for a part that is away, and no request is refused that was right."""
    for call in calls:
        refusal = call.sent.get("expects")
        allowed = (*AWAY, refusal) if refusal else (*AWAY, 200, 201, *REFUSALS.get(call.does, ()))
        if call.status not in allowed:
            yield f"{call.does} {call.sent.get('path')} was answered {call.status} {call.seen.get('code', call.cause)}"


# 404 of a post is a matter of freshness and of what was withdrawn; 401 is one of the model of tokens; and 429 is one of
# the limit of posts
AWAY = (0, 502, 503, 504)
REFUSALS = {
    **dict.fromkeys(("create_thread", "create_reply"), (429,)),
    **dict.fromkeys(("read_post", "read_receipt", "read_thread", "show_thread", "create_reply", "vote"), (404,)),
    **dict.fromkeys(("use_token", "rotate"), (401,)),
    **dict.fromkeys(("read_checkpoint", "read_withdrawn"), (404,)),
    "create_reply": (404, 429),
}
JUDGES: dict[str, Judge] = {
    "once": each_post_is_there_once,
    "order": ids_follow_real_time,
    "fresh": is_fresh,
    "content": an_id_has_one_content,
    "limit": limits_are_exact,
    "inbox": inboxes_are_right,
    "tree": one_tree,
    "gone": withdrawn_words_are_gone,
    "answers": answers_are_expected,
    "late": all_has_come,
}


def judged(calls: Calls) -> dict[str, list[str]]:
    """Return the broken promises by judge."""
    found = {name: list(dict.fromkeys(judge(calls))) for name, judge in JUDGES.items()}
    return {name: whats for name, whats in found.items() if whats}
