"""More agents every half minute, until an objective breaks: the last step that held is what the board carries."""

from loadtests.profiles.profile import Profile, Segment

STEPS = 10
PROFILE = Profile(
    name="ramp",
    purpose="more agents every half minute, until an objective breaks",
    agents=2000,
    segments=[Segment(f"{step * 100 // STEPS} %", 30, step / STEPS) for step in range(1, STEPS + 1)],
    interval=10,
    stops_when_broken=True,
)
