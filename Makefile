# Two commands do all the set-up: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-all bench docs playground matrix lint clean java python

demo: java .venv/.installed
	@mkdir -p build
	@$(BIN)/python examples/demo.py 2>build/demo.log || { cat build/demo.log >&2; exit 1; }

# Rewritten assertions and imports are kept, whatever the environment says: each process that a test starts needs them.
test test-all: export PYTHONDONTWRITEBYTECODE =

# A sample of every property and table, in five to ten minutes. Left to test-all is what needs a broker, which has to be
# installed and started and says nothing about a change where it is slow or missing, and the tests marked full, which start
# a process or a stream or plan many queries.
test: java .venv/.installed
	@$(BIN)/python -m pytest --numprocesses 2 -m "not live" $(ARGS)

# All cases but three quarters of those on Spark, fuzzing and live brokers. Which quarter runs is drawn anew each time,
# like random examples.
# ARGS=--hypothesis-seed=N draws those of N again.
test-all: java .venv/.installed
	@$(BIN)/python -m pytest --numprocesses 2 --full $(ARGS)

bench: java .venv/.installed
	@$(BIN)/python -m tests.benchmarks $(ARGS)

# The site, in build/site: every warning is an error, and every link leads somewhere. The playground takes its page's place.
docs: .venv/.docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@rm -rf build/site/playground
	@$(BIN)/python -m playground.build build/site/playground --site ../index.html
	@$(BIN)/python docs/site/check_links.py build/site
	@echo "build/site/index.html is the site; with a search: $(BIN)/python -m http.server -d build/site"

# The supported versions of PySpark and Python, each pair in an environment of its own.
matrix: java python
	@$(PYTHON) -m tests.matrix $(ARGS)

playground: .venv/.docs
	@$(BIN)/python -m playground.build build/playground

lint: .venv/.installed
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

clean:
	rm -rf .venv demo-output build *.egg-info

.venv/.installed: pyproject.toml | java python
	@echo "Setting up .venv (once; a few minutes) …"
	@mkdir -p build
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]' >build/setup.log 2>&1 || \
		{ cat build/setup.log >&2; exit 1; }
	@touch $@

# What the site needs, without Spark and Java.
.venv/.docs: pyproject.toml | python
	@echo "Setting up .venv for the site (once; a minute) …"
	@mkdir -p build
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]' >build/setup-docs.log 2>&1 || \
		{ cat build/setup-docs.log >&2; exit 1; }
	@touch $@

java:
	@if [ -n "$$JAVA_HOME" ]; then java="$$JAVA_HOME/bin/java"; else java=java; fi; \
	version=$$("$$java" -version 2>&1 | sed -n 's/^[a-z]* version "\([0-9]*\).*/\1/p'); \
	if [ -z "$$version" ] || [ "$$version" -lt 17 ]; then \
		echo "Spark needs Java 17 or later, and $${version:+only Java $$version}$${version:-no Java} is here: install it, for example with apt-get install openjdk-17-jre-headless" >&2; exit 1; fi

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "Python 3.11 or later is needed: install it, or name one with make PYTHON=python3.11" >&2; exit 1; }
