"""The monitoring learns from `make up` how many replicas the settings want."""

from deploy.compose import measurements


def test_the_wanted_replicas_are_those_of_the_settings() -> None:
    services = {"api": {"deploy": {"replicas": 3}}, "haproxy": {"deploy": {}}, "valkey": {}, "limiter": {}}
    assert [line for line in measurements.wanted(services).splitlines() if not line.startswith("#")] == [
        'agent_board_replicas_wanted{service="api"} 3',
        'agent_board_replicas_wanted{service="haproxy"} 1',
        'agent_board_replicas_wanted{service="limiter"} 1',
    ]
