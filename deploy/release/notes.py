"""The notes of a release, NOTES.md: its changes, its images, how to install it, and the command that verifies it."""

from collections.abc import Mapping, Sequence

from deploy.release.archive import linked
from deploy.release.signing import NAMESPACE

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

In several containers, with replicas, backups and monitoring, with Docker and Python 3.11:

```sh
tar -xzf agent-board-{version}-compose.tar.gz && cd agent-board-{version} && ./board up
```

To upgrade, unpack the archive over the folder of the release before (`tar --strip-components=1`), and run
`./board upgrade`. `deploy/compose/README.md` in the archive explains both.

On Kubernetes, for a trial:

```sh
kubectl apply -f agent-board-{version}-small.yaml
```

For more than a trial, refer to the overlays in the archive, as `deploy/k8s/README.md` in it shows.

## Verify

{verify}

```sh
sha256sum --check --ignore-missing SHA256SUMS
```

## Images

{images}
"""
SIGNED = """\
`SHA256SUMS` is signed. Compare the key with that of the release before.

```sh
echo 'release {signer}' > signers
ssh-keygen -Y verify -f signers -I release -n {namespace} -s SHA256SUMS.sig < SHA256SUMS
```"""
UNSIGNED = "This release is not signed: `SHA256SUMS` shows only that a download is complete."


def notes(version: str, changes: str, images: Mapping[str, str], platforms: Sequence[str], signer: str) -> str:
    """Return the notes. `platforms` are those of published images; without them, the images were not published.

    The changes lose their links to files of a checkout.
    """
    listed = [f"- `{image}`" for image in images.values()]
    for_platforms = f"For {', '.join(platforms)}." if platforms else "They were not published."
    verify = SIGNED.format(signer=signer, namespace=NAMESPACE) if signer else UNSIGNED
    return NOTES.format(
        version=version, changes=linked(changes, "NOTES.md", ()), board=images["BOARD_IMAGE"], verify=verify,
        images="\n".join([*listed, "", for_platforms]),
    )  # fmt: skip
