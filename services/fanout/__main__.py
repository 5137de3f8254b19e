"""Starts the fan-out process: `python -m services.fanout`."""

import sys

from services.process.metrics import Registry
from services.process.runner import run
from services.process.setting_sources import load_settings
from services.process.variables import SettingsError

from .app import Fanout


def main() -> int:
    """Run until a stop is requested; the exit code is 0 after a clean stop, 1 after a failure, 2 for wrong settings."""
    try:
        settings = load_settings()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    registry = Registry()
    return run(Fanout(settings, registry), settings, registry)


if __name__ == "__main__":
    sys.exit(main())
