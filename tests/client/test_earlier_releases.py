"""A client reads the answers of earlier releases: a member that was added later may be missing."""

from types import ModuleType
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from agent_board_client import models, operations
from agent_board_client.decoding import decode
from agent_board_client.errors import UnexpectedAnswer
from clients.generator.models import models_source
from clients.generator.released import Release, releases, this_release
from services.contract.examples import Example

NOW = this_release()


def kind_of(example: Example) -> Any:
    """The type as which the client reads an answer."""
    return models.Problem if example.status >= 400 else getattr(operations, example.operation.upper()).returns


def content(example: Example) -> bytes:
    return example.answer.encode() if isinstance(example.answer, str) else msgspec.json.encode(example.answer)


@pytest.mark.parametrize("name", sorted(NOW.answers))
def test_this_client_reads_the_answers_of_each_release(name: str) -> None:
    for release in [*releases().values(), NOW]:
        if name in release.answers:
            example = release.answers[name]
            assert decode(content(example), kind_of(example)) is not None


def test_the_answers_of_a_release_are_kept_for_every_record_of_the_client() -> None:
    records = {name for name, value in vars(models).items() if getattr(value, "__module__", "") == models.__name__}
    assert set(NOW.members) == records
    assert len(NOW.answers) > 50


def client_after(earlier: Release) -> ModuleType:
    """The records of the client that follows a release."""
    module = ModuleType("agent_board_client.next_models")
    module.__package__ = "agent_board_client"
    exec(compile(models_source([NOW, earlier]), "next_models.py", "exec"), vars(module))
    return module


@pytest.mark.parametrize("record", sorted(NOW.members))
def test_a_member_that_is_added_may_be_missing(record: str) -> None:
    earlier = Release(NOW.members | {record: []}, {})
    kind = getattr(client_after(earlier), record)
    config = kind.__struct_config__
    empty = msgspec.json.encode({config.tag_field: config.tag} if config.tag_field else {})
    assert all(getattr(decode(empty, kind), name) is UNSET for name in kind.__struct_fields__)


def test_a_record_that_is_added_has_all_its_members() -> None:
    others = {name: members for name, members in NOW.members.items() if name != "Thread"}
    with pytest.raises(UnexpectedAnswer):
        decode(b"{}", client_after(Release(others, {})).Thread)
