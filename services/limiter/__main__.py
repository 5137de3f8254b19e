"""Starts the limiter process: `python -m services.limiter`."""

import sys

from services.process.lifecycle import StartError
from services.process.metrics import Registry
from services.process.runner import run
from services.process.setting_sources import load_settings
from services.process.settings import SettingsWithoutDatabase
from services.process.variables import SettingsError

from .app import LimiterProcess


def main() -> int:
    """Run until a signal; the exit code is 0 after a clean stop, 1 after a failure, 2 for wrong settings."""
    try:
        settings = load_settings(kind=SettingsWithoutDatabase)
        registry = Registry()
        process = LimiterProcess(settings, registry)
    except (SettingsError, StartError) as error:
        print(error, file=sys.stderr)
        return 2
    return run(process, settings, registry)


if __name__ == "__main__":
    sys.exit(main())
