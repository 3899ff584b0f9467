# Two commands on a fresh machine: `make demo` and `make test`. Each creates .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp bindings -type f 2>/dev/null)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint soak sanitize bench format clean

demo: $(VENV)/.installed
	$(BIN)/dugraph demo

test: $(VENV)/.installed lint
	$(BIN)/python -m pytest

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $$(find cpp bindings -name '*.?pp')

# Long runs: 10^6 cohorts against possible worlds, 10^5 searches against exhaustive search, interrupts.
soak: $(VENV)/.installed
	DUGRAPH_SOAK=1 $(BIN)/python -m pytest

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find cpp bindings -name '*.?pp')

# Installed as an editable package: Python files are read in place, the core is rebuilt when a source of it changes.
$(VENV)/.installed: $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
