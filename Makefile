# Every target sets up the virtual environment that it needs; a fresh machine needs only Python >= 3.11, make and git.
SHELL := /bin/bash
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v "$$p"; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
# Installs are tried twice: a dropped connection should not fail a build. Of all files that come in few are ever imported:
# Python compiles those then, and keeps them, whatever the environment says, since tests start many a Python.
install = ( $(1) -m pip install --quiet --no-compile $(2) || { sleep 5; $(1) -m pip install --quiet --no-compile $(2); } )
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test lint style types tests lint-viewer fuzz bench docs clean tools
.DEFAULT_GOAL := help

help: ## say what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "anyjoint needs Python 3.11 or newer; none was found on PATH (or: make PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(call install,$(BIN)/python,-e .)
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	$(call install,$(BIN)/python,-e '.[$*]')
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed ## simulate twenty tori and write a page to look at
	@$(BIN)/anyjoint run torus-chain --html demo.html

lint: style types ## style, types, import contract

style: $(VENV)/.installed-lint
	$(BIN)/ruff check --no-cache .
	PYTHONPATH=src $(BIN)/lint-imports
	@$(MAKE) --no-print-directory lint-viewer

types: $(VENV)/.installed-lint
	$(BIN)/mypy

# eslint comes by npm; where that cannot be had, the rest of the lint still counts.
lint-viewer:
	@cd viewer && if [ -x node_modules/.bin/eslint ] || npm ci --no-audit --no-fund --ignore-scripts --loglevel=error; \
	then node_modules/.bin/eslint .; else echo "THE VIEWER WAS NOT LINTED: npm could not install eslint"; fi

# Bringing in what tests need keeps one processor busy, and so do types: one beside the other. Meanwhile the package
# itself is installed anew, so lint looks into its folder.
test: tools $(VENV)/.installed-lint ## lint, and every test that is not slow
	@$(MAKE) --no-print-directory -j2 $(VENV)/.installed-test lint
	@$(MAKE) --no-print-directory tests

# Who has no test left takes some of the other's.
tests: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist worksteal

# A coverage-guided fuzzer on every loader: make fuzz SECONDS=3600
SECONDS ?= 60
fuzz: $(VENV)/.installed-test $(VENV)/.installed-fuzz ## look for files that break loaders, a minute each
	@for loader in urdf mjcf osim own; do echo "$$loader"; \
	$(BIN)/python tests/load/fuzz.py $$loader -max_total_time=$(SECONDS) -print_final_stats=1 || exit 1; done

# Some tests need Chromium, node, C and C++ compilers or CMake. Install Debian's where we may; otherwise the test run says what is missing.
tools:
	@missing=; \
	command -v chromium chromium-browser google-chrome >/dev/null || missing="$$missing chromium"; \
	command -v node >/dev/null || missing="$$missing nodejs"; \
	command -v gcc >/dev/null || missing="$$missing gcc libc6-dev"; \
	command -v g++ >/dev/null || missing="$$missing g++"; \
	command -v cmake >/dev/null || missing="$$missing cmake"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing$$missing"; apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null || true; fi

# Peers are large and pull in much; they get an environment of their own.
.venv-bench/.installed: bench/requirements.txt
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	$(call install,.venv-bench/bin/python,-r bench/requirements.txt)
	@touch $@

bench: $(VENV)/.installed-bench .venv-bench/.installed ## measure anyjoint and every peer in one run; write docs/benchmarks.md
	$(BIN)/python -m bench.run
	$(BIN)/python -m bench.report

docs: $(VENV)/.installed-docs ## build the documentation into docs/_build/html
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean: ## remove everything that make made
	rm -rf $(VENV) .venv-bench build dist docs/_build docs/generated .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis demo.html
	find src tests bench examples -name __pycache__ -type d -prune -exec rm -rf {} +
