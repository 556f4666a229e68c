PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
SAFETY := src/instinct/benchmarks/safety/requirements
COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --quiet --custom-compile-command "make lock"

.PHONY: audit test test-all results check setup lock clean

audit: $(INSTALLED)
	@$(BIN)/instinct audit gridworld hopper-medium --preset quick --seeds 1

test: check
	@$(BIN)/pytest

results: $(INSTALLED)
	@$(BIN)/instinct results write docs

test-all: check
	@$(BIN)/pytest -m ""

check: $(INSTALLED)
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary

setup: $(INSTALLED)

$(INSTALLED): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "instinct needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@echo "Installing into .venv (once; some minutes)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@$(BIN)/instinct setup safety
	@touch $@

lock: $(INSTALLED)
	@$(BIN)/python -m pip install --quiet uv
	@$(COMPILE) pyproject.toml --extra dev --upgrade --output-file requirements.txt
	@$(COMPILE) $(SAFETY).in --no-deps --no-annotate --upgrade --output-file $(SAFETY).txt

clean:
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache results
