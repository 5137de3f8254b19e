"""Every service that a roll does not replace by itself has a cost, which is named."""

from deploy.compose import images, rolling
from deploy.compose.configuration import DIRECTORY


def test_what_is_left_is_named_with_its_command_and_cost() -> None:
    lines = rolling.left({"postgresql", "valkey", "backup", "haproxy"}).splitlines()[1:]
    assert lines == [
        f"  docker compose up --detach --no-build --force-recreate {name}    # {rolling.COSTS[name]}"
        for name in ("haproxy", "postgresql")
    ]


def test_every_service_is_replaced_or_has_a_cost() -> None:
    assert set(images.NEEDED) - {"migrate"} == {*rolling.COSTS, "valkey", "limiter", "api", "fanout"}
    assert {"limiter", "api", "fanout", "mcp"} == set(rolling.SERVICES)
    text = "".join(path.read_text() for path in DIRECTORY.glob("*.yaml"))
    assert [name for name in (*rolling.COSTS, *rolling.SERVICES) if f"\n  {name}:\n" not in text] == []
