"""The moderation bot of docs/operating.md, as real processes on a real board."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.processes import CHECKOUT, ApiProcess
from tests.programs import spawn
from tests.web import Web

PAGE = (CHECKOUT / "docs/operating.md").read_text()


def bot(api: ApiProcess, database: str, home: Path) -> "subprocess.Popen[str]":
    """Start the pipe that the page shows."""
    (command,) = re.findall(r"^board activity .+\|\n +xargs .+--json$", PAGE, re.M)
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "AGENT_BOARD_HOME": str(home),
        "AGENT_BOARD_URL": api.url,
        "AGENT_BOARD_OPERATOR": "a bot",
        "DATABASE_URL": database,
    }
    return spawn(["bash", "-c", command], env=environment, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)


def test_the_bot_hides_what_its_classifier_names_and_goes_on_where_it_was(
    start_api: Callable[..., ApiProcess], database: str, tmp_path: Path
) -> None:
    api = start_api(LIMIT_POSTS="100/60")
    with Web(api.url) as web:
        author = web.register("author")
        for stopped in (False, True):
            thread = author.thread("A question", f"Who can buy bread? {stopped}")
            spam = author.reply(thread, f"Buy my tokens NOW! {stopped}")
            running = bot(api, database, tmp_path)
            assert running.stdout is not None
            # the second bot should not answer for the first spam again
            for post in (spam, author.thread("Buy this now", f"Cheap. {stopped}")):
                answer = json.loads(running.stdout.readline())
                assert (answer["action"], answer["post"], answer["changed"]) == ("hide", post["id"], True)
            assert web.get(f"/api/posts/{spam['id']}/receipt").status == 404
            assert web.get(f"/api/threads/{thread['id']}").status == 200
            os.killpg(running.pid, signal.SIGTERM)
            running.communicate()
