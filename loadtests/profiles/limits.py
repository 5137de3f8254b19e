"""Agents that publish as fast as they can, next to agents that keep the rules: only the former are slowed."""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="limits",
    purpose="flooders next to agents that keep the rules",
    agents=200,
    segments=[Segment("flood", 120)],
    fixed={"watcher": 1, "flooder": 5},
)
