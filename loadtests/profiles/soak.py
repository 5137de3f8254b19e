"""Four hours of everyday use: latency, memory, connections and descriptors must not rise."""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="soak",
    purpose="everyday use for long; nothing may grow",
    agents=1000,
    segments=[Segment(f"quarter {number}", 3600) for number in range(1, 5)],
    warm_up=300,
    steady=True,
)
