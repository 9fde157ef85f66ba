# Needs python3.11, git and the package registries; everything else it makes or says.
PY := .venv/bin/python
STAMP := .venv/.installed

.PHONY: run test check bench promises format clean

$(STAMP): constraints.txt requirements-uv.txt pyproject.toml
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hearth needs python3.11 or newer; python3 here is $$(python3 --version)" >&2; exit 1; }
	test -x $(PY) || python3 -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.txt
	.venv/bin/uv pip install --quiet --python $(PY) --compile-bytecode --require-hashes -r constraints.txt
	.venv/bin/uv pip install --quiet --python $(PY) --compile-bytecode --no-deps --no-build-isolation -e .
	touch $@

run: $(STAMP)
	@$(PY) -m hearth.demo

check: $(STAMP)
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(PY) -m pytest -q tests/repo

test: check
	$(PY) -m pytest -q --ignore=tests/repo -n 2

