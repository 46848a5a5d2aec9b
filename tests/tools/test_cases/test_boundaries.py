"""Test cases that a selector makes, what cases leave untested, and their results for a CI server."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from transpiler import evaluate, parse_selector
from transpiler.cli import main
from transpiler.language.selector.dialects import find_dialect
from transpiler.testing import boundary_messages
from transpiler.tools.test_cases import read_cases, run_case
from transpiler.tools.test_cases.boundaries import boundaries, case_file
from transpiler.tools.test_cases.coverage import uncovered

SELECTORS = (
    "weight > 2500",
    "color = 'red' AND weight > 2500",
    "a = 1 OR NOT (b LIKE 'x%' AND JMSPriority > 4) OR c IS NULL AND active",
    "region IN ('eu', 'us') AND x = 3",
    "a = b AND c > 1.5",
    "JMSTimestamp > 1700000000000 AND JMSType = 'car'",
    "a = 1 AND a = 2",
)


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("dialect", ["jms", "activemq", "artemis", "qpid-java", "qpid-cpp"])
def test_the_cases_of_a_selector_pass(selector: str, dialect: str) -> None:
    text = case_file(selector, dialect)
    cases = read_cases("made.selectors.yaml", text)
    assert [result.failure for result in map(run_case, cases) if not result.passed] == []


@pytest.mark.parametrize(
    ("selector", "values"),
    [("weight > 2500", (2500, 2501, None)), ("weight < 10", (9, 10, None)), ("weight = 7", (7, None))],
)
def test_the_messages_stand_at_the_boundary(selector: str, values: tuple[int | None, ...]) -> None:
    messages = boundary_messages(selector)
    found = [(one.to_dict().get("application_properties") or {}).get("weight") for one in messages]
    assert set(values) <= set(found)
    assert {evaluate(selector, one) for one in messages} == {True, False, None}


def test_each_condition_has_each_of_its_sides_and_decides() -> None:
    tree = parse_selector("color = 'red' AND weight > 2500")
    assert tree is not None
    made = boundaries(tree, find_dialect("jms"))
    assert {one.verdict for one in made} == {True, False, None}
    assert len({one.condition for one in made}) == 2


@pytest.mark.parametrize(
    "selector",
    ["region IN ('eu', 'us') OR NOT active", "JMSPriority >= 7 AND JMSType = 'x'", "x + y = 10", "a = b AND c = 1"],
)
def test_a_selector_that_no_condition_decides_alone_has_both_verdicts(selector: str) -> None:
    assert {evaluate(selector, one) for one in boundary_messages(selector)} >= {True, False}


def test_an_integer_beyond_every_double_has_messages_on_both_sides_where_its_low_bits_count() -> None:
    # 2**64 + 5 is 5 to ActiveMQ, and 10**400 is 0; RabbitMQ keeps all digits.
    for text, value in (("i = 18446744073709551621", 5), (f"i = 1{'0' * 400}", 0)):
        messages = boundary_messages(text, "activemq")
        assert {evaluate(text, one, "activemq") for one in messages} == {True, False, None}
        assert evaluate(text, {"i": value}, "activemq") is True
        assert True not in {evaluate(text, one, "rabbitmq") for one in boundary_messages(text, "rabbitmq")}


def test_a_selector_without_conditions_has_one_case() -> None:
    for selector, verdict in (("TRUE", "matches"), ("FALSE", "does not match")):
        assert case_file(selector).endswith(f"cases:\n  - message: {{}}\n    expect: {verdict}\n")


def test_cases_writes_a_file_that_test_runs(tmp_path: Path) -> None:
    run = CliRunner().invoke(main, ["cases", "color = 'red' AND weight > 2500"])
    assert run.exit_code == 0
    file = tmp_path / "made.selectors.yaml"
    file.write_text(run.stdout, encoding="utf-8")
    result = tmp_path / "result.xml"
    test = CliRunner().invoke(main, ["test", "--coverage", "--junit-xml", str(result), str(file)])
    assert test.exit_code == 0, test.output
    suite = ElementTree.fromstring(result.read_text(encoding="utf-8"))
    assert (suite.get("failures"), len(suite)) == ("0", int(suite.get("tests") or 0))


#: The selector, its dialect, and what coverage says of its own cases: nothing, where each possible truth is there.
COVERED = (
    ("color LIKE 'r!_%' ESCAPE '!'", "jms", ()),
    ("color IN ('red', 'blue') AND size NOT IN (1)", "rabbitmq", ()),
    ("x BETWEEN low AND high", "jms", ()),
    ("a < b AND b < c", "jms", ()),
    ("price * quantity > 100 AND color IS NULL", "jms", ()),
    ("(size + 1) * 2 = 10", "jms", ()),
    ("size % 2 = 0", "activemq", ()),
    ("a / b > 2", "jms", ()),
    ("NOT (color LIKE '%x%' OR color IS NULL)", "jms", ()),
    ("JMSMessageID LIKE 'ID:a%' AND JMSPriority > 4", "jms", ()),
    ("JMSDeliveryMode = 'PERSISTENT' AND JMSTimestamp > 1700000000000", "jms", ()),
    ("properties.subject = 'x' AND header.priority > 3", "rabbitmq", ()),
    ("1 = 1 AND s LIKE '%'", "jms", ()),
    ("INLIST(SPLIT('a,b', ','), color)", "activemq", ("INLIST(SPLIT('a,b', ','), color): never unknown",)),
    ("hyphenated_props:a-b = 1", "artemis", ()),
    ("UTC() > 5", "rabbitmq", ("UTC() > 5: never TRUE, never unknown",)),
    ("XPATH '//book[price>10]'", "activemq", ("XPATH '//book[price>10]': never TRUE",)),
)


@pytest.mark.parametrize(("selector", "dialect", "lacking"), COVERED)
def test_the_cases_of_a_selector_pass_and_cover_what_its_conditions_can_be(
    selector: str, dialect: str, lacking: tuple[str, ...]
) -> None:
    text = case_file(selector, dialect)
    cases = read_cases("made.selectors.yaml", text)
    assert [result.failure for result in map(run_case, cases) if not result.passed] == []
    [(_, lines)] = uncovered(cases)
    assert tuple(lines) == lacking
    assert ("# perhaps add a case in which" in text) is bool(lacking)


def test_coverage_names_the_condition_that_never_decided(tmp_path: Path) -> None:
    file = tmp_path / "a.selectors.yaml"
    file.write_text(
        "selector: color = 'red' AND weight > 2500\ncases:\n"
        "  - message: {color: blue, weight: 9000}\n    expect: does not match\n"
        "  - message: {color: green, weight: 9000}\n    expect: matches\n",
        encoding="utf-8",
    )
    result = tmp_path / "result.xml"
    run = CliRunner().invoke(main, ["test", "--coverage", "--junit-xml", str(result), str(file)])
    assert run.exit_code == 1
    assert "weight > 2500: never decided, never FALSE, never unknown" in run.output
    assert "color = 'red': never TRUE, never unknown" in run.output
    assert ElementTree.fromstring(result.read_text(encoding="utf-8")).get("failures") == "1"
