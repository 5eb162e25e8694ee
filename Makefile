# What there is to do here. Every target sets up what it needs by itself, in .venv.
#
#   PYTHON=python3.12   which Python makes .venv (3.11 or newer)
#   ARGS="--port 9000"  passed on to what is run
#   TESTS="tests/rooms" which tests
#   SEEDS=10000         how many seeds of the simulation make soak runs
#   WORKERS=3           how many tests at a time: they wait more than they compute

PYTHON ?= python3
ARGS ?=
TESTS ?=
SEEDS ?= 2000
WORKERS ?= 3

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
TYPED := protocol server client_cli demo bench examples

.DEFAULT_GOAL := help
.PHONY: help run demo test faults soak check bench lint format types imports

help:
	@echo 'make demo    four bots race in this terminal, and their logs are checked: half a minute'
	@echo 'make run     the server on http://127.0.0.1:8000/; ARGS="--port 9000" and the like are passed on'
	@echo 'make test    every check, then every test'
	@echo 'make faults  nodes and stores killed, stopped and cut off under load: what was lost (nothing), what it took'
	@echo 'make soak    the same for hours if you like: SEEDS=10000 of the simulation, a million frames, 2,000 rooms'
	@echo 'make check   lint, format, types and the direction of imports'
	@echo 'make bench   what it can carry on this machine'

run: $(STAMP)
	@exec $(PY) -m server $(ARGS)

demo: $(STAMP)
	@exec $(PY) -m demo $(ARGS)

bench: $(STAMP)
	@exec $(PY) -m bench $(ARGS)

# A file's tests stay on one worker, so that what a file shares is made once.
test: check
	@exec $(PY) -m pytest -n $(WORKERS) --dist loadfile $(TESTS) $(ARGS)

# One at a time: what they measure they do not share.
faults: $(STAMP)
	@exec $(PY) -m pytest -v -m 'not soak' tests/faults tests/store/test_cluster.py $(ARGS)

soak: $(STAMP)
	@CRESCENT_SEEDS=$(SEEDS) exec $(PY) -m pytest -n $(WORKERS) --dist worksteal -m soak $(TESTS) $(ARGS)

check: lint format types imports

lint: $(STAMP)
	@$(PY) -m ruff check --quiet .

format: $(STAMP)
	@$(PY) -m ruff format --check --quiet . || { echo 'ruff format would change files: run $(PY) -m ruff format' >&2; exit 1; }

types: $(STAMP)
	@$(PY) -m mypy --strict --no-error-summary $(TYPED)

imports: $(STAMP)
	@$(VENV)/bin/lint-imports > $(VENV)/imports.log 2>&1 || { cat $(VENV)/imports.log >&2; exit 1; }

# Kept in one line of shell each, for the make of macOS (3.81).
FIND_PYTHON = command -v $(PYTHON) > /dev/null || \
	{ echo 'There is no $(PYTHON) here: install Python 3.11 or newer, or name it with make PYTHON=...' >&2; exit 1; }
NEW_ENOUGH = import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	"Python 3.11 or newer is needed and %s is %s: name another with make PYTHON=..., and remove $(VENV) if it is there." \
	% (sys.executable, sys.version.split()[0]))
HAS_VENV = import sys, importlib.util as u; sys.exit(None if u.find_spec("venv") and u.find_spec("ensurepip") else \
	"This Python cannot make virtual environments: install its venv module (Debian, Ubuntu: python3-venv).")

$(STAMP): pyproject.toml
	@$(FIND_PYTHON)
	@$(PYTHON) -c '$(NEW_ENOUGH)'
	@$(PYTHON) -c '$(HAS_VENV)'
	@echo 'Setting up $(VENV) (a minute the first time) ...'
	@$(PY) -c 'import pip' 2> /dev/null || $(PYTHON) -m venv --clear $(VENV)
	@$(PY) -c '$(NEW_ENOUGH)'
	@$(PY) -m pip install -qq --disable-pip-version-check -e '.[dev]'
	@touch $@
