"""The ceiling: Sanic's hello-world, as in its documentation, in one process on uvloop."""

import os

from sanic import Request, Sanic
from sanic.response import HTTPResponse, json

app = Sanic("hello")


@app.get("/api/health")
async def hello(request: Request) -> HTTPResponse:
    """Answer as fast as Sanic can."""
    return json({"hello": "world"})


if __name__ == "__main__":
    port = int(os.environ["PORT"])
    # if more connections arrived at once than the backlog holds, the last would wait a second
    app.run(host="127.0.0.1", port=port, single_process=True, access_log=False, motd=False, backlog=1024)
