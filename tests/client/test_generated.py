"""The generated modules of the client are those that the contract makes."""

from clients.generator.__main__ import sources


def test_the_generated_modules_are_those_of_the_contract() -> None:
    for path, source in sources().items():
        assert path.read_text() == source, f"{path.name} differs from the contract: run make .venv/ready"
