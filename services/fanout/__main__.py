"""Starts the fanout process: `python -m services.fanout`."""

import sys

from services.board.process.lifecycle import run
from services.board.process.metrics import Registry
from services.board.process.settings import SettingsError, load_settings

from .app import Fanout


def main() -> int:
    """Run until told to stop; the exit code is 0 after a clean stop, 1 after a failure, 2 for wrong settings."""
    try:
        settings = load_settings()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    registry = Registry()
    return run(Fanout(settings, registry), settings, registry)


if __name__ == "__main__":
    sys.exit(main())
