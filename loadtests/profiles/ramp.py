"""Ever more agents, until an objective breaks: the last step that held is what the board carries."""

from loadtests.profiles.profile import Profile, Segment

STEPS = 10
# Each step has this many times the agents of the one before it, and the last one has all.
FACTOR = 1.45
ACTIVE = [FACTOR ** (step - STEPS + 1) for step in range(STEPS)]
PROFILE = Profile(
    name="ramp",
    purpose="ever more agents, until an objective breaks",
    agents=2000,
    segments=[Segment(f"{active:.0%}", 30, active) for active in ACTIVE],
    interval=10,
    stops_when_broken=True,
    spawned_per_second=500,
)
