"""The pytest plugin, in a separate run inside this process."""

from __future__ import annotations

import subprocess
import sys

import pytest

# A run inside this process unloads the modules that it imports, but PyYAML's C extension cannot be loaded twice.
import yaml  # noqa: F401

from tests.tools.test_cases.test_command import FAILING
from tests.tools.test_cases.test_reading import ORDERS

pytest_plugins = ["pytester"]

WITH = ("-p", "selector_sql", "-p", "no:cacheprovider", "-p", "no:xdist")


def test_files_of_cases_are_collected(pytester: pytest.Pytester) -> None:
    pytester.makefile(".selectors.yaml", orders=FAILING)
    pytester.makefile(".yaml", other="a: 1")
    pytester.makepyfile(test_mine="def test_it(): pass")
    result = pytester.runpytest_inprocess(*WITH)
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*orders.selectors.yaml:10: case 2",
            "expected a match, but the message does not match: color is 'blue', not 'red'; also JMSPriority is 4 "
            "(the default: the message has no priority), not above 4",
            "  1 | color = 'red' AND JMSPriority > 4",
            "    | ^^^^^^^^^^^^^",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*runtest*")


def test_cases_are_chosen_and_listed_as_tests_are(pytester: pytest.Pytester) -> None:
    pytester.makefile(".selectors.yaml", orders=ORDERS)
    result = pytester.runpytest_inprocess(*WITH, "-v", "-k", "region")
    result.assert_outcomes(passed=2, deselected=3)
    result.stdout.fnmatch_lines(["orders.selectors.yaml::without a region?jms? PASSED*"])


def test_a_file_that_cannot_be_read_is_an_error_of_the_collection(pytester: pytest.Pytester) -> None:
    pytester.makefile(".selectors.yaml", orders=ORDERS.replace("expect:", "expcet:", 1))
    result = pytester.runpytest_inprocess(*WITH)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*orders.selectors.yaml:9:5: cases.key: a case has no key 'expcet'", "*did you mean expect?"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.full
def test_pytest_does_not_wait_for_the_plugin() -> None:
    program = "import sys, transpiler.pytest_plugin; print(*sorted(m for m in sys.modules if m.split('.')[0] in ROOTS))"
    program = f"ROOTS = ('transpiler', 'yaml', 'sly', 'click'); {program}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = [
        "transpiler",
        "transpiler.base",
        "transpiler.base.on_demand",
        "transpiler.pytest_plugin",
        "transpiler.version",
    ]
    assert done.stdout.split() == loaded


def test_the_names_of_cases_are_parts_of_a_run(pytester: pytest.Pytester) -> None:
    pytester.makefile(".selectors.yaml", orders=ORDERS)
    result = pytester.runpytest_inprocess(*WITH, "orders.selectors.yaml::an urgent red one")
    result.assert_outcomes(passed=1)
