# `make` alone lists what there is. Needs Python 3.11+ and nothing else for `make run`; see the README for the rest.
PYTHON ?= python3
SEEDS ?= 2000
KILLS ?= 20
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

PY := .venv/bin/python
PYTEST := $(PY) -m pytest
# Suites that need nothing but Python, fast ones first; they run on all cores. Tests that share real servers have the machine to
# themselves, one at a time: they know clocks. Those that need none mostly wait, so the simulation plays its seeds beside them.
FAST := $(wildcard tests/tidy tests/unit tests/scenarios)
PURE := $(wildcard tests/tidy tests/unit tests/property tests/contract tests/scenarios tests/simulation tests/golden)
SERVERS := $(wildcard tests/integration tests/browser)
# No second chance here: what one run finds is there.
CHAOS := $(wildcard tests/chaos)
# Folders with Python in them, of those that we check.
CHECKED := $(patsubst %/,%,$(sort $(dir $(wildcard $(foreach d,libs services tests bench deploy tools,$d/*.py $d/*/*.py)))))
TOP := $(sort $(foreach d,$(CHECKED),$(firstword $(subst /, ,$d))))

.DEFAULT_GOAL := help
.PHONY: help run test check fmt protos protos-baseline lock sim chaos golden scenario screenshots bench bench-peers cluster cluster-down certificates servers clean
.PHONY: venv lint lint-ruff lint-mypy lint-imports lint-protos fast-tests tests-on-servers tests-alone seeds

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## play on this machine: everything in one process (data in ./.ludolog or LUDOLOG_DATA)
	@$(PYTHON) tools/bootstrap.py run
	@$(PY) -m tools.protos
	@exec $(PY) -m services.local

test: venv lint ## check the code, then run every test (suites without their server are named at the end)
	@status=0; \
	$(PYTEST) -n $(JOBS) --dist worksteal --durations 15 $(PURE) || status=1; \
	$(MAKE) --no-print-directory tests-on-servers || status=1; \
	$(MAKE) --no-print-directory -k -j2 --output-sync=target tests-alone seeds || status=1; \
	$(PYTEST) $(CHAOS) || status=1; \
	exit $$status

check: venv ## the quick look before a commit: linters, types, directions, protos, fast tests
	@$(MAKE) --no-print-directory -k -j2 --output-sync=target lint fast-tests

fmt: venv ## format the code, and mend what ruff can mend
	@$(PY) -m ruff check --quiet --fix-only .
	@$(PY) -m ruff format .

protos: venv ## generate libs/ludolog/api from protos/ (done by the other targets too, when needed)
	@$(PY) -m tools.protos

protos-baseline: venv ## take the contracts in protos/ as landed: from then on they may only grow
	@$(PY) -m tools.protos baseline

lock: venv ## bring the lock files up to pyproject.toml (newest versions: make lock UPGRADE=--upgrade)
	@$(PY) tools/lock.py $(UPGRADE)

sim: venv ## simulate faults on the commit protocol: make sim SEEDS=2000
	@$(PY) -m tests.simulation --seeds $(SEEDS) --jobs $(JOBS)

chaos: venv ## kill everything on real servers, and prove that nothing is lost: make chaos KILLS=20 SEED=1
	@$(PY) -m tests.chaos --kills $(KILLS) $(if $(SEED),--seed $(SEED))

golden: venv ## rewrite the golden matches of one game: make golden RULEBOOK=name (of all: RULEBOOK=all)
	@test -n "$(RULEBOOK)" || { echo "Which game? make golden RULEBOOK=name (or RULEBOOK=all)"; exit 2; }
	@$(PY) -m tests.golden.rewrite $(if $(filter-out all,$(RULEBOOK)),--rulebook $(RULEBOOK))

scenario: venv ## play the rule scenarios of every rulebook
	@.venv/bin/ludolog scenario tests/scenarios

screenshots: venv ## take the pictures in docs/images anew, from the page in a real browser
	@LUDOLOG_TEST_SCREENSHOTS=1 $(PYTEST) tests/browser -k from_sign_in_to_proof

bench: venv ## measure: a table, and bench.json (bench/README.md says what each name means; python -m bench NAME… for some; PARKED=n)
	@$(if $(PARKED),PARKED=$(PARKED) )$(PY) -m bench

bench-peers: venv ## measure boardgame.io and pyeventsourcing beside ours (needs node, npm and a network)
	@$(PY) -m bench.peers

cluster: venv ## start the platform as separate processes on real Kafka, Redis and PostgreSQL (TLS=1: encrypted)
	@$(PY) -m deploy.dev.cluster up $(if $(TLS),tls)

certificates: venv ## make certificates for development (done by make cluster TLS=1 too)
	@$(PY) -m deploy.dev.certificates

cluster-down: venv ## stop it
	@$(PY) -m deploy.dev.cluster down

servers: ## install the servers that tests and cluster use (Debian, as root)
	@PYTHON='$(PYTHON)' deploy/dev/install

clean: ## remove what was built and cached (not ./.ludolog: your matches)
	rm -rf .venv .build libs/ludolog/api dist build test-results
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# ---- parts of the above

venv:
	@$(PYTHON) tools/bootstrap.py dev
	@$(PY) -m tools.protos

lint: lint-ruff lint-mypy lint-imports lint-protos

lint-ruff: venv
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

lint-mypy: venv
	@$(PY) -m mypy $(TOP)

lint-imports: venv
	@$(PY) -m tools.directions

lint-protos: venv
	@$(PY) -m tools.protos lint
	@$(PY) -m tools.protos breaking

tests-on-servers: MARKED = servers
tests-alone: MARKED = not servers
tests-on-servers tests-alone: venv
	@run() { $(PYTEST) -o cache_dir=.build/pytest/$@ -m "$(MARKED)" "$$@" $(SERVERS); }; \
	run --durations 20 || { \
	  echo "Once more, what failed: real servers on a busy machine can be late. Failing twice is a failure."; \
	  run --last-failed --last-failed-no-failures none; }

seeds: venv
	@nice -n 19 $(PY) -m tests.simulation --seeds $(SEEDS) --jobs $(JOBS)

fast-tests: venv
	@$(PYTEST) -q $(FAST)
