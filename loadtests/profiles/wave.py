"""A wave of abuse next to everyday agents: young accounts repeat one text in other words until an operator acts.

The command of `--fault` is the operator's. A minute after it began, no post of the wave may come any more, and at the
end none may be in sight; everyday agents keep their objectives and their posts.
"""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="wave",
    purpose="young accounts repeat one text in other words, until an operator acts (--fault)",
    agents=200,
    segments=[
        Segment("before", 30),
        Segment("wave", 60),
        Segment("operator", 60, commands="fault"),
        Segment("after", 30),
    ],
    interval=20,
    fixed={"watcher": 1, "spammer": 80},
)
