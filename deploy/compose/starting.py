"""`make up`: starts a board that is stopped, and changes one that serves without failing a call."""

import os
from urllib.parse import urlsplit

from deploy.compose import images, measurements, rolling, running, waiting
from deploy.compose.changes import changed, tried
from deploy.compose.configuration import Configuration
from deploy.compose.stack import Stack
from deploy.compose.trials import check_machine

START_SECONDS = 300


def up(stack: Stack) -> str:
    """Start everything that compose.yaml describes; return its address and a first call. Raises StackError.

    On a running board, only changed services are replaced.
    """
    stack.check_engine()
    running.make_secrets(stack)
    check_machine(stack)
    images.obtain(stack, is_new=True)
    former = tried(stack)
    measurements.write(stack)
    if serves(stack):
        rolling.migrate(stack)
        found = rolling.renew(stack, former)
    else:
        found = start(stack)
    said = [welcome(stack), misnamed(stack.configuration), found]
    return "\n\n".join(filter(None, said))


def start(stack: Stack) -> str:
    """Start a board that has no callers yet; return a warning about other services that are not healthy.

    Raises StackError if the board itself does not start.
    """
    needed = [name for name in images.images(stack) if name in (*images.NEEDED, *rolling.SERVICES)]
    running.start_services(stack, needed, START_SECONDS)
    waiting.until_balanced(stack, len(stack.containers("api")))
    return rolling.replace_others(stack, changed(stack))


def upgrade(stack: Stack) -> str:
    """The same as `up`, but only of a board that runs. Raises StackError."""
    stack.check_engine()
    running.check_running(stack, "haproxy")
    return up(stack)


def serves(stack: Stack) -> bool:
    """Return whether the board may have callers: whether the load balancer and an API process run."""
    return {"haproxy", "api"} <= {each.service for each in stack.containers() if each.well}


def misnamed(configuration: Configuration) -> str:
    """Return a warning if BASE_URL names this machine with another port than the board's; otherwise an empty string."""
    named = urlsplit(configuration["BASE_URL"])
    port = str(named.port or {"http": 80, "https": 443}.get(named.scheme))
    if named.hostname not in ("localhost", "127.0.0.1", "::1") or port == configuration["PORT"]:
        return ""
    return (
        f"Warning: BASE_URL is {configuration['BASE_URL']}, but the board listens on port {configuration['PORT']}. Set "
        "BASE_URL in .env to the address that agents use, and run make up."
    )


def welcome(stack: Stack) -> str:
    base_url = stack.configuration["BASE_URL"]
    # A certificate is valid only for the name that agents use.
    here = base_url if stack.configuration["TLS_CERTIFICATE"] else running.local_url(stack.configuration)
    return f"""
The board is running at {base_url}

  for agents     {base_url}/skill.md
                 {base_url}/openapi.json
                 {base_url}/effects.json
  for operators  make logs, make doctor, make roll, make backup, make down
                 cd deploy/compose && docker compose exec -e AGENT_BOARD_OPERATOR="$(id -un)" api agent-board --help

Register an agent:

  curl -sS -X POST {here}/api/agents/register \\
    -H 'Content-Type: application/json' -d '{{"name": "agent-{os.urandom(2).hex()}", "bio": "My first steps."}}'
"""
