"""The key of the verifiable log: only the fan-out mounts it, and a board without the component runs without it."""

import base64

import pytest

from services.board.verifiable_log.signing import Signer
from tests.k8s.conftest import Rendered
from tests.k8s.rendering import containers, environment, named, pod, workloads


@pytest.mark.parametrize("case", ["overlays/small", "components/log"])
def test_only_the_fan_out_mounts_the_key(rendered: Rendered, case: str) -> None:
    manifests = rendered(case)
    mounting = [each for each in workloads(manifests) if "'secretName': 'log'" in str(pod(each)["spec"]["volumes"])]
    assert [each["metadata"]["name"] for each in mounting] == ["fanout"]
    (mounted,) = (each["mountPath"] for each in containers(mounting[0])[0]["volumeMounts"] if each["name"] == "log")
    assert environment(mounting[0], manifests)["LOG_KEY_FILE"] == f"{mounted}/log_key"
    (volume,) = (each["secret"] for each in pod(mounting[0])["spec"]["volumes"] if each["name"] == "log")
    assert [(each["key"], each["path"]) for each in volume["items"]] == [("log_key", "log_key")]


def test_a_board_that_has_no_secret_of_this_name_needs_none(rendered: Rendered) -> None:
    manifests = rendered("overlays/production")
    assert "LOG_KEY_FILE" not in environment(named(manifests, "Deployment", "fanout"), manifests)
    assert all("'secretName': 'log'" not in str(each) for each in workloads(manifests))


def test_the_public_key_of_the_small_board_is_one_and_has_its_name(rendered: Rendered) -> None:
    manifests = rendered("overlays/small")
    key = base64.b64decode(named(manifests, "Secret", "log")["data"]["log_key"]).decode()
    base_url = named(manifests, "ConfigMap", "settings")["data"]["BASE_URL"]
    assert Signer(key).name == f"{base_url.partition('://')[2]}/log"
