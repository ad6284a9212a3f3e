# The commands of kenny. `make run` needs Python 3.11 or newer, make and a package index, nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
	--no-emit-trusted-host --strip-extras --allow-unsafe

GETTEXT := --all --no-obsolete --no-wrap --add-location file --ignore data --ignore node_modules --ignore tests --ignore mutants

.PHONY: help run test lint bench coverage mutants messages requirements

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/base.stamp ## start kenny on http://127.0.0.1:8000
	@exec $(BIN)/python manage.py serve

test: $(VENV)/dev.stamp ## run the whole test suite
	@exec $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

lint: $(VENV)/dev.stamp ## run every checker
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --config pyproject.toml
	$(BIN)/mypy .
	$(BIN)/djade --target-version 5.2 --check $$(git ls-files 'templates/*.html')
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/codespell $$(git ls-files)
	$(BIN)/deptry .
	$(BIN)/python manage.py makemigrations --check --dry-run
	KENNY_BASE_URL=https://kenny.example $(BIN)/python -W error manage.py check --deploy --fail-level WARNING
	@if command -v npm > /dev/null; then npm ci --silent --no-audit --no-fund && npm run --silent check && npm test --silent; \
	else echo "lint: no npm here, the browser client is not checked"; fi

bench: $(VENV)/dev.stamp ## run the benchmarks, each prints its figures
	@exec $(BIN)/python -m tests.load.bench $(ARGS)

messages: $(VENV)/dev.stamp ## bring locale/ up to date with the sources (needs GNU gettext)
	$(BIN)/python manage.py makemessages $(GETTEXT)
	$(BIN)/python manage.py makemessages $(GETTEXT) --domain djangojs
	$(BIN)/python manage.py compilemessages --ignore $(VENV) --ignore node_modules

coverage: $(VENV)/dev.stamp ## branch coverage of loop, gate, turns, messages and store; fails under 100 %
	@$(BIN)/coverage run --rcfile tests/core.coveragerc -m pytest --numprocesses 0 --quiet @tests/core.txt
	@$(BIN)/coverage report --rcfile tests/core.coveragerc

mutants: $(VENV)/dev.stamp ## mutation score of the same; fails under 85 % (takes an hour on two idle cores)
	@KENNY_EXAMPLES=40 $(BIN)/mutmut run $(ARGS)
	@$(BIN)/mutmut export-cicd-stats > /dev/null && $(BIN)/python -m tests.support.score

requirements: $(VENV)/dev.stamp ## compile requirements/*.txt anew (takes minutes)
	$(COMPILE) --upgrade --output-file requirements/dev.txt requirements/dev.in
	$(COMPILE) --constraint requirements/dev.txt --output-file requirements/base.txt requirements/base.in

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("kenny needs Python 3.11 or newer; name one: make run PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/base.stamp: requirements/base.txt | $(BIN)/python
	@echo "installing what kenny needs into $(VENV)"
	@$(PIP) install --require-hashes -r requirements/base.txt
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt | $(BIN)/python
	@echo "installing what tests and checkers need into $(VENV)"
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $(VENV)/base.stamp $@
