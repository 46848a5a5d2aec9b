# Two commands do all the set-up: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test bench lint clean java python

demo: java .venv/.installed
	@mkdir -p build
	@$(BIN)/python examples/demo.py 2>build/demo.log || { cat build/demo.log >&2; exit 1; }

test: java .venv/.installed
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadscope $(ARGS)

bench: java .venv/.installed
	@$(BIN)/python -m tests.benchmarks $(ARGS)

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

java:
	@if [ -n "$$JAVA_HOME" ]; then java="$$JAVA_HOME/bin/java"; else java=java; fi; \
	version=$$("$$java" -version 2>&1 | sed -n 's/^[a-z]* version "\([0-9]*\).*/\1/p'); \
	if [ -z "$$version" ] || [ "$$version" -lt 17 ]; then \
		echo "Spark needs Java 17 or later, and $${version:+only Java $$version}$${version:-no Java} is here: install it, for example with apt-get install openjdk-17-jre-headless" >&2; exit 1; fi

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "Python 3.11 or later is needed: install it, or name one with make PYTHON=python3.11" >&2; exit 1; }
