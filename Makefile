# The commands of this project. The first one that needs .venv creates it from uv.lock: .venv/run
# holds the packages that running needs, .venv/test those of make test, .venv/ready all of them.

PYTHON ?= python3
PY := .venv/bin/python
# Python's own cache of bytecode saves every process a second, whatever the caller's environment says.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help

# An empty variable of a script must not choose everything: absence is spelled by leaving a variable out.
CHOICES = AGENTS API_REPLICAS ARGS BASE_URL BOARD CLIENTS COMPOSE_FILE COMPOSE_PROJECT_NAME CONTEXT DATABASE_URL ENV_FILE HOST \
	IMAGE NAME NAMESPACE OUTPUT OVERLAY PLATFORMS PORT PROFILE REDIS_URL ROWS SECONDS SEED TIME VERSION WORKERS
$(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(if $(strip $($(name))),,$(error $(name) is empty; leave it out))))
$(foreach name,$(CHOICES),$(if $(filter environment,$(origin $(name))),$(if $(strip $($(name))),,$(error $(name) is empty; leave it out))))

.PHONY: help run test test-all check checked-tests checked-stack checked-mutants lint types imports format migrate bench release publish clean
.PHONY: contract load capacity mutants chaos secrets up down logs roll upgrade backup restore doctor test-stack
.PHONY: k8s-up k8s-down test-k8s

help: ## Show these commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: .venv/run ## Run the board on this machine until Ctrl-C (PORT, HOST, BASE_URL, API_REPLICAS, DATABASE_URL, REDIS_URL)
	@exec $(PY) -m services.operator run --state=.local $(ARGS)

# Tests wait more than they compute. The slow ones load the machine themselves, so fewer run at a time.
PYTEST = $(PY) -m pytest --dist worksteal

test: .venv/test ## Run the tests that need seconds and no other programs, in four processes (ARGS="tests/local -k port" selects some, WORKERS=0 uses one process)
	$(if $(ARGS),,FAST=true )$(PYTEST) -n $(or $(WORKERS),4) -m "not slow" $(or $(ARGS),-r fE)

test-all: .venv/ready ## Run all tests, including the slow ones, but not those of the stack
	$(PYTEST) -n $(or $(WORKERS),3) $(ARGS)

# The stack's tests keep their own list of failed tests.
PYTEST_STACK = $(PY) -m pytest -o cache_dir=.pytest_cache/stack tests/stack
# The tests of a file stay together, because they may have a stack of their own.
TWO_STACKS = -n $(or $(WORKERS),2) --dist loadfile

# Each day runs another share of what is long, so that all of it runs in a week.
SHARES = 7

# The stack is tested by itself: on a machine with too much to do, a board refuses calls that these tests count.
check: lint types ## Run what CI runs: lint, types, tests, today's shares of slow ones, of the stack and of mutants, a cluster if KUBECONFIG names one
	$(MAKE) --keep-going checked-stack checked-tests checked-mutants
	@if [ -n "$$KUBECONFIG" ]; then $(MAKE) test-k8s; \
	else echo "No cluster is tested: KUBECONFIG names none."; fi

checked-tests: .venv/ready
	$(PYTEST) -n $(or $(WORKERS),3) --of=$(SHARES) --durations=40

checked-stack: .venv/ready
	$(PYTEST_STACK) -m "not slow" --of=$(SHARES) --durations=40 $(TWO_STACKS)

# More jobs than cores: much of their time is waiting, for processes that start and for what a wrong build never does.
checked-mutants: .venv/ready
	$(PY) -m tests.mutants --of $(SHARES) --jobs 4

lint: .venv/ready
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	.venv/bin/zizmor --offline --quiet --persona pedantic .github
	@$(PY) -m tests.sizes

types: .venv/ready
	$(PY) -m mypy

imports: .venv/ready
	$(PY) -m pytest tests/contract/test_imports.py

format: .venv/ready ## Format the code and fix what ruff can fix
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

migrate: .venv/run ## Apply the migrations to DATABASE_URL, or to the board that make run started
	$(PY) -m services.operator migrate

contract: .venv/ready ## Write the files derived from services/contract: the load balancer's routes, examples, transcripts
	$(PY) -m deploy.compose.haproxy_files
	$(PY) -m tests.contract.recording
	$(PY) -m tests.transcripts

bench: .venv/ready ## Measure the board relative to what this machine can do (ARGS=--help shows the options)
	$(PY) -m benchmarks $(ARGS)

# A release is made of a commit. `make publish` pushes the images, with labels of the commit and lists of their contents.
# With OUTPUT=--load, it only builds them for this machine. compose.yaml asks for the first three variables. Newer
# versions of Buildx ask before they read a secret outside of the checkout, such as /dev/null.
IMAGE ?= agent-board
PLATFORMS ?= linux/amd64,linux/arm64
OUTPUT ?= --push --sbom=true --provenance=true
BAKE = RUN_AS_UID=10001 RUN_AS_GID=10001 BASE_URL=http://127.0.0.1:8000 BUILDX_BAKE_ENTITLEMENTS_FS=0 \
	BOARD_IMAGE="$(IMAGE):$(VERSION)" DATABASE_IMAGE="$(IMAGE)-postgresql:$(VERSION)" \
	docker buildx bake --file=deploy/compose/compose.yaml --metadata-file=dist/images.json $(OUTPUT) \
	--set=api.context=. --set=postgresql.context=deploy/compose/pgbackrest \
	--set="*.platform=$(PLATFORMS)" --set="*.args.RELEASE=$(VERSION)" \
	--set="*.args.REVISION=$$(git rev-parse HEAD)" \
	--set="*.args.CREATED=$$(TZ=UTC git log -1 --date=format-local:%FT%TZ --format=%cd)"
FILES = dist/$(VERSION)
WHEEL = .local/uv/bin/uv build --quiet --offline --wheel --no-build-isolation --python=$(PY) --out-dir=$(FILES)

# With a file of digests, it names the images by them.
define MAKE_FILES
@$(PY) -m deploy.release "$(VERSION)" "$(IMAGE)" $(1)
@$(WHEEL) clients/python
@$(WHEEL) .
@.local/uv/bin/uv export --quiet --frozen --no-dev --all-extras --format=cyclonedx1.5 \
	--output-file="$(FILES)/agent-board-$(VERSION).cdx.json"
@cd "$(FILES)" && rm -f .gitignore && sha256sum -- * > SHA256SUMS && cat SHA256SUMS
endef

release: .venv/ready ## Make the files of the release of this commit, in dist/VERSION (VERSION=0.2.0, IMAGE=registry/name)
	$(call MAKE_FILES)

publish: release ## Build and push the images of this commit, and make the files that name them (VERSION, IMAGE=registry/name, PLATFORMS)
	@$(BAKE) api postgresql
	$(call MAKE_FILES,$(if $(findstring --push,$(OUTPUT)),dist/images.json))

LOAD = $(if $(PROFILE),--profile=$(PROFILE)) $(if $(BOARD),--board=$(BOARD)) $(if $(AGENTS),--agents=$(AGENTS)) \
	$(if $(SECONDS),--seconds=$(SECONDS)) $(if $(WORKERS),--workers=$(WORKERS))

load: .venv/ready ## Put load on a board and judge it (PROFILE=steady BOARD=http://... AGENTS=2000 SECONDS=60 WORKERS=2 ARGS=--web)
	@$(PY) -m loadtests $(LOAD) $(ARGS)

capacity: .venv/ready ## Measure how much of each journey a board on this machine carries: a ramp for each, in ten minutes
	@$(PY) -m loadtests.ramps $(LOAD) $(ARGS)

# The stack in containers needs Docker and Python, but no .venv.

STACK = @$(PYTHON) -m deploy.compose

secrets: ## Create the stack's settings (deploy/compose/.env) and passwords, if missing
	$(STACK) secrets

up: ## Build and start the stack in containers, and wait until it is healthy
	$(STACK) up

down: ## Stop the stack; its data is kept
	$(STACK) down

logs: ## Follow the logs of the stack's containers, until Ctrl-C
	$(STACK) logs

roll: ## Replace every replica of the stack's processes without failing a request
	$(STACK) roll

upgrade: ## Rebuild the stack's image, migrate, and roll
	$(STACK) upgrade

backup: ## Back up the stack's database now, to the repository from which it can be restored to any minute
	$(STACK) backup

restore: ## Restore the stack's database: all that was archived, or a moment (TIME='2026-11-23 15:04:00')
	$(STACK) restore $(if $(TIME),"$(TIME)")

doctor: ## Report what is wrong with the stack
	$(STACK) doctor

test-stack: .venv/ready ## Test the stack on a container engine (installed if missing, when run as root)
	$(PYTEST_STACK) $(TWO_STACKS) $(ARGS)

# For a cluster: kubectl's current context or CONTEXT, and any folder with a kustomization.yaml.
OVERLAY ?= deploy/k8s/overlays/small
NAMESPACE ?= agent-board
K8S = kubectl $(if $(CONTEXT),--context=$(CONTEXT))
OF_THE_BOARD = --namespace=$(NAMESPACE) --selector=app.kubernetes.io/part-of=agent-board

k8s-up: ## Start or update the board on a Kubernetes cluster, and wait until it is complete (CONTEXT, OVERLAY=FOLDER, NAMESPACE)
	$(PYTHON) -m deploy.observability.generated_files
	$(K8S) apply --kustomize=$(OVERLAY)
	$(K8S) rollout status deployment,statefulset $(OF_THE_BOARD) --timeout=15m

k8s-down: ## Stop the board on a Kubernetes cluster; its volumes, Secrets and namespace are kept
	$(K8S) delete deployment,statefulset,job,service $(OF_THE_BOARD)

test-k8s: .venv/ready ## Test the board on the cluster of KUBECONFIG, in a namespace of its own
	$(PY) -m pytest tests/cluster $(ARGS)

mutants: .venv/ready ## Run each wrong build of tests/mutants against the tests that must fail with it (ARGS="NAME --jobs 4")
	$(PY) -m tests.mutants $(ARGS)

chaos: .venv/ready ## Break a board under load, and judge the answers to its clients (SEED=7 SECONDS=60 CLIENTS=16, ROWS=all or "api-killed ...")
	$(PY) -m tests.chaos $(if $(SEED),--seed=$(SEED)) $(if $(SECONDS),--seconds=$(SECONDS)) $(if $(CLIENTS),--clients=$(CLIENTS)) $(ROWS)

clean: ## Remove .venv and the caches; the data of make run stays in .local
	@! test -e .local/run.lock || flock --nonblock .local/run.lock true || \
		{ echo "A board runs from this checkout. Stop it first, with Ctrl-C where it runs." >&2; exit 1; }
	rm -rf .venv .local/uv .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

CLIENT = $(wildcard clients/python/*.* clients/python/src/*/*.py clients/python/src/*/*/*.py)
# Some modules of the client are made from the contract, or copied, while it is built.
CONTRACT = $(wildcard clients/generator/*.py services/contract/*.py services/contract/*/*.py) \
	services/board/verifiable_log/merkle_tree.py services/operator/streams.py
LOCKED = bootstrap.txt pyproject.toml uv.lock deploy/environment.py $(CLIENT) $(CONTRACT)

.venv/run: $(LOCKED)
	$(CHECK_PYTHON)
	@$(PYTHON) deploy/environment.py run $^

.venv/test: $(LOCKED)
	$(CHECK_PYTHON)
	@$(PYTHON) deploy/environment.py test $^

.venv/ready: $(LOCKED)
	$(CHECK_PYTHON)
	@$(PYTHON) deploy/environment.py dev $^

define CHECK_PYTHON
@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or newer, or set PYTHON=..."; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "$(PYTHON) is $$($(PYTHON) --version): Python 3.11 or newer is needed; set PYTHON=..."; exit 1; }
endef
