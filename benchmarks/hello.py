"""The ceiling: Sanic's own hello-world, as its documentation has it, in one process on uvloop."""

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
    # of more connections at once than the backlog, the last would wait for a second
    app.run(host="127.0.0.1", port=port, single_process=True, access_log=False, motd=False, backlog=1024)
