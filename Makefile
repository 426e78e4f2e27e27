# Everything a person does here. Each target installs first if the dependencies have changed.
.DEFAULT_GOAL := help
.PHONY: help install demo test thorough lint bench docs soak chaos package lock clean

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE # commands start in a third of the time when what they import is compiled once

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

install: $(INSTALLED) ## make .venv with everything; .venv/bin/nestling then works

$(INSTALLED): pyproject.toml requirements.lock
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --no-deps --require-hashes -r requirements.lock # the lock is complete: nothing is left to resolve
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

demo: $(INSTALLED) ## take a bundled shop from SQL to a verified MongoDB, and measure rival designs (a minute or two)
	$(BIN)/nestling demo -o build/demo

test: $(INSTALLED) ## run the tests for every day, on real servers
	$(BIN)/pytest -n auto --maxprocesses 4 --dist worksteal

lint: $(INSTALLED) ## check style, types, layers, dependencies, and that all is used
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/vulture

bench: $(INSTALLED) ## run every benchmark
	@failed=; for name in $$(grep -l __main__ benchmarks/*.py | xargs -n 1 basename -s .py); do \
		echo "== $$name"; $(BIN)/python -m benchmarks.$$name || failed="$$failed $$name"; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

docs: $(INSTALLED) ## write the pages made from code, build the documentation into site/
	$(BIN)/python -m scripts.pages
	$(BIN)/zensical build --clean

thorough: $(INSTALLED) ## run all tests but the soaks: also the odd settings and long tables (half an hour and more)
	$(BIN)/pytest -n auto --maxprocesses 4 --dist worksteal -m "not soak"

soak: $(INSTALLED) ## run all tests with many more examples, and the ones that take minutes
	HYPOTHESIS_PROFILE=soak $(BIN)/pytest -n 2 -m "" --timeout=0

chaos: $(INSTALLED) ## kill servers and programs at seeded moments, 200 times; copies must be right after each
	$(BIN)/pytest -q -m soak --timeout=0 tests/chaos

package: $(INSTALLED) ## build the wheel, and try it in an environment with the newest of what it needs instead of the lock
	rm -rf build/package
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation -w build/package .
	$(PYTHON) -m venv build/package/venv
	build/package/venv/bin/pip install --quiet "$$(ls build/package/*.whl)[embedded]"
	cd build/package && venv/bin/nestling demo -o shop
	cd build/package/shop && ../venv/bin/nestling design sqlite:///shop.db --workload workload.sql --json | $(PYTHON) -m json.tool >/dev/null

lock: $(INSTALLED) ## write requirements.lock anew from pyproject.toml
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --upgrade --all-extras --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
		--output-file requirements.lock pyproject.toml

clean: ## remove everything these targets have made
	rm -rf .venv .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist htmlcov site
	rm -f .coverage .coverage.*
	find src tests benchmarks scripts -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
