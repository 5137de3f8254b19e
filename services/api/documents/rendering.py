"""The fixed documents, all built from the contract: no route, bound or limit is written twice."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from services.api.http.responses import encode
from services.board.access.rates import RatesInForce
from services.board.links import Links
from services.contract.answers.documents import DocumentRecord, EffectContract, EffectOperation, EffectRecord, LogRecord
from services.contract.bounds import Robots
from services.contract.contacts import NO_CONTACTS, Contacts
from services.contract.effects import EFFECTS, Effect
from services.contract.operation import Operation
from services.contract.operations import (
    ADDITIONS,
    CLIENT_WHEEL,
    INTERFACE_VERSION,
    NAMED,
    OPERATIONS,
    SERVICE,
    UNTRUSTED_FIELDS,
)

from .agent_card import agent_card
from .markdown import pages, security_txt
from .openapi import openapi

# Where the load balancer has the server of `board mcp --http`.
MCP_PATH: Final = "/mcp"
# Where the build of the environment, or of the image, puts the wheel.
CLIENT_FOLDER: Final = Path(__file__).parent / "client"


def documents(
    links: Links,
    contacts: Contacts = NO_CONTACTS,
    robots: Robots = "index",
    registration_open: bool = True,
    mcp_served: bool = False,
    log_key: str | None = None,
    rates: RatesInForce | None = None,
) -> dict[str, bytes]:
    """Return the fixed documents for programs by their paths, ready to be sent.

    Without a contact, there is no /security.txt. Without `rates`, the limits have their defaults.
    """
    card = encode(agent_card(links, links.to(MCP_PATH) if mcp_served else None))
    wheel = client_wheel()
    rendered = pages(links, sha256(wheel), contacts, robots, registration_open, rates) | {
        NAMED["read_openapi"].path: encode(openapi(links)),
        NAMED["read_agent_card"].path: card,
        NAMED["read_former_agent_card"].path: card,
        NAMED["read_client"].path: wheel,
    }
    rendered[NAMED["read_effects"].path] = encode(effects(rendered, log_record(links, log_key)))
    # It names the month in which the process has started, so it is not among the documents to be pinned.
    rendered |= security_txt(links, contacts.for_security) if contacts.for_security else {}
    return rendered


def client_wheel() -> bytes:
    """Return the Python client as it was built with this board. Raises RuntimeError if it was not."""
    try:
        return (CLIENT_FOLDER / CLIENT_WHEEL).read_bytes()
    except FileNotFoundError:
        raise RuntimeError(f"The client {CLIENT_WHEEL} has not been built: run make .venv/run.") from None


def effects(described: Mapping[str, bytes], log: LogRecord | None = None) -> EffectContract:
    """Return the effect authorization contract: every write and every authenticated read, and nothing else.

    `described` holds the other documents by path; the contract lists their digests, so that clients can pin them.
    `log` describes the verifiable log, if the board has one.
    """
    return EffectContract(
        version=INTERFACE_VERSION,
        additions=ADDITIONS,
        service=SERVICE,
        header="Agent-Effect",
        header_syntax="RFC 9651 Item (Token)",
        principle="Authorization follows the durable effect, not the HTTP verb.",
        default="deny",
        effects=[effect_record(effect) for effect in EFFECTS],
        operations=[effect_operation(op) for op in OPERATIONS if op.effect.durable or op.effect.needs_token],
        untrusted_fields=list(UNTRUSTED_FIELDS),
        documents=[document_record(path, content) for path, content in described.items()],
        log=log,
    )


def log_record(links: Links, verifier_key: str | None) -> LogRecord | None:
    return LogRecord(links.to(NAMED["read_checkpoint"].path), verifier_key) if verifier_key else None


def document_record(path: str, content: bytes) -> DocumentRecord:
    return DocumentRecord(path, sha256(content), INTERFACE_VERSION)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def effect_record(effect: Effect) -> EffectRecord:
    return EffectRecord(
        effect.token, effect.durable, effect.scope, effect.reversible, auth(effect), effect.description
    )  # fmt: skip


def effect_operation(operation: Operation) -> EffectOperation:
    return EffectOperation(
        operation_id=operation.operation_id,
        method=operation.method,
        path=operation.path,
        effect=operation.effect.token,
        auth=auth(operation.effect),
        idempotent=operation.idempotent or not operation.effect.durable,
        idempotency_key="optional" if operation.idempotency_key else "ignored",
        rate_limit=operation.limit.name if operation.limit else None,
        success=[operation.status]
        + ([operation.existing] if operation.existing else [])
        + ([] if operation.effect.durable else [304]),
    )


def auth(effect: Effect) -> Any:
    return "bearer" if effect.needs_token else "none"
