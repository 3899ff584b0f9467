# Two commands on a fresh machine: `make demo` and `make test`. Each creates .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp bindings -type f -not -path 'cpp/tests/*' 2>/dev/null)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Where it is set, as in many containers, each program that a test starts would compile dugraph once more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-system lint docs wheel test-oldest lock sbom soak cluster-test core-test portability sanitize bench format clean

demo: $(VENV)/.demo
	$(BIN)/dugraph demo

PROCESSORS := $(shell nproc 2> /dev/null || echo 1)
PYTEST := $(BIN)/python -m pytest --dist loadgroup --numprocesses

# Depends on nothing but the code: no signals, other processes, sockets or clocks.
test: $(VENV)/.installed
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint core-test
	$(PYTEST) $(PROCESSORS)

# Real processes: signals, kills, workers of joblib and Dask, Chromium, the code of the docs, injected faults. Two
# test processes more than processors, because many tests wait for programs.
test-system: $(VENV)/.installed $(VENV)/.browser $(VENV)/.cmake
	$(PYTEST) $$(($(PROCESSORS) + 2)) -m system

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $$(find cpp bindings -name '*.?pp')

# The site, into build/docs: open build/docs/index.html. Nothing is fetched unless DUGRAPH_INTERSPHINX=1 asks for links to other projects.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --fresh-env --write-all --doctree-dir build/doctrees docs build/docs
	$(BIN)/python docs/check_links.py build/docs
	@echo "build/docs/index.html"

# The source distribution and the wheel of this machine, into dist, checked, then tried in an empty environment without a compiler.
wheel: $(VENV)/.wheel
	rm -rf dist && $(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/auditwheel show dist/*.whl
	if ls dist/*-abi3-*.whl > /dev/null 2>&1; then $(BIN)/abi3audit --strict dist/*-abi3-*.whl; fi
	sh tests/wheel/try_wheel.sh dist/*.whl $(PYTHON)

# The oldest versions that pyproject.toml declares, in an environment of their own. What they say of newer packages is no fault of ours.
OLDEST := .venv-oldest
test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/dugraph doctor
	$(OLDEST)/bin/python -m pytest -W ignore::DeprecationWarning --dist loadgroup --numprocesses $(PROCESSORS)

$(OLDEST)/.installed: $(SOURCES)
	$(PYTHON) -m venv $(OLDEST) && $(OLDEST)/bin/pip install --quiet uv
	$(OLDEST)/bin/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct --requirement pyproject.toml \
	  --extra io --extra plot --extra report --extra cli --extra dask
	$(OLDEST)/bin/pip install --quiet 'pytest>=8,<9.2' pytest-xdist hypothesis selenium axe-core-python lxml
	$(OLDEST)/bin/pip install --quiet --no-deps --editable .
	touch $@

# Exact versions with hashes, for CI, releases and the container; made anew by `make lock`.
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade
lock: $(VENV)/.installed
	$(BIN)/pip install --quiet uv
	$(LOCK) pyproject.toml --extra dev --output-file requirements/test.txt
	$(LOCK) pyproject.toml --extra io --extra report --extra cli --output-file requirements/container.txt
	$(LOCK) requirements/release.in --output-file requirements/release.txt

# The bill of materials of what the container installs, as CycloneDX.
sbom:
	mkdir -p build/sbom
	$(PYTHON) -m venv build/sbom/venv && build/sbom/venv/bin/pip install --quiet --require-hashes --requirement requirements/release.txt
	build/sbom/venv/bin/cyclonedx-py requirements requirements/container.txt --pyproject pyproject.toml \
	  --output-reproducible --output-file build/sbom/dugraph.cdx.json

# The report is tested in Chromium: installed once where apt-get and its rights are at hand. Where it cannot be had, the
# tests in the browser are skipped and say so.
CHROMIUM := DEBIAN_FRONTEND=noninteractive timeout 600 apt-get install -y -qq chromium chromium-driver
$(VENV)/.browser: $(VENV)/.installed
	@if [ "$$(id -u)" = 0 ] && command -v apt-get && ! { command -v chromium && command -v chromedriver; }; then \
	  $(CHROMIUM) || { timeout 300 apt-get update -qq && $(CHROMIUM); }; \
	fi > /dev/null 2>&1 || true
	@touch $@

# Long campaigns: 10^6 cohorts against possible worlds, 10^5 searches against exhaustive search, 8,000 interrupts,
# kills, and ten minutes of damaged files for each layout (DUGRAPH_FUZZ_SECONDS=60 for one).
soak: $(VENV)/.installed $(VENV)/.browser
	DUGRAPH_SOAK=1 $(PYTEST) $$(($(PROCESSORS) + 2)) -m "system or not system"

# The job array and the workers of docs/clusters.md on a real SLURM of one node, Debian's slurm-wlm, and those with certificates;
# skipped, loudly, where it cannot be had.
cluster-test: $(VENV)/.installed
	@if [ "$$(id -u)" = 0 ] && command -v apt-get && ! command -v sbatch; then \
	  DEBIAN_FRONTEND=noninteractive timeout 600 apt-get install -y -qq slurm-wlm; \
	fi > /dev/null 2>&1 || true
	$(BIN)/pip install --quiet dask-jobqueue || true
	DUGRAPH_SLURM=1 $(BIN)/python -m pytest -n0 -m system -rs -s tests/cluster/test_clusters_page.py

# The core's own tests, without Python, linked with the library of the installed module. CMake comes from the
# machine or from pip.
core-test: $(VENV)/.cmake
	@PATH="$(CURDIR)/$(BIN):$$PATH"; library=$$(ls -t $(CURDIR)/build/cp*/libdugraph_core.a | head -n 1) && \
	cmake -S . -B build/core -DDUGRAPH_CORE_TESTS=ON -DDUGRAPH_CORE_LIBRARY=$$library > build/core.log 2>&1 && \
	cmake --build build/core --parallel 2 >> build/core.log 2>&1 || { cat build/core.log; exit 1; }
	build/core/core_tests

# The same with clang and libc++, with MinGW under wine, for 64-bit ARM under qemu; compiled for macOS by zig. Installs what it
# can, and says what it could not check.
PORTABILITY := clang libc++-dev libc++abi-dev g++-mingw-w64-x86-64-posix wine wine64 g++-aarch64-linux-gnu qemu-user
portability: $(VENV)/.cmake
	@if [ "$$(id -u)" = 0 ] && command -v apt-get; then DEBIAN_FRONTEND=noninteractive timeout 900 apt-get install -y -qq $(PORTABILITY); fi > /dev/null 2>&1 || true
	@$(BIN)/pip install --quiet ziglang || true
	PATH="$(CURDIR)/$(BIN):$$PATH" cpp/tests/portability.sh $(BIN)/python

sanitize: $(VENV)/.cmake
	PATH="$(CURDIR)/$(BIN):$$PATH"; for kind in asan:address,undefined tsan:thread; do \
	  dir=build/$${kind%%:*}; \
	  cmake -S . -B $$dir -DDUGRAPH_CORE_TESTS=ON -DDUGRAPH_SANITIZE=$${kind#*:} > $$dir.log && \
	  cmake --build $$dir --parallel 2 >> $$dir.log && \
	  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1 $$dir/core_tests || exit 1; \
	done

$(VENV)/.cmake: $(VENV)/.installed
	mkdir -p build
	cmake --version > build/cmake.log 2>&1 || $(BIN)/pip install --quiet cmake ninja
	touch $@

# The tables of docs/benchmarks.md; needs a quiet machine and the better part of an hour.
bench: $(VENV)/.installed
	$(BIN)/pip install --quiet '.[bench]'
	cd benchmarks && for table in support_distribution "bounds age abide" enumeration threads "growth graphs regions subgraphs" interrupts report; do \
	  set -- $$table; ../$(BIN)/python $$1.py $${@#$$1} || exit 1; done

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find cpp bindings -name '*.?pp')

# Installed as an editable package: Python files are read in place, the core is rebuilt when a source of it changes.
INSTALL = $(PYTHON) -m venv $(VENV) && $(BIN)/pip install --quiet --upgrade pip && $(BIN)/pip install --quiet --editable
$(VENV)/.installed: $(SOURCES)
	$(INSTALL) '.[dev]'
	touch $@

# What makes the site, beside what is installed already.
$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/pip install --quiet --editable '.[dev,docs]'
	touch $@

$(VENV)/.wheel: $(VENV)/.installed
	$(BIN)/pip install --quiet build twine check-wheel-contents auditwheel abi3audit
	touch $@

# The demo needs no developer's tools; where they are installed already, it is run with them.
$(VENV)/.demo: $(SOURCES)
	if [ -e $(VENV)/.installed ]; then $(MAKE) $(VENV)/.installed; else $(INSTALL) '.[cli,report]'; fi
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) build dist docs/gallery docs/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
