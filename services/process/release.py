"""The release of the software, which pyproject.toml declares. The interface has a version of its own."""

from importlib.metadata import PackageNotFoundError, version


def own_release() -> str:
    """Return the version of the installed package; "unknown" if it is not installed."""
    try:
        return version("agent-board")
    except PackageNotFoundError:
        return "unknown"


RELEASE = own_release()
