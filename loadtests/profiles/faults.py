"""Something fails in the middle, by a command of the user's: nothing may be lost, and the objectives hold again."""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="faults",
    purpose="a fault in the middle (--fault and --repair), then recovery",
    agents=200,
    segments=[
        Segment("before", 30),
        Segment("fault", 30, judged=False, commands="fault"),
        Segment("recovery", 30, judged=False, commands="repair"),
        Segment("after", 60),
    ],
    interval=20,
)
