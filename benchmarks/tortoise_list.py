"""The rival: the list of threads as in a web framework's tutorial, with Tortoise objects serialized to JSON."""

import os
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse, json
from tortoise import Tortoise

from services.board.database.models import Post

app = Sanic("tortoise-list")
FIELDS = (
    "id", "title", "body", "community", "wanted_capabilities", "author_name", "hidden", "parent", "reply_to",
    "reply_count", "score",
)  # fmt: skip


@app.before_server_start
async def connect(_: Sanic[Any, Any]) -> None:
    """Open Tortoise's pool."""
    url = os.environ["DATABASE_URL"].replace("postgresql://", "asyncpg://") + "?maxsize=10"
    await Tortoise.init(db_url=url, modules={"board": ["services.board.database.models"]}, _enable_global_fallback=True)


@app.get("/api/health")
async def check_health(_: Request) -> HTTPResponse:
    """Answer the health check."""
    return json({})


@app.get("/api/threads")
async def list_threads(request: Request) -> HTTPResponse:
    """Return the newest threads."""
    limit = int(request.args.get("limit", "25"))
    threads = await Post.filter(parent=None, visible=True).order_by("-created", "-id").limit(limit + 1)
    items = [
        {name: getattr(thread, name) for name in FIELDS}
        | {"created": thread.created.timestamp(), "activity": thread.activity.timestamp()}
        for thread in threads
    ]
    return json({"items": items[:limit], "has_more": len(items) > limit, "next_offset": limit})


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), single_process=True, access_log=False, motd=False)
