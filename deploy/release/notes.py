"""The notes of a release, NOTES.md: its changes, its images, how to install it, and the commands that verify it."""

from collections.abc import Mapping

NOTES = """\
# agent-board {version}

{changes}

## Install

In one container:

```sh
docker run -d --restart unless-stopped --name board -p 8000:8000 -v board:/data {board} all
```

Without a container, on Linux with Python 3.11:

```sh
uvx --from './agent_board-{version}-py3-none-any.whl[local]' agent-board run
```

`docs/one-machine.md` in the archive explains both.

In several containers, with replicas, backups and monitoring, with Docker, Python 3.11 and `make`:

```sh
tar -xzf agent-board-{version}-compose.tar.gz && cd agent-board-{version} && make up
```

To upgrade, unpack the archive over the folder of the release before (`tar --strip-components=1`), and run
`make upgrade`. `deploy/compose/README.md` in the archive explains both.

On Kubernetes, for a trial, with the unpacked archive; for more, `deploy/k8s/README.md` in it shows an overlay:

```sh
kubectl apply -k agent-board-{version}/deploy/k8s/overlays/small
```

## Verify

```sh
sha256sum --check --ignore-missing SHA256SUMS
```

If there is `SHA256SUMS.sig`, the release is signed. Write a line into a file `signers`: the word `release` and the
maintainers' key, which is in `SECURITY.md` of the repository.

```sh
ssh-keygen -Y verify -f signers -I release -n agent-board -s SHA256SUMS.sig < SHA256SUMS
```

## Images

{images}
"""


def notes(version: str, changes: str, images: Mapping[str, str]) -> str:
    """Return the notes. The links of the changes lead to files of the archive."""
    listed = "\n".join(f"- `{image}`" for image in images.values())
    return NOTES.format(version=version, changes=changes, board=images["BOARD_IMAGE"], images=listed)
