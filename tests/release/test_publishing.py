"""`make publish` joins the images of one commit in an index, and names everything by digest.

The program `docker` of these tests answers as a registry does; CONTRIBUTING describes the trial on a real one.
"""

from pathlib import Path

import pytest

from deploy.release import commit, image, publishing
from deploy.release.errors import ReleaseError

# Every image of another platform, or of another commit, is a file in the folder `registry`.
DOCKER = """#!/bin/sh
echo "$@" >> "$0.calls"
for last; do :; done
file="$(dirname "$0")/registry/$(echo "$last" | tr '/:' '__')"
case "$*" in
    "version"*) echo 28.0 ;;
    "compose version"*) echo 2.26.0 ;;
    "compose"*" build "*) echo "$*" | sed 's/.*REVISION=\\([0-9a-f]*\\) .*/\\1/' | tr -d '\\n' > "$0.revision" ;;
    "push "*) cp "$0.revision" "$file" ;;
    *"imagetools create"*) touch "$(dirname "$0")/registry/$(echo "$5" | tr '/:' '__')" ;;
    *"imagetools inspect"*) [ -e "$file" ] || { echo "ERROR: $last: not found" >&2; exit 1; }
        printf '{"digest": "sha256:%s", "config": {"Labels": {"org.opencontainers.image.revision": "%s"}}}' \\
            "$(echo "$last" | sha256sum | cut -d' ' -f1)" "$(cat "$file")" ;;
esac
"""
REPOSITORY = "registry.example/board"


@pytest.fixture
def registry(tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the images of the registry."""
    programs, registry = tmp_path / "programs", tmp_path / "programs/registry"
    registry.mkdir(parents=True)
    (programs / "docker").write_text(DOCKER)
    (programs / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return registry


def joined(registry: Path) -> list[int]:
    """How many images each index was made of."""
    calls = (registry.parent / "docker.calls").read_text().splitlines()
    return [call.count("@sha256:") for call in calls if "imagetools create" in call]


def test_the_last_machine_joins_what_others_have_pushed_of_the_same_commit(registry: Path, checkout: Path) -> None:
    found, platforms = publishing.publish(checkout, REPOSITORY, "0.1.0", ["linux/arm64"])
    assert (platforms, joined(registry)) == (["linux/arm64"], [1, 1])
    found, platforms = publishing.publish(checkout, REPOSITORY, "0.1.0", ["linux/amd64"])
    assert (platforms, joined(registry)[2:]) == (["linux/amd64", "linux/arm64"], [2, 2])
    tagged = image.names(REPOSITORY, "0.1.0")
    assert {name: image.partition("@sha256:")[0] for name, image in found.items()} == tagged
    assert all(len(image.partition("@sha256:")[2]) == 64 for image in found.values())
    commit.git(checkout, "commit", "--allow-empty", "-qm", "Another")
    _, platforms = publishing.publish(checkout, REPOSITORY, "0.1.0", ["linux/amd64"])
    assert (platforms, joined(registry)[4:]) == (["linux/amd64"], [1, 1])


def test_images_of_others_are_named_by_digest_if_their_registry_answers(
    registry: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HAPROXY_IMAGE", "mirror.example/haproxy:3")
    monkeypatch.setenv("VALKEY_IMAGE", f"valkey@sha256:{'0' * 64}")
    (registry / "mirror.example_haproxy_3").touch()
    stack = image.stack(image.names(REPOSITORY, "0.1.0"))
    found = publishing.pinned(stack)
    assert found["HAPROXY_IMAGE"].startswith("mirror.example/haproxy:3@sha256:")
    assert found["VALKEY_IMAGE"] == f"valkey@sha256:{'0' * 64}"
    assert found["GRAFANA_IMAGE"] + " has no digest in this release: its registry" in capsys.readouterr().out
    assert found.keys().isdisjoint(image.names("", ""))


@pytest.mark.parametrize(
    ("repository", "platforms", "reason"),
    [
        ("", ["linux/amd64"], "Name the repository with its registry: REGISTRY=registry.example/agent-board"),
        ("agent-board", ["linux/amd64"], "Name the repository with its registry"),
        (
            REPOSITORY,
            ["linux/amd64", "linux/riscv64"],
            "PLATFORMS names linux/riscv64; images are built for linux/amd64",
        ),
    ],
)
def test_a_wrong_choice_is_one_sentence(repository: str, platforms: list[str], reason: str) -> None:
    with pytest.raises(ReleaseError, match=f"^{reason}"):
        publishing.check(repository, platforms)
