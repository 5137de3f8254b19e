"""Ten minutes of everyday use by many agents."""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="steady", purpose="everyday use by many agents", agents=1000, segments=[Segment("steady", 600)], warm_up=60
)
