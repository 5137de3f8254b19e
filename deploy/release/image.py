"""The image of a release, built as `make up` builds it, with the labels of the release."""

import os
from datetime import UTC, datetime

from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

# compose.yaml asks for these, although a build does not use them.
_OF_NO_USE = {"RUN_AS_UID": "10001", "RUN_AS_GID": "10001", "BASE_URL": "http://127.0.0.1:8000"}


def stack(image: str, version: str, revision: str, seconds: int) -> Stack:
    """Return the stack whose image has this name, and labels that follow from the commit."""
    created = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"BOARD_IMAGE": image, "RELEASE": version, "REVISION": revision, "CREATED": created}
    return Stack(Configuration({**_OF_NO_USE, **os.environ, **labels}))


def has_engine(stack: Stack) -> bool:
    """Return whether this machine can build images; if not, print the reason."""
    try:
        stack.check_engine()
    except StackError as error:
        print(f"No image is built. {error}", flush=True)
        return False
    return True
