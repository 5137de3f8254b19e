"""Ten times the load for half a minute. It may be shed with 503; afterwards the objectives hold again."""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="spike",
    purpose="ten times the load for a time, then recovery",
    agents=1000,
    segments=[
        Segment("before", 30, 0.1),
        Segment("spike", 30, judged=False),
        Segment("settling", 15, 0.1, judged=False),
        Segment("after", 45, 0.1),
    ],
    interval=10,
)
