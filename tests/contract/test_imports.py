"""The import rule, checked in the source of every module of services/ (ARCHITECTURE.md, "Where things are").

The message about a wrong import names the rule. A rule changes with ARCHITECTURE.md, never to permit one import.
"""

import ast
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).parents[2]
SERVICES = CHECKOUT / "services"
CONTRACT, PROCESS, BOARD = "services.contract", "services.process", "services.board"
DATABASE, OPERATOR, LOCAL = f"{BOARD}.database", "services.operator", "services.local"
ERRORS = f"{BOARD}.errors"

# the project's modules that each part may import; the longest matching prefix decides
OURS = {
    CONTRACT: (CONTRACT,),
    PROCESS: (PROCESS, CONTRACT),
    DATABASE: (DATABASE, ERRORS, PROCESS, CONTRACT),
    BOARD: (BOARD, PROCESS, CONTRACT),
    # the published alias of the operator's command
    f"{BOARD}.__main__": (OPERATOR,),
    OPERATOR: (OPERATOR, LOCAL, BOARD, PROCESS, CONTRACT),
    LOCAL: (LOCAL, BOARD, PROCESS, CONTRACT),
    "services.api": ("services.api", BOARD, PROCESS, CONTRACT),
    "services.fanout": ("services.fanout", BOARD, PROCESS, CONTRACT),
    "services.limiter": ("services.limiter", CONTRACT, PROCESS),
    "loadtests": ("loadtests", CONTRACT),
}
# the parts, or single modules, to which a third-party library is confined
CONFINED = {
    "sanic": ("services.api", "services.limiter.app"),
    "sanic_routing": ("services.api",),
    "redis": ("services.limiter.window",),
    "tortoise": (DATABASE,),
    "aerich": (f"{DATABASE}.migrations",),
    "asyncpg": (BOARD, OPERATOR, "services.api", "services.fanout"),
    "typer": (OPERATOR,),
    "cryptography": (f"{PROCESS}.note_keys", f"{BOARD}.verifiable_log.signing"),
}
# besides the standard library
CONTRACT_LIBRARIES = {"msgspec", "confusable_homoglyphs"}
# the folders and modules of a package, the lowest first: each imports only itself and lower ones
ORDER = {
    "services.api": (
        "http", "cache", "documents", "limiter_client", "handlers", "pages", "request", "pools", "app",
        "__main__",
    ),
    BOARD: (
        "results", "errors", "links", "rows", "page_bytes", "database", "access", "validation", "posts", "inbox",
        "agents", "search", "moderation", "verifiable_log", "overview",
    ),
}  # fmt: skip
API = "services.api"
# where a process, the table of handlers, the command or a whole board are put together: only these may
# import what stands around the core
ROOTS = (
    f"{API}.app", f"{API}.request.table", "services.fanout.app", f"{OPERATOR}.program", f"{LOCAL}.run",
)  # fmt: skip
# the parts around the core (ARCHITECTURE.md, "The map")
AROUND = {
    "the verifiable log": (
        f"{BOARD}.verifiable_log", f"{API}.handlers.verifiable_log", "services.fanout.checkpoints",
        f"{OPERATOR}.log_key",
    ),
    "the pages for people": (f"{API}.pages",),
    "the client": ("agent_board_client",),
}  # fmt: skip
# libraries that call an address by HTTP
CLIENTS = ("aiohttp", "http.client", "urllib.request", "requests", "httpx", "httpx2")


class Module(NamedTuple):
    """A module of services/ by its full name."""

    name: str
    path: Path

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


def modules(folder: Path = SERVICES) -> list[Module]:
    found = []
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__")
        found.append(Module(name, path))
    return found


def is_part(name: str, part: str) -> bool:
    return name == part or name.startswith(f"{part}.")


@cache
def imports(module: Module) -> list[str]:
    """The full name of everything that a module imports at any place in it, with relative imports resolved."""
    found: list[str] = []
    for node in ast.walk(ast.parse(module.path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = module.package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(part for part in (above, node.module) if part)
            found += [f"{base}.{alias.name}" for alias in node.names]
    return found


def wrong_arrows(module: Module) -> list[str]:
    """Every import in the module that breaks a rule."""
    part = max((part for part in OURS if is_part(module.name, part)), key=len, default=None)
    return [reason for name in imports(module) if (reason := why_wrong(module.name, part, name)) is not None]


def why_wrong(module: str, part: str | None, name: str) -> str | None:
    library = name.split(".")[0]
    if library in ("services", "loadtests"):
        if part is not None and not any(is_part(name, allowed) for allowed in OURS[part]):
            return f"{module} imports {name}: {part} may import {', '.join(OURS[part])} of ours"
    elif library in ("tests", "deploy", "benchmarks"):
        return f"{module} imports {name}: services stand alone"
    elif library in CONFINED and not any(is_part(module, place) for place in CONFINED[library]):
        return f"{module} imports {name}: {library} belongs in {', '.join(CONFINED[library])}"
    elif part == CONTRACT and library not in CONTRACT_LIBRARIES | set(sys.stdlib_module_names):
        return f"{module} imports {name}: the contract may import only {', '.join(CONTRACT_LIBRARIES)}"
    return None


def upward(module: Module) -> list[str]:
    """Every import in a module that leads to a higher folder or module of its package."""
    for package, order in ORDER.items():
        if is_part(module.name, package) and module.name != package:
            own = order.index(part_of(module.name, package))
            ours = [name for name in imports(module) if is_part(name, package) and name != package]
            return [f"{module.name} imports {name}" for name in ours if order.index(part_of(name, package)) > own]
    return []


def part_of(name: str, package: str) -> str:
    """Return the folder or module of a package that a full name leads to."""
    return name.removeprefix(f"{package}.").split(".")[0]


def around(module: Module, part: str) -> list[str]:
    """Every import in a module of the core that leads to a part around it."""

    def is_around(name: str) -> bool:
        return any(is_part(name, place) for place in AROUND[part])

    if module.name in ROOTS or is_around(module.name):
        return []
    return [f"{module.name} imports {name}" for name in imports(module) if is_around(name)]


def test_every_import_follows_the_arrows() -> None:
    assert [reason for module in modules() for reason in wrong_arrows(module)] == []


@pytest.mark.parametrize("package", ORDER)
def test_no_import_of_a_package_runs_upward(package: str) -> None:
    assert [found for module in modules(CHECKOUT / package.replace(".", "/")) for found in upward(module)] == []


@pytest.mark.parametrize("part", AROUND)
def test_the_core_does_not_import_what_stands_around_it(part: str) -> None:
    assert [found for module in modules() for found in around(module, part)] == []


def test_the_load_tests_take_the_contract_only() -> None:
    for module in modules(CHECKOUT / "loadtests"):
        assert wrong_arrows(module) == []


def test_nothing_that_an_agent_sends_is_fetched() -> None:
    """The processes of the board call one address by HTTP: the limiter's, a setting."""
    serving = [module for folder in ("api", "board", "fanout") for module in modules(SERVICES / folder)]
    calling = {module.name for module in serving if any(is_part(n, each) for n in imports(module) for each in CLIENTS)}
    assert calling == {"services.api.limiter_client"}


def test_the_rules_speak_of_modules_that_exist() -> None:
    # at least these parts should have modules
    for part in (CONTRACT, PROCESS, DATABASE, BOARD, OPERATOR, LOCAL, "services.api"):
        assert [module for module in modules() if is_part(module.name, part)]
    named = {name for part in AROUND.values() for name in part if is_part(name, "services")}
    assert named | set(ROOTS) <= {module.name for module in modules()}
