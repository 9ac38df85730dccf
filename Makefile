# Everything a newcomer or a CI job does. `make` alone lists the targets. All of it happens in .venv and build/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

override VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# Compiled modules are kept: the tests start some thousand processes, and each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --quiet --progress-bar off

.PHONY: fuzz help install lock site test tests part-of-site claims-gloo claims-mccl quick unit check verify gpu npu wheels every serve bench lint format schema specs digests elements cards browser

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

site: $(VENV)/.site ## Build the English and the Chinese site from data that pass the checks of records
	@$(BIN)/python -m apidiff.site_builder build

# Files are given to the workers in this order: what takes longest first, so that none waits for the others at the end.
# (Of `tests` and a folder in it pytest would make `tests` alone.)
FIRST := $(wildcard tests/test_*.py) $(addsuffix /,$(addprefix tests/,faults execute examples browser signatures verification))
TESTS := $(FIRST) $(sort $(filter-out $(FIRST),$(dir $(wildcard tests/*/test_*.py))))

# Of the claims whose run is recorded one part in so many is run again, another part each day; `make verify` runs all of them.
SAMPLE ?= 31
# They are run with one number of ranks, another one each day: 2, 3 or 4. (SAMPLE is no multiple of 3: every part meets each.)
SIZES ?= $(shell expr $$(date -u +%j) % 3 + 2)
# Likewise of the cases of turning tests (tests/turning.py): `all`, or the number of a day; without it today's.
export APIDIFF_TURNING
ifeq ($(APIDIFF_TURNING),)
unexport APIDIFF_TURNING
endif

install: $(VENV)/.test browser ## Install torch, MindSpore and a browser, and all that the checks and the site need
	@:

test: install ## Install the same, then run today's claims and every test
	@$(MAKE) --jobs 4 tests part-of-site claims-gloo claims-mccl

every: ## As `make test`, with nothing left out: all claims, and all cases of tests of which each day another part is run
	@$(MAKE) test SAMPLE=1 SIZES=2,3,4 APIDIFF_TURNING=all

# Two more than the two cores of the smallest machine: ranks and browsers wait for deadlines as often as they work.
WORKERS ?= 4

tests:
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(TESTS)

# The pages that tests look at, built while the first tests wait for deadlines. A test that comes before it is done waits.
part-of-site:
	@PYTHONPATH=tests $(BIN)/python tests/browser/part_of_site.py

# Both frameworks at once, beside the tests: their ranks wait for deadlines more than they work. What they print is shown
# when they end, so that the progress of the tests can be read.
claims-gloo claims-mccl: claims-%:
	@mkdir -p build
	@end=0; $(BIN)/python -m pytest --apidiff-backend $* --apidiff-sample $(SAMPLE) --apidiff-world-size $(SIZES) \
	  >build/claims-$*.log 2>&1 || end=$$?; \
	cat build/claims-$*.log; exit $$end

# Tests that start no rank, no browser and no build of the site, and read no framework whole.
UNIT := $(addprefix tests/,data database derive elements judge lookup messages model porting signatures)

# In their folders, what runs a framework or reads one whole.
STARTING := derive/test_repeated_modes.py porting/test_ported_snippets.py signatures/test_extract.py

quick: $(VENV)/.dev ## Check data, style and types and run the unit tests: what to run after an edit
	@$(MAKE) --jobs 3 --output-sync=recurse unit check lint

check: $(VENV)/.site
	@$(BIN)/apidiff check

unit: $(VENV)/.dev
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal $(addprefix --ignore tests/,$(STARTING)) $(wildcard $(UNIT))

verify: $(VENV)/.test ## Run every claim on this machine and compare with what is recorded
	@$(BIN)/apidiff verify

# Both use the Python that is there, not .venv: on a machine with a GPU that is the one that has torch.
override PYTHON := $(or $(strip $(PYTHON)),python3)
NEW_ENOUGH := import sys; sys.version_info >= (3, 11) or sys.exit("make: Python 3.11 or newer is needed, found " + sys.version.split()[0] + ". Name another: PYTHON=python3.12")

gpu: ## Run what an NVIDIA GPU can show, with the frameworks that are here, and pack one file to send (BY="who you are")
	@"$(PYTHON)" -c '$(NEW_ENOUGH)'
	@"$(PYTHON)" -m apidiff.execute.offline.measure nccl-cuda gloo-cuda --by "$${BY:-}"

npu: ## Run what Ascend devices can show, with the frameworks that are here, and pack one file to send (BY="who you are")
	@"$(PYTHON)" -c '$(NEW_ENOUGH)'
	@"$(PYTHON)" -m apidiff.execute.offline.measure hccl-npu --at-once 1 --minutes 120 --by "$${BY:-}"

wheels: ## Fetch the packages that `make gpu` and `make npu` may lack on a machine without network into build/wheels
	@"$(PYTHON)" -c '$(NEW_ENOUGH)'
	@"$(PYTHON)" -m apidiff.execute.offline.wheels

serve: $(VENV)/.site ## Serve the built site on this machine
	@$(BIN)/python -m apidiff.site_builder serve

fuzz: $(VENV)/.test ## Give 10,000 damaged and hostile inputs to all that reads something from outside (ten minutes)
	@$(BIN)/python -m tests.fuzz

bench: $(VENV)/.test ## Measure lookup, verification, builds and pages, and print the ratios
	@$(BIN)/python -m tests.bench

lint: $(VENV)/.dev ## Check format, style, types and the layers of imports
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev ## Format the code and mend what ruff can mend
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix

schema: $(VENV)/.site ## Write the JSON Schemas anew from the model
	@$(BIN)/python -c 'import sys; from apidiff.database import schema; sys.exit(schema.main())'

specs: $(VENV)/.site ## Add the probes and examples of today to the list of all that ever were
	@$(BIN)/apidiff runs specs

digests: $(VENV)/.site ## Write the digests of tables and settings anew, after a change of these that is meant
	@$(BIN)/python -c 'import sys; from apidiff.database.checks import digests; sys.exit(digests.main())'

lock: $(VENV)/.test ## Write the locks anew, with the digests of what is installed in .venv
	@$(PIP) 'uv>=0.9,<1'
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python conf/locks/write_locks.py

elements: conf/elements/node_modules ## Bundle the TypeScript of conf/elements into conf/static/elements (needs Node 20 or newer)
	@cd conf/elements && npm run --silent types && npm run --silent build

cards: ## Draw the pictures that links to the site are shown with (needs Chromium)
	@for svg in conf/cards/*.svg; do \
	  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --window-size=1200,630 \
	    --screenshot="conf/static/$$(basename "$$svg" .svg).png" "file://$(CURDIR)/$$svg" 2>/dev/null; \
	done

conf/elements/node_modules: conf/elements/package-lock.json
	@cd conf/elements && npm ci --ignore-scripts --silent --no-audit --no-fund
	@touch $@

# One interpreter of a version that torch, MindSpore and the site's packages all exist for.
$(BIN)/python:
	@for python in python3 python3.12 python3.11; do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info[:2] not in {(3, 11), (3, 12)})' 2>/dev/null; then \
	    made=; [ -e $(VENV) ] || [ -L $(VENV) ] || made=$(VENV); \
	    "$$python" -m venv $(VENV) && exit 0; \
	    rm -rf $$made; \
	    echo "make: $$python cannot make a virtual environment. Install its venv module (Debian: python3-venv)." >&2; \
	    exit 2; \
	  fi; \
	done; \
	echo "make: Python 3.11 or 3.12 is needed, found $$(python3 --version 2>&1). Install one of them as python3." >&2; \
	exit 2

# Stamps: a set of packages is installed again only when its lock or pyproject.toml has changed. Each package is compared with
# the digest in its lock; what builds this package is among them, so that nothing is fetched to build it.
LOCKED := $(PIP) --no-deps --require-hashes
EDITABLE := $(PIP) --no-build-isolation --editable

$(VENV)/.site: pyproject.toml conf/locks/core.txt conf/locks/site.txt | $(BIN)/python
	@echo "make: installing what the site needs into $(VENV)"
	@$(LOCKED) --requirement conf/locks/core.txt --requirement conf/locks/site.txt
	@$(EDITABLE) '.[site]'
	@touch $@

$(VENV)/.dev: $(VENV)/.site conf/locks/dev.txt
	@echo "make: installing what the checks need into $(VENV)"
	@$(LOCKED) --requirement conf/locks/dev.txt
	@touch $@

# torch is pinned by pyproject.toml, not locked: the same version is offered as a build for CPUs, which pip prefers where it finds
# it, and as one for GPUs. With digests pip would take the one whose digest the index tells, which is that for GPUs.
$(VENV)/.test: $(VENV)/.dev conf/locks/test.txt
	@echo "make: installing what the tests need, torch and MindSpore on CPU among it, into $(VENV) (1.5 GB)"
	@$(LOCKED) --requirement conf/locks/test.txt
	@$(EDITABLE) '.[site,dev,torch,mindspore]'
	@touch $@

# A browser and Chinese fonts for tests of pages, iproute2 for the hosts that tests make of network namespaces, minisign for
# signatures of run records.
browser:
	@if command -v chromium >/dev/null && command -v ip >/dev/null && command -v minisign >/dev/null \
	    && { ! command -v fc-list >/dev/null || [ -n "$$(fc-list :lang=zh family)" ]; }; then \
	  exit 0; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "make: installing Chromium, Chinese fonts, iproute2 and minisign"; \
	  mkdir -p build; \
	  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
	      chromium fonts-noto-cjk iproute2 minisign; } >build/apt.log 2>&1 </dev/null \
	    || { tail -n 20 build/apt.log; echo "make: apt-get failed; its whole log is in build/apt.log." >&2; exit 2; }; \
	else \
	  echo "make: tests of pages, hosts and signatures are skipped: install the packages chromium, fonts-noto-cjk, iproute2" \
	    "and minisign." >&2; \
	fi
