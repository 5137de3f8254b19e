"""The judge of the limit on posts: exact in every window, and no refusal before it.

While the clock of a server is wrong, its windows are not those of real time (interface 6.1), so only real time counts.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tests.history.record import CREATE, Call, Logged, log_of, numbered

Calls = Sequence[Call]
Span = tuple[float, float]
JUDGING = ("postgresql", "valkey")


def limits_are_exact(calls: Calls) -> Iterator[str]:
    """No agent has more posts in a window than its quota. None is refused before that, and no repeat ever."""
    begin = calls[0].sent
    quota, window = begin["quota"], begin["window"]
    posts: dict[str, list[Logged]] = defaultdict(list)
    for post in log_of(calls):
        posts[post.author].append(post)
    sent: dict[str, list[Call]] = defaultdict(list)
    for _, call in numbered(calls, *CREATE):
        sent[call.sent["author"]].append(call)
    created = {post.number or 0: post.created - begin["wall"] for each in posts.values() for post in each}
    wrong, jumps = wrong_times(calls, window), [call.invoked for call in set_clocks(calls)]
    for author, published in posts.items():
        tried = attempts(sent[author])
        for first, last in zip(published, published[quota:], strict=False):
            span = (first.created - begin["wall"], last.created - begin["wall"])
            if touches(span, wrong):
                span = certain_span(tried, first, last, jumps)
            if round(span[1] - span[0], 6) < window:
                yield f"{author} has {quota + 1} posts within {span[1] - span[0]:.6f} s"
    for author, its in sent.items():
        yield from (f"{author} was refused {what}" for what in refused_too_early(its, created, quota, window, wrong))


def refused_too_early(
    sent: Calls, created: dict[int, float], quota: int, window: float, wrong: Sequence[Span]
) -> Iterator[str]:
    """Return the wrong refusals of one agent.

    A post may count from its first attempt until the window has passed since it was created. One without an outcome
    may be under way in a process that was killed, and any other call, such as a repeat, counts while it is under way
    (interface 6.1).
    """
    first: dict[int, Call] = {}
    for call in sent:
        if call.sent["number"] in created or call.outcome == "unknown":
            first.setdefault(call.sent["number"], call)
    under_way = [call for call in sent if call.status != 429 and first.get(call.sent["number"]) is not call]
    begun = sorted(call.invoked for call in (*first.values(), *under_way))
    over = [created.get(number, math.inf) + window for number in first]
    over = sorted([*over, *(call.ended or math.inf for call in under_way)])
    answered = {call.sent["number"]: call.ended for call in reversed(sent) if call.status == 201}
    for call in (call for call in sent if call.status == 429):
        ended = call.ended or math.inf
        moments = [call.invoked, *begun[bisect_right(begun, call.invoked) : bisect_right(begun, ended)]]
        most = max(bisect_right(begun, moment) - bisect_right(over, moment) for moment in moments)
        if most < quota and not touches((call.invoked, ended), wrong):
            yield f"with {most} posts in the window"
        if (answered.get(call.sent["number"]) or math.inf) < call.invoked:
            yield f"the repeat of post {call.sent['number']}"


def set_clocks(calls: Calls) -> list[Call]:
    """Return when the clocks were set by which the limit is judged."""
    return [call for call in calls if call.does == "set_clock" and call.sent["service"] in JUDGING]


def wrong_times(calls: Calls, window: float) -> list[Span]:
    """Return when windows are not those of real time: until a clock that was set is right again and has caught up."""
    found: list[Span] = []
    since: dict[str, Call] = {}
    for call in set_clocks(calls):
        if call.sent["ahead"]:
            since[call.sent["service"]] = call
        elif was := since.pop(call.sent["service"], None):
            found.append((was.invoked - window, call.invoked + abs(was.sent["ahead"]) + 2 * window))
    return [*found, *((was.invoked - window, math.inf) for was in since.values())]


def touches(span: Span, spans: Sequence[Span]) -> bool:
    return any(begin <= span[1] and span[0] <= end for begin, end in spans)


def attempts(sent: Calls) -> dict[int, Span]:
    """Return when each post of an agent was sent first, and when it was answered."""
    found: dict[int, Span] = {}
    for call in sent:
        number = call.sent["number"]
        began, ended = found.get(number, (call.invoked, math.inf))
        found[number] = (began, min(ended, call.ended or math.inf) if call.status == 201 else ended)
    return found


def certain_span(tried: dict[int, Span], first: Logged, last: Logged, jumps: Sequence[float]) -> Span:
    """Return a time in which both posts were certainly committed, endless if a clock was set in it."""
    unknown = (-math.inf, math.inf)
    began, ended = tried.get(first.number or 0, unknown)[0], tried.get(last.number or 0, unknown)[1]
    return (began, math.inf) if any(began <= jump <= ended for jump in jumps) else (began, ended)
