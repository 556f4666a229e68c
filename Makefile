PYTHON ?= python3
BIN := .venv/bin
LEAN := .venv/.lean
INSTALLED := .venv/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SAFETY := src/instinct/benchmarks/safety/requirements
COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --quiet --custom-compile-command "make lock"

.PHONY: audit test test-all results docs check setup lock clean

audit: $(LEAN)
	@$(BIN)/instinct audit gridworld hopper-medium --preset quick --seeds 1

test: check
	@$(BIN)/pytest

results: $(INSTALLED)
	@$(BIN)/instinct results write docs

test-all: check
	@$(BIN)/pytest -m ""

docs: $(INSTALLED)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Site: site/index.html"

check: $(INSTALLED)
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary

setup: $(INSTALLED)

# What an audit needs.
$(LEAN): requirements-audit.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "instinct needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@echo "Installing into .venv (once; some minutes)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) --no-deps --require-hashes -r requirements-audit.txt
	@$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

# All extras, and what the tests, the checks and the documentation need.
$(INSTALLED): requirements.txt $(LEAN)
	@echo "Installing what the tests need (once; some minutes)"
	@$(PIP) --no-deps --require-hashes -r requirements.txt
	@$(BIN)/instinct setup safety
	@touch $@

lock: $(INSTALLED)
	@$(BIN)/python -m pip install --quiet uv
	@$(COMPILE) pyproject.toml --extra dev --upgrade --output-file requirements.txt
	@$(COMPILE) pyproject.toml --group build --constraint requirements.txt --upgrade --output-file requirements-audit.txt
	@$(COMPILE) $(SAFETY).in --no-deps --no-annotate --upgrade --output-file $(SAFETY).txt

clean:
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache results site
