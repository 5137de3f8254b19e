# The commands of this project. The first use of any of them makes .venv from uv.lock.

PYTHON ?= python3
PY := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help run test check lint types imports format migrate migration bench clean

help: ## Show these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: .venv/ready ## Run the board on this machine until Ctrl-C (PORT, BASE_URL, API_REPLICAS, DATABASE_URL, REDIS_URL)
	@exec $(PY) -m deploy.local.run $(ARGS)

test: .venv/ready ## Run the tests (ARGS="tests/local -k port" for some of them)
	$(PY) -m pytest $(ARGS)

check: lint types imports test ## Run what CI runs: lint, types, import rule, tests

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

clean: ## Remove the environment and the caches; the data of make run stays in .local
	rm -rf .venv .local/uv .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/ready: bootstrap.txt pyproject.toml uv.lock deploy/local/environment.py
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or newer, or give PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is $$($(PYTHON) --version): Python 3.11 or newer is needed; give PYTHON=..."; exit 1; }
	@$(PYTHON) deploy/local/environment.py
	@touch $@
