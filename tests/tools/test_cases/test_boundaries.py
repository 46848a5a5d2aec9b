"""Test cases generated from a selector, what given cases leave untested, and results for a CI server."""

from __future__ import annotations

from collections.abc import Iterator
from cProfile import Profile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from transpiler import Message, TranspilerError, evaluate, parse_selector, print_selector
from transpiler.cli import main
from transpiler.language.selector.dialects import find_dialect
from transpiler.message.receiver import Receiver
from transpiler.reference.evaluate import judge
from transpiler.testing import boundary_messages, messages, selectors
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import NOT_TRUE
from transpiler.tools.analysis.solve import Found, Solver
from transpiler.tools.test_cases import read_cases, run_case
from transpiler.tools.test_cases.boundaries import boundaries, case_file
from transpiler.tools.test_cases.coverage import uncovered
from transpiler.tools.test_cases.mutants import mutants

DATA = Path(__file__).parents[2] / "data" / "real_selectors.txt"

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
    # ActiveMQ reads 2**64 + 5 as 5 and 10**400 as 0. RabbitMQ keeps all digits.
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


#: The selector, its dialect, and what coverage reports for its own cases: nothing if each possible result occurs.
COVERED = (
    ("color LIKE 'r!_%' ESCAPE '!'", "jms", ()),
    ("color IN ('red', 'blue') AND size NOT IN (1)", "rabbitmq", ()),
    ("x BETWEEN low AND high", "jms", ()),
    ("a < b AND b < c", "jms", ()),
    ("price * quantity > 100 AND color IS NULL", "jms", ()),
    ("(size + 1) * 2 = 10", "jms", ()),
    ("size % 2 = 0", "activemq", ()),
    ("a / b > 2", "jms", ()),
    (
        "NOT (color LIKE '%x%' OR color IS NULL)",
        "jms",
        ("color IS NULL: no message lets it decide while TRUE",),
    ),
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
    assert ("# perhaps add a case in which" in text) is any(": never" in line for line in lacking)


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


def _not_distinguished(selector: str) -> Iterator[str]:
    """Yield the mutants of a selector that some message distinguishes from it, but none of its generated messages."""
    jms = find_dialect("jms")
    tree = parse_selector(selector)
    assert tree is not None
    made = [(message, evaluate(selector, message) is True) for message in boundary_messages(selector)]
    for mutant, *_ in mutants(tree, jms):
        if all((judge(mutant, message, jms, Receiver(0)).truth is True) is matches for message, matches in made):
            conditions = Conditions()
            both = [conditions.selector(one, jms) for one in (tree, mutant)]
            for first, second in (both, both[::-1]):
                answer = Solver(conditions).solve([Requirement(first), Requirement(second, NOT_TRUE)])
                if isinstance(answer, Found):
                    yield print_selector(mutant)


_REAL = [line for line in DATA.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize(
    "selector", [*_REAL[:: size(24, 3)], "a = 1 AND (b = 2 OR c = 3)", "a BETWEEN 1 AND 5 OR NOT b"]
)
def test_every_mutant_that_differs_is_distinguished(selector: str) -> None:
    try:
        parse_selector(selector)
    except TranspilerError:
        return
    assert list(_not_distinguished(selector)) == []


def test_the_work_for_a_list_grows_with_the_square_of_its_members() -> None:
    """Calls are counted, because their number does not depend on the load of the machine."""
    few, many = (_calls(f"id IN ({', '.join(repr(str(number)) for number in range(members))})") for members in (10, 40))
    assert many < 4**3 * few, (few, many)


def _calls(selector: str) -> int:
    boundary_messages(selector)
    profile = Profile()
    profile.runcall(boundary_messages, selector)
    return sum(entry.callcount for entry in profile.getstats())


def test_a_condition_that_no_message_lets_decide_is_named() -> None:
    text = "selector: a > 5 OR a > 3\ncases:\n  - message: {a: 6}\n    expect: matches\n"
    [(_, lines)] = uncovered(read_cases("a.selectors.yaml", text))
    assert lines[0].startswith("a > 5: no message lets it decide while TRUE")
    text = "selector: a > 5 AND b = 1 OR a > 5\ncases:\n  - message: {a: 6}\n    expect: matches\n"
    [(_, lines)] = uncovered(read_cases("a.selectors.yaml", text))
    assert lines[1].startswith("b = 1: no message lets it decide, ")


@given(data=st.data())
@settings(max_examples=size(5, 200))
def test_strategies_give_messages_and_selectors_of_the_dialect(data: st.DataObject) -> None:
    dialect = data.draw(st.sampled_from(["jms", "activemq", "rabbitmq"]))
    selector = data.draw(selectors(dialect))
    assert parse_selector(selector, dialect) is not None
    message = data.draw(messages(selector, dialect))
    assert evaluate(selector, message, dialect) in (True, False, None)


def test_the_messages_of_a_strategy_reach_every_truth() -> None:
    seen = set()

    @given(messages("color = 'red' AND weight > 2500"))
    def draw(message: Message) -> None:
        seen.add(evaluate("color = 'red' AND weight > 2500", message))

    draw()
    assert seen == {True, False, None}
