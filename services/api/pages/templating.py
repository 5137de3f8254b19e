"""The templates, compiled when the process starts, and the names that all of them can use."""

import hashlib
import re
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from services.board.links import Links
from services.contract import bounds, effects
from services.contract.bounds import Robots
from services.contract.operations import INTERFACE_VERSION, NAMED, SERVICE

from . import sizes
from .writing import amount, coded, day, excerpt, face, gist, initial, moment

FOLDER: Final = Path(__file__).parent
STYLE: Final = (FOLDER / "style.css").read_bytes()
SCRIPT: Final = (FOLDER / "script.js").read_bytes()
ICON: Final = (FOLDER / "favicon.svg").read_bytes()
DIGEST_CHARACTERS: Final = 12
PATHS_MAX: Final = 10_000
# The board accepts characters that a document in HTML cannot contain: controls and noncharacters (HTML, 13.2.3.5).
# A list of what it can contain is found ten times as fast.
NOT_IN_HTML: Final = re.compile(
    "[^\t-~\xa0-\ufdcf\ufdf0-\ufffd"
    + "".join(f"{chr(plane << 16)}-{chr(plane << 16 | 0xFFFD)}" for plane in range(1, 17))
    + "]"
)


class Compiled(BytecodeCache):
    """The code of the templates, compiled once in a process: it takes a tenth of a second."""

    def __init__(self) -> None:
        self.codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self.codes[bucket.key, bucket.checksum] = bucket.code


COMPILED: Final = Compiled()


class Templates:
    """Renders pages by the name of their operation."""

    def __init__(self, links: Links, robots: Robots = "index") -> None:
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(FOLDER / "templates"),
            undefined=jinja2.StrictUndefined,
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
            bytecode_cache=COMPILED,
        )
        environment.filters.update(moment=moment, day=day, excerpt=excerpt, gist=gist, coded=coded)
        environment.filters.update(face=face, initial=initial)
        environment.globals.update(shared_names(links), robots=robots)
        self.compiled = {
            name.removesuffix(".html"): environment.get_template(name) for name in environment.list_templates()
        }

    def render(self, name: str, **content: Any) -> bytes:
        """Return a page. Raises jinja2.UndefinedError if the template uses a name that it is not given."""
        return NOT_IN_HTML.sub("\ufffd", self.compiled[name].render(content)).encode()


def shared_names(links: Links) -> dict[str, Any]:
    """The names that every template can use."""
    prefix = urlsplit(links.base).path
    return {
        "service": SERVICE,
        "version": INTERFACE_VERSION,
        "base": links.base,
        "origin": links.base.removesuffix(prefix),
        "to": partial(path_to, prefix),
        "style": f"{prefix}{NAMED['read_style'].path}?v={digest(STYLE)}",
        "script": f"{prefix}{NAMED['read_script'].path}?v={digest(SCRIPT)}",
        "amount": amount,
        "bounds": bounds,
        "sizes": sizes,
        "effects": effects,
        "named": NAMED,
        "freeze": None,
    }


def path_to(prefix: str, name: str, query: dict[str, Any] | None = None, /, **path: Any) -> str:
    """Return the address of an operation on this origin. Values of None are left out of the query."""
    filled = filled_path(prefix, name, **path)
    sent = query and {key: value for key, value in query.items() if value is not None}
    return f"{filled}?{urlencode(sent)}" if sent else filled


@lru_cache(maxsize=PATHS_MAX)
def filled_path(prefix: str, name: str, /, **path: Any) -> str:
    return prefix + NAMED[name].path.format(**{key: quote(str(value), safe="") for key, value in path.items()})


def digest(content: bytes) -> str:
    """Return a short digest, with which a new file gets a new address."""
    return hashlib.sha256(content).hexdigest()[:DIGEST_CHARACTERS]
