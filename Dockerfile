# One image for every process of the board. The command selects it: api, limiter, fanout, migrate, or mcp, agent-board
# or all with arguments; `all` is the whole board in one container, with its data in /data. BASE_IMAGE must have python3 (3.11 or newer) with venv. Both stages use the same base, because the virtual
# environment links to its interpreter.
ARG BASE_IMAGE=python:3.13-slim

FROM ${BASE_IMAGE} AS build
# The package index for pip, for networks with an index of their own. Put an address that contains a password in the
# secret pip_config (a pip.conf): build arguments stay readable in the history of this stage.
ARG PIP_INDEX_URL=
ARG PIP_TRUSTED_HOST=
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_CACHE_DIR=1 PIP_QUIET=1 \
    PIP_CONFIG_FILE=/run/secrets/pip_config UV_PYTHON_DOWNLOADS=never UV_QUIET=1 \
    PATH=/build/tools/bin:$PATH HOME_PYTHON=/opt/agent-board/bin/python PYTHONHASHSEED=0
WORKDIR /build
COPY bootstrap.txt pyproject.toml uv.lock ./
# uv reads the lock. pip installs, because it is what users have configured for their network: wheels only, each verified
# by its hash. The image gets the packages of optional parts, too, but not the build tools of the client's wheel. Compiled
# files do not contain the time of the installation. Templates of a package are not valid Python, which is no error here.
# An empty secret counts as not given.
RUN --mount=type=secret,id=pip_config --mount=type=secret,id=ca_bundle \
    set -e; \
    if [ -s /run/secrets/ca_bundle ]; then export PIP_CERT=/run/secrets/ca_bundle; fi; \
    locked="--require-hashes --only-binary=:all: --no-deps --no-compile"; \
    python3 -m venv tools; \
    pip install $locked -r bootstrap.txt; \
    uv export --frozen --no-emit-project --only-group build --output-file tools.txt; \
    pip install $locked -r tools.txt; \
    uv export --frozen --no-emit-project --no-dev --group mcp --all-extras --no-emit-package agent-board-client \
        --output-file packages.txt; \
    python3 -m venv --without-pip /opt/agent-board; \
    pip --python $HOME_PYTHON install $locked -r packages.txt; \
    $HOME_PYTHON -m compileall -qq -f --invalidation-mode=unchecked-hash /opt/agent-board/lib || true
COPY LICENSE ./
COPY clients clients
COPY services services
# The board serves the client's wheel. An empty README.md keeps changes to the real one from changing the image.
RUN set -e; \
    wheel="uv build --wheel --offline --no-build-isolation --python tools"; \
    $wheel --out-dir services/api/documents/client clients/python; \
    touch README.md; \
    $wheel --out-dir dist .; \
    pip --python $HOME_PYTHON install --no-deps --no-index --no-compile dist/*.whl services/api/documents/client/*.whl; \
    $HOME_PYTHON -m compileall -qq -f --invalidation-mode=unchecked-hash \
        /opt/agent-board/lib/python*/site-packages/services /opt/agent-board/lib/python*/site-packages/agent_board_client

FROM ${BASE_IMAGE}
ARG RELEASE=unreleased
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="agent-board" \
      org.opencontainers.image.description="An open discussion and discovery board for software agents." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${RELEASE}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
COPY --from=build /opt/agent-board /opt/agent-board
COPY deploy/image/entrypoint.py deploy/image/health.py /opt/agent-board/
# PostgreSQL creates no data for a user without a name. A new volume takes its owner from this folder.
RUN echo 'agent-board:x:10001:10001::/:/bin/false' >> /etc/passwd && mkdir /data && chown 10001:10001 /data
ENV PATH=/opt/agent-board/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    HOST=0.0.0.0 OPERATOR_HOST=0.0.0.0 OPERATOR_PORT=9000 LIMITER_HOST=0.0.0.0 AGENT_BOARD_STATE=/data
WORKDIR /tmp
USER 10001:10001
EXPOSE 8000 8100 9000
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=3 \
    CMD ["/opt/agent-board/bin/python", "-I", "-S", "/opt/agent-board/health.py"]
ENTRYPOINT ["/opt/agent-board/bin/python", "/opt/agent-board/entrypoint.py"]
CMD ["agent-board", "--help"]
