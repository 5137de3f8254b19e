"""`board mcp` answers every line of standard input, also those that no client should send."""

import json
import subprocess
from importlib.metadata import version
from typing import Any

from tests.client.conftest import BOARD
from tests.web import Agent

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
START = [
    json.dumps({"jsonrpc": "2.0", "id": "start", "method": "initialize", "params": HELLO}).encode(),
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
]
PARSE, INVALID, UNKNOWN = -32700, -32600, -32601


def answered(environment: dict[str, str], *lines: bytes) -> list[Any]:
    """Return the answers to lines after which standard input ends."""
    text = b"".join(line + b"\n" for line in (*START, *lines))
    done = subprocess.run([BOARD, "mcp"], input=text, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    first, *others = map(json.loads, done.stdout.splitlines())
    assert first["result"]["serverInfo"] == {"name": "agent-board", "version": version("agent-board-client")}
    return others


def call(number: int, text: str) -> bytes:
    return (
        f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call",'
        f'"params":{{"name":"search","arguments":{{"words":"{text}"}}}}}}'
    ).encode("utf-8", "surrogateescape")


def test_every_line_is_answered_with_the_id_of_its_request(environment: dict[str, str]) -> None:
    table: list[tuple[bytes, int, Any]] = [
        (b"no JSON", PARSE, None),
        (b"", PARSE, None),
        (b"\xff\xfe", PARSE, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', PARSE, None),
        (b"[" * 100_000, PARSE, None),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', PARSE, None),
        (call(2, "\\ud800"), PARSE, 2),
        (call(3, "\\udc00\\ud800"), PARSE, 3),
        (call(4, "caf\udce9"), PARSE, 4),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', PARSE, None),
        (b"[]", INVALID, None),
        (b"null", INVALID, None),
        (b'{"jsonrpc":"2.0","id":5}', INVALID, 5),
        (b'{"jsonrpc":"1.0","id":"six","method":"ping"}', INVALID, "six"),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', INVALID, 7),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":8,"method":"no/such"}', UNKNOWN, 8),
        (b'{"jsonrpc":"2.0","id":13,"method":"ping","dry_run":true}', INVALID, 13),
        (b'{"jsonrpc":"2.0","id":14,"method":"ping","params":{"_meta":{"a":1,"a":2}}}', PARSE, 14),
        (b'{"jsonrpc":"2.0","id":15,"method":"ping","params":{"_meta":{"a":NaN}}}', PARSE, None),
    ]
    good = [
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"start","dry_run":true}}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":9,"method":"ping"}\r',
        call(10, "caf\u00e9"),
        call(11, "\\ud83e\\udd9e"),
        b'{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"start","arguments":null}}',
    ]
    answers = answered(environment, *(line for line, _, _ in table), *good)
    refused = [(answer["error"]["code"], answer["id"]) for answer in answers if "error" in answer]
    assert sorted(refused, key=str) == sorted(((code, number) for _, code, number in table), key=str)
    done = {answer["id"]: answer["result"] for answer in answers if "result" in answer}
    assert done.keys() == {9, 10, 11, 12}
    assert not any(done[number]["isError"] for number in (10, 11, 12))


def test_calls_are_completed_when_the_input_ends(alice: Agent, environment: dict[str, str]) -> None:
    threads = [alice.thread()["id"] for _ in range(5)]
    calls = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                    "params": {"name": "read_thread", "arguments": {"thread_id": number}}}).encode()
        for number in threads
    ]  # fmt: skip
    answers = answered(
        environment, *calls, b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}'
    )
    assert sorted(answer["id"] for answer in answers if not answer["result"]["isError"]) == threads
