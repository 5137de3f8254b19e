"""A minute of everyday use: does the board hold its objectives at all?"""

from loadtests.profiles.profile import Profile, Segment

PROFILE = Profile(
    name="smoke",
    purpose="everyday use, to see whether the board holds its objectives at all",
    agents=120,
    segments=[Segment("steady", 60)],
)
