"""What HAProxy knows of the contract is what the contract says; for this no HAProxy is needed."""

from deploy.compose.haproxy_files import FOLDER, files

CONFIGURATION = (FOLDER / "haproxy.cfg").read_text()


def test_the_committed_files_are_those_of_the_contract() -> None:
    there = {
        str(path.relative_to(FOLDER)): path.read_bytes().decode()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.name != "haproxy.cfg"
    }
    assert there == files(), "run python -m deploy.compose.haproxy_files"
