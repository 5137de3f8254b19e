"""Ten minutes of everyday use by many agents."""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="steady", purpose="ten minutes of everyday use", agents=1000, segments=[Segment("steady", 600)], warm_up=60
)
