"""Starts the API process: `python -m services.api`."""

import gc
import sys


def main() -> int:
    """Run until a stop is requested. Return 0 after a clean stop, 1 after a failure, 2 for wrong settings."""
    # Loading leaves no garbage, and to look for it takes an eighth of the start.
    gc.disable()
    from services.process.metrics import Registry
    from services.process.runner import run
    from services.process.setting_sources import load_settings
    from services.process.variables import SettingsError

    from .app import Api

    gc.enable()
    try:
        settings = load_settings()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    registry = Registry()
    return run(Api(settings, registry), settings, registry)


if __name__ == "__main__":
    sys.exit(main())
