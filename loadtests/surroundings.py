"""The place of the load tests, and the variables that their Locust receives."""

import os
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[1]
LOCUSTFILE: Final = CHECKOUT / "loadtests/locustfile.py"


def environment(description: str, home: Path) -> dict[str, str]:
    """Return the environment of Locust, which only its command line and the description of the run configure.

    It would also read LOCUST_... and .locust.conf in its home, which is therefore the folder `home` of the run.
    """
    outside = {name: value for name, value in os.environ.items() if not name.startswith("LOCUST_")}
    return {**outside, "LOADTEST_RUN": description, "PYTHONPATH": str(CHECKOUT), "HOME": str(home)}
