"""A client reads the answers of earlier releases: a member that was added later may be missing."""

from types import ModuleType

import msgspec
import pytest
from msgspec import UNSET

from agent_board_client import models
from agent_board_client.decoding import decode
from clients.generator.models import models_source
from clients.generator.released import Release, this_release

NOW = this_release()


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
