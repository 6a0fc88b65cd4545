# Each target makes .venv when it is missing. PYTHON chooses the interpreter it is made from.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

# A .venv whose Python is gone or broken is made anew.
ifneq ($(wildcard $(VENV)/.),)
ifneq ($(shell $(BIN)/python -c 'import pip' 2>/dev/null && echo works),works)
$(shell rm -f $(VENV)/.run $(VENV)/.dev $(VENV)/.bench)
endif
endif

.PHONY: demo test test-long lint format bench clean

$(VENV)/.run: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("specmatrix needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(BIN)/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing specmatrix into $(VENV): about a minute"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(BIN)/python -m compileall -q matrix
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@echo "installing what the tests and checks need into $(VENV): about a minute"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,postgres,ray]'
	@touch $@

# Apache Otava pins old releases of numpy and scipy, which it does not need for what is compared.
$(VENV)/.bench: $(VENV)/.dev
	@echo "installing the tools that the benchmarks compare with into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,postgres,ray,bench]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps apache-otava==0.8.0
	@touch $@

# Ctrl-C (130) is how the dashboard is ended, so it is no error; with --once a sweep was cut short. The trap keeps the
# shell alive while matrix clears up.
demo: $(VENV)/.run
	@trap : INT; $(BIN)/matrix demo $(ARGS) || { code=$$?; [ "$$code $(findstring --once,$(ARGS))" = "130 " ] || exit $$code; }

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(ARGS)

test-long: $(VENV)/.dev
	$(BIN)/python -m pytest -m 'long and not gpu' $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive matrix web

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build dist *.egg-info
