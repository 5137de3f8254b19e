"""A few authors with many subscribers: how long until the last inbox has the event?"""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="storm",
    purpose="few authors, many subscribers: time to the last inbox",
    agents=1000,
    segments=[Segment("storm", 120)],
    mix={"visitor": 0.98, "asker": 0.02},
    fixed={"watcher": 20},
)
