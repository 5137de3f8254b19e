# The commands of this project. The first use of any of them makes .venv from uv.lock.

PYTHON ?= python3
PY := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help run test check lint types imports format migrate migration bench clean
.PHONY: secrets up down logs scale roll upgrade backup restore doctor test-stack

help: ## Show these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: .venv/ready ## Run the board on this machine until Ctrl-C (PORT, BASE_URL, API_REPLICAS, DATABASE_URL, REDIS_URL)
	@exec $(PY) -m deploy.local.run $(ARGS)

WORKERS ?= 2

test: .venv/ready ## Run the tests in two processes (ARGS="tests/local -k port" for some of them, WORKERS=0 for one)
	$(PY) -m pytest -n $(WORKERS) --dist loadfile $(ARGS)

check: lint types imports test test-stack ## Run what CI runs: lint, types, import rule, tests, the stack in containers

lint: .venv/ready
	$(PY) -m ruff check
	$(PY) -m ruff format --check

types: .venv/ready
	$(PY) -m mypy

imports: .venv/ready
	$(PY) -m pytest tests/contract/test_imports.py

format: .venv/ready ## Rewrite the code in the project's format
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

migrate: .venv/ready ## Apply the migrations to DATABASE_URL, or to the board that runs here
	$(PY) -m services.board migrate

migration: .venv/ready ## Write a migration from the models (NAME=what_changes)
	@test -n "$(NAME)" || { echo "Say what changes: make migration NAME=what_changes"; exit 1; }
	$(PY) -m services.board migration $(NAME)

bench: .venv/ready ## Measure the board against ceilings of this machine
	$(PY) -m benchmarks $(ARGS)

# The stack in containers needs Docker and Python, and no .venv.

STACK = @$(PYTHON) -m deploy.compose

secrets: ## Make the stack's settings (deploy/compose/.env) and passwords, where they are missing
	$(STACK) secrets

up: ## Build and start the stack in containers, and wait until it is healthy
	$(STACK) up

down: ## Stop the stack; its data is kept
	$(STACK) down

logs: ## Show what the stack's containers say, until Ctrl-C
	$(STACK) logs

scale: ## Change how many apis the stack has (N=3)
	$(STACK) scale "$(N)"

roll: ## Replace every replica of the stack's processes, failing no call
	$(STACK) roll

upgrade: ## Build the stack's image anew, migrate, and roll
	$(STACK) upgrade

backup: ## Write the stack's database to a file
	$(STACK) backup

restore: ## Put a backup in the place of the stack's database (FILE=...), which is kept aside
	$(STACK) restore "$(FILE)"

doctor: ## Say what is wrong with the stack
	$(STACK) doctor

test-stack: .venv/ready ## Run the tests of the stack on a container engine (as root it is installed where missing)
	$(PY) -m pytest tests/stack $(ARGS)

clean: ## Remove the environment and the caches; the data of make run stays in .local
	rm -rf .venv .local/uv .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/ready: bootstrap.txt pyproject.toml uv.lock deploy/local/environment.py
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or newer, or give PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is $$($(PYTHON) --version): Python 3.11 or newer is needed; give PYTHON=..."; exit 1; }
	@$(PYTHON) deploy/local/environment.py
	@touch $@
