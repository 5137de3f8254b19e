"""HAProxy's generated files match the contract. These tests need no HAProxy."""

import re

from deploy.compose.haproxy_files import FOLDER, PAGES, files, routes
from services.api.http.responses import EXPOSED
from services.api.http.sending import SECURITY
from services.board.access.tokens import TOKEN
from services.contract.bounds import BODY_BYTES_MAX, HEAD_BYTES_MAX
from services.contract.limits import RETRY_AFTER_JITTER, RETRY_AFTER_MIN
from services.contract.operations import OPERATIONS
from tests.contract.answers import find_operation

CONFIGURATION = (FOLDER / "haproxy.cfg").read_text()
TUNE_MAXREWRITE = 1024


def test_the_committed_files_are_those_of_the_contract() -> None:
    there = {
        str(path.relative_to(FOLDER)): path.read_bytes().decode()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.name not in ("haproxy.cfg", "kustomization.yaml")
    }
    assert there == files(), "run make contract"


def test_the_first_route_that_fits_a_call_is_its_operation() -> None:
    for one in OPERATIONS:
        path = one.path.format(id=7, event_id=7, name="some.name", slug="some-slug", bundle="000", tile="0/000")
        found = next(value for key, value in pairs() if re.fullmatch(key, one.method + path))
        expected = find_operation(one.method, path)
        assert expected is not None
        assert found.split("|")[0] == expected.name


def pairs() -> list[tuple[str, str]]:
    return [(key, value) for key, _, value in (line.partition(" ") for line in routes().splitlines())]


def test_bounds_and_headers_in_the_configuration_are_the_contracts() -> None:
    assert set(re.findall(r"req.body_size gt (\d+)", CONFIGURATION)) == {str(BODY_BYTES_MAX)}
    (memory,) = re.findall(r"tune.bufsize (\d+)", CONFIGURATION)
    assert int(memory) >= BODY_BYTES_MAX + HEAD_BYTES_MAX + TUNE_MAXREWRITE
    assert f"rand({RETRY_AFTER_JITTER + 1}),add({RETRY_AFTER_MIN})" in CONFIGURATION
    assert f'"{EXPOSED}"' in CONFIGURATION
    assert f"-m reg {TOKEN.pattern.replace('(', '').replace(')', '')}" in CONFIGURATION
    for name, value in SECURITY.items():
        assert re.search(rf'set-header {name} "?{re.escape(value)}"? if !from_api', CONFIGURATION)


def test_every_page_is_used() -> None:
    used = set(re.findall(r"errors/(\S+\.\w+)", CONFIGURATION))
    assert used == {path.removeprefix("errors/") for path in files() if path.startswith("errors/")}
    assert len(PAGES) == len({page.name for page in PAGES})


def test_every_variable_is_explained_and_has_its_default() -> None:
    explained = dict(re.findall(r"^#   ([A-Z_0-9]+) +(\(none\)|\S+)  ", CONFIGURATION, re.MULTILINE))
    given = dict(re.findall(r"^    presetenv (\w+) (\S+)$", CONFIGURATION, re.MULTILINE))
    used = set(re.findall(r"\$\{(\w+)\}|env\((\w+)\)|\"\$(\w+)\"", CONFIGURATION + "".join(files().values())))
    assert {name for pair in used for name in pair if name} == set(explained)
    assert given == {name: default for name, default in explained.items() if default != "(none)"}
