"""Selectors ported from one broker to another: the text in the target dialect, or the error."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from transpiler import UnsupportedFeatureError, evaluate, parse_selector
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.source import Span
from transpiler.cli import main
from transpiler.cli.port import print_table
from transpiler.language.selector.broker_dialects import ACTIVEMQ
from transpiler.language.selector.dialect_rules import FloatOrder
from transpiler.language.selector.dialects import DIALECTS, find_dialect
from transpiler.message.broker_fields import ARTEMIS_CORE_FIELDS
from transpiler.message.message import Message
from transpiler.tools.analysis.solve import Open, Solver
from transpiler.tools.dialect_tools.diff import diff_selectors
from transpiler.tools.dialect_tools.port import Ported, port_selector
from transpiler.tools.lint.check import Checker

EXACT = (
    # ActiveMQ's functions
    ("activemq", "jms", "INLIST(MAKELIST('red', 'blue'), color)", "color IN ('red', 'blue')"),
    ("activemq", "jms", "INLIST(SPLIT('red,blue', ','), color)", "color IN ('red', 'blue')"),
    ("activemq", "jms", "REGEX('^abc', color)", "color LIKE 'abc%'"),
    ("activemq", "qpid-java", "REGEX('^50\\%_', color)", "color LIKE '50!%!_%' ESCAPE '!'"),
    # constants, comments, literals
    ("activemq", "jms", "color = 'bl' + 'ue' /* the best */", "color = 'blue'"),
    ("activemq", "jms", "n = 2147483647 + 1", "n = -2147483648"),
    ("qpid-cpp", "artemis", "JMSPriority > 0b101 AND JMSPriority < 1_0", "JMSPriority > 5 AND JMSPriority < 10"),
    ("jms", "rabbitmq", "a = FALSE OR flag", "a = FALSE OR flag"),
    ("jms", "rabbitmq-jms", "JMSPriority < 0x8 AND JMSPriority > 010L", "JMSPriority < 8 AND JMSPriority > 8"),
    # NOT, and its results for TRUE, FALSE and unknown
    ("activemq", "jms", "NOT color = 'blue'", "(NOT color) = 'blue'"),
    ("activemq", "jms", "NOT (color = 'blue')", "NOT color = 'blue'"),
    ("jms", "activemq", "NOT color = 'blue'", "NOT (color = 'blue')"),
    ("activemq", "jms", "color <> 'blue'", "NOT color = 'blue'"),
    ("qpid-java", "jms", "color <> 'blue'", "NOT color = 'blue' OR color IS NULL"),
    ("qpid-java", "activemq", "NOT (s LIKE 'a%' AND f)", "s NOT LIKE 'a%' OR (s LIKE 'a%' AND NOT f)"),
    (
        "qpid-java",
        "jms",
        "NOT (s LIKE 'ab%' OR a IS NULL)",
        "(s NOT LIKE 'ab%' OR s IS NULL OR NOT (s = '' OR s <> '')) AND a IS NOT NULL",
    ),
    # LIKE on values that are not strings
    ("activemq", "jms", "s NOT LIKE 'ab%'", "s NOT LIKE 'ab%' OR NOT (s = '' OR s <> '')"),
    ("activemq", "jms", "NOT (s LIKE 'ab%')", "NOT (s LIKE 'ab%' AND (s = '' OR s <> ''))"),
    ("activemq", "jms", "n + 1 IS NULL", "n IS NULL"),
    # operands
    ("jms", "activemq", "6 > n", "n < 6"),
    ("rabbitmq", "jms", "flag = TRUE", "flag = TRUE"),
    ("activemq", "rabbitmq", "JMSPriority BETWEEN 2 AND 5", "header.priority >= 2 AND header.priority <= 5"),
    # a sum of texts, which is NULL in the source dialect and a text in the target
    ("qpid-cpp", "activemq", "s IN ('a' + 'bc')", "FALSE"),
    ("rabbitmq", "qpid-java", "s = 'a' + 'bc'", "FALSE"),
    # names
    ("activemq", "rabbitmq", "JMSType = 'a' OR JMSPriority > 7", "properties.subject = 'a' OR header.priority > 7"),
    ("rabbitmq", "activemq", "p.subject LIKE 'usd.%' AND h.priority != 4", "JMSType LIKE 'usd.%' AND JMSPriority <> 4"),
    ("artemis", "activemq", "AMQPriority = 9", "JMSPriority = 9"),
    ("artemis", "activemq", "AMQDurable = 'DURABLE'", "JMSDeliveryMode = 'PERSISTENT'"),
    ("jms", "qpid-cpp", "amqp.durable = TRUE", "JMSDeliveryMode = 'PERSISTENT'"),
    ("artemis", "qpid-java", "hyphenated_props:my-prop = 1", '"my-prop" = 1'),
    ("jms", "artemis", "été = 1", '"été" = 1'),
    ("jms", "artemis", "color = 'PERSISTENT'", "color = 'PERSISTEN' + 'T'"),
    # patterns
    ("jms", "activemq", "s LIKE 'a!bc' ESCAPE '!'", "s LIKE 'abc'"),
    ("activemq", "jms", "s LIKE 'a!bc' ESCAPE '!'", "s LIKE 'a!bc'"),
    # prefixes
    ("activemq", "artemis", "convert_string_expressions:n = 5", "convert_string_expressions:n = 5"),
    ("jms", "jms", "a=1", "a = 1"),
    ("jms", "activemq", "  ", ""),
)  # fmt: skip


def of_meaning(ported: Ported) -> list[Diagnostic]:
    """Return the notes about the meaning of a port, without those that ``check`` reports about its text."""
    return [note for note in ported.notes if note.code.startswith("port.")]


#: The source, the target, the selector, its port, and what ``check`` reports about the port.
REPORTED = (
    ("artemis", "jms", "JMSReplyTo = 'queue'", "JMSReplyTo = 'queue'", [("warning", "portability.header")]),
    ("rabbitmq", "qpid-java", "s = 'a' + 'bc'", "FALSE", [("warning", "lint.never-true")]),
    # A diagnostic that check also reports about the original is not noted.
    ("artemis", "qpid-java", "JMSPriority IN ('x') OR a = 'red'", "JMSPriority IN ('x') OR a = 'red'", []),
    ("jms", "activemq", "JMSDeliveryMode = 'x'", "JMSDeliveryMode = 'x'", []),
    ("jms", "activemq", "NOT color = 'blue'", "NOT (color = 'blue')", []),
    # Parentheses around an AND leave nothing to report.
    ("jms", "activemq", "a = 1 OR b = 2 AND c = 3", "a = 1 OR (b = 2 AND c = 3)", []),
)


@pytest.mark.parametrize(("source", "target", "text", "ported", "reported"), REPORTED)
def test_what_check_reports_about_the_ported_text_is_a_note_at_its_place(
    source: str, target: str, text: str, ported: str, reported: list[tuple[str, str]]
) -> None:
    found = port_selector(text, source, target)
    notes = [note for note in found.notes if note not in of_meaning(found)]
    assert (found.text, [(note.severity, note.code) for note in notes]) == (ported, reported)
    assert all(note.source is not None and note.source.text == ported and note.span is not None for note in notes)


@pytest.mark.parametrize(("source", "target", "text", "ported"), EXACT)
def test_what_can_be_said_is_said_without_a_warning(source: str, target: str, text: str, ported: str) -> None:
    found = port_selector(text, source, target)
    assert found.text == ported
    assert {note.code for note in of_meaning(found)} <= {"port.unproved"}


UNPROVED = (
    ("activemq", "jms", "a / 2 > 3", "NOT a / 2.0 <= 3"),
    ("activemq", "artemis", "a + 1 > 5", "a + 1 > 5"),
    ("artemis", "qpid-java", "a = b", "a = b"),
)


@pytest.mark.parametrize(("source", "target", "text", "ported"), UNPROVED)
def test_a_condition_without_a_proof_and_without_a_message_is_noted(
    source: str, target: str, text: str, ported: str
) -> None:
    found = port_selector(text, source, target)
    [note] = of_meaning(found)
    assert (found.text, note.severity, note.code, note.span) == (ported, "info", "port.unproved", Span(0, len(text)))
    assert note.message.startswith(f"no message was found on which {DIALECTS[target].title} differs, and no proof: ")
    assert diff_selectors(text, ported, source, target).not_decided
    # Several such conditions give one note.
    twice = of_meaning(port_selector(f"{text} AND c = 1 AND {text.replace('a', 'd')}", source, target))
    assert [one.message.partition("; ")[2] for one in twice] == ["1 more condition is not proved either"]


NOTED = (
    ("activemq", "jms", "n > 5", "n > 5", "with n the double NaN, this is TRUE in activemq", "NaN and -0.0"),
    ("activemq", "jms", "n + 1 > 5", "n + 1 > 5", "with n the int 2147483647", "integers have: 32 or 64 bits"),
    ("activemq", "jms", "n * 2 = 6", "n * 2 = 6", "with n the int 2147483647", "integers have: 32 or 64 bits"),
    ("rabbitmq", "jms", "n = 1", "n = 1", "with n the char '\\x01'", "char is long in rabbitmq, string in JMS"),
    ("rabbitmq", "jms", "n IN (1, 2)", "n = 1 OR n = 2", "with n the char '\\x01'", "IN on what is no string"),
    ("activemq", "rabbitmq", "s = 'ab'", "s = 'ab'", "with s the binary 0x6162", "binary is bytes in activemq, string"),
    ("jms", "activemq", "s <> 'ab'", "s NOT IN ('ab')", "the char", "char is string in JMS, char in activemq"),
    ("activemq", "jms", "+s = 'a'", "s = 'a'", "the char", "char is char in activemq, string in JMS"),
    ("qpid-cpp", "activemq", "s IN ('a', 'b' + 'c')", "s IN ('a')", "the binary 0x61", "binary is string in qpid-cpp"),
    ("jms", "rabbitmq-jms", "a = b", "a = b", "the long 9007199254740993", "by exact value in rabbitmq-jms"),
    (
        "jms",
        "rabbitmq-jms",
        "a < b",
        "a < b AND b <= 1.7976931348623157e+308",
        "with a the double 9007199254740992.0, b the long 9007199254740993, this is FALSE in JMS",
        "numbers of two types compare: Java's numeric promotion in JMS, by exact value in rabbitmq-jms",
    ),
    ("activemq", "artemis", "5.5 = x", "5.5 = x", "throws (a double on the left", "numbers of two types compare"),
    (
        "jms",
        "rabbitmq-jms",
        "NOT (s LIKE 'a%' OR flag)",
        "NOT (s LIKE 'a%' OR flag)",
        "s LIKE 'a%' is FALSE in rabbitmq-jms",
        "bytes of one line in rabbitmq-jms",
    ),
)


@pytest.mark.parametrize(("source", "target", "text", "ported", "expected_text", "rule"), NOTED)
def test_what_changes_for_rare_messages_is_noted_with_such_a_message(
    source: str, target: str, text: str, ported: str, expected_text: str, rule: str
) -> None:
    found = port_selector(text, source, target)
    [note] = of_meaning(found)
    assert (found.text, note.severity, note.code) == (ported, "warning", "port.rare")
    assert expected_text in note.message
    assert rule in (note.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "NOT (NOT (a = 1 OR b <> FALSE) OR (b = 1 AND a = 1))",
        "NOT (NOT (a = 1 AND b <> FALSE) OR (b = 1 AND a = 1))",
        "NOT (NOT (a > 1 AND b = 2) OR a = 1)",
    ],
)
@pytest.mark.parametrize("target", ["jms", "activemq", "rabbitmq"])
def test_junctions_of_qpids_tables_select_the_same_elsewhere(text: str, target: str) -> None:
    ported = port_selector(text, "qpid-java", target)
    before, after = parse_selector(text, "qpid-java"), parse_selector(ported.text, target)
    values = (None, True, False, 0, 1, 2, "x")
    for one, other in itertools.product(values, values):
        message = Message.of(**{name: value for name, value in (("a", one), ("b", other)) if value is not None})
        verdicts = [evaluate(tree, message, dialect) for tree, dialect in ((before, "qpid-java"), (after, target))]
        assert (verdicts[0] is True) is (verdicts[1] is True), (ported.text, message)


def test_a_rule_is_said_once_for_all_conditions_that_it_changes_for_rare_messages() -> None:
    found = port_selector("status = 'CLOSED' AND kind LIKE 'a_b' AND region <> 'eu' AND s LIKE '_'", "jms", "rabbitmq")
    types, patterns = of_meaning(found)
    assert types.span == (0, 17)
    assert types.message.endswith("is TRUE in rabbitmq; 1 more condition changes by the same rule")
    assert "binary is bytes in JMS, string in rabbitmq; char is string in JMS, long in rabbitmq" in (types.hint or "")
    assert (patterns.message.count("by the same rule"), (patterns.hint or "").count("`_` and `%`")) == (1, 1)
    # A change for common messages gives one note for each condition.
    loose = port_selector("a <> 'x' AND b <> 'y' AND c <> 'z'", "jms", "rabbitmq", changes="any")
    assert [note.code for note in of_meaning(loose)] == ["port.meaning"] * 3


#: Artemis computes a remainder from the low bits of this number, which are 0.
BEYOND_DOUBLES = f"i % 1{'0' * 400} = 1"
REFUSED = (
    ("activemq", "jms", "a = 1 OR 6 > n", "port.meaning", "6 > n", "with n the short 5, this is FALSE in activemq"),
    ("jms", "activemq", "a / 2 > 3", "port.meaning", "a / 2 > 3", "with a the long 3, a / 2 is 1 in JMS, and 1.5 in"),
    ("jms", "qpid-cpp", "s LIKE 'a_c'", "port.meaning", "s LIKE 'a_c'", "with s the string 'aéc', this is TRUE in JMS"),
    ("activemq", "rabbitmq", "s + 'x' = 'ax'", "port.meaning", "s + 'x' = 'ax'", "with s the string 'a'"),
    ("activemq", "jms", "REGEX('^a[bc]', s)", "port.refused", "REGEX('^a[bc]', s)", "JMS has no REGEX"),
    ("activemq", "qpid-java", "XPATH '//a'", "port.refused", "XPATH '//a'", "qpid-java has no XPATH"),
    ("rabbitmq", "jms", "UTC() > 5", "port.refused", "UTC() > 5", "JMS has no UTC()"),
    (
        "artemis",
        "rabbitmq",
        "i = 18446744073709551621",
        "port.meaning",
        "i = 18446744073709551621",
        "with i the long 5",
    ),
    ("artemis", "rabbitmq", BEYOND_DOUBLES, "port.meaning", BEYOND_DOUBLES, "with i the long 3"),
    ("activemq", "jms", "n % 2 = 1", "port.refused", "n % 2 = 1", "JMS has no remainder operator"),
    (
        "rabbitmq",
        "activemq",
        "[my prop] = 1",
        "port.refused",
        "[my prop] = 1",
        "activemq cannot write the name my prop",
    ),
    ("jms", "activemq", "my.prop = 1", "port.refused", "my.prop = 1", "activemq cannot write the name my.prop"),
    (
        "activemq",
        "rabbitmq",
        "JMSDeliveryMode = 'PERSISTENT'",
        "port.no-name",
        "JMSDeliveryMode = 'PERSISTENT'",
        "JMSDeliveryMode is header.durable in activemq, and rabbitmq has no name for that",
    ),
    (
        "rabbitmq",
        "jms",
        "JMSType = 'a'",
        "port.no-name",
        "JMSType = 'a'",
        "JMSType is a property in rabbitmq, and a header field in JMS",
    ),
)


def test_a_part_that_the_analysis_does_not_decide_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Solver, "solve", lambda *_: Open("too many cases"))
    with pytest.raises(UnsupportedFeatureError) as caught:
        port_selector("color = 'red'", "activemq", "artemis")
    [error] = caught.value.diagnostics
    assert (error.code, error.span) == ("port.undecided", Span(0, 13))
    assert error.message == "no candidate can be compared: too many cases"


@pytest.mark.parametrize(("source", "target", "text", "code", "part", "message"), REFUSED)
def test_what_cannot_be_said_is_an_error_at_its_place(
    source: str, target: str, text: str, code: str, part: str, message: str
) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        port_selector(text, source, target)
    first = caught.value.diagnostics[0]
    assert first.code == code
    assert message in first.message
    assert first.span is not None
    assert text[first.span.start : first.span.end] == part


def test_an_error_points_at_every_part_that_cannot_be_said() -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        port_selector("a = 1 AND (6 > n OR XPATH '//a')", "activemq", "jms")
    assert str(caught.value).splitlines() == [
        "selector:1:12: port.meaning: with n the short 5, this is FALSE in activemq, and 6 > n is TRUE in JMS",
        "  1 | a = 1 AND (6 > n OR XPATH '//a')",
        "    |            ^^^^^",
        "  hint: the rule: numbers of two types compare: the left type is widened, byte and short on the right are "
        "not, double with float throws in activemq, Java's numeric promotion in JMS",
        "selector:1:21: port.refused: JMS has no XPATH",
        "  1 | a = 1 AND (6 > n OR XPATH '//a')",
        "    |                     ^^^^^^^^^^^",
        "  hint: only activemq and artemis can say it",
    ]


def test_strict_guards_what_is_noted_else_or_refuses_it() -> None:
    found = port_selector("n > 5", "activemq", "jms", changes="none")
    assert (found.text, found.notes) == ("n > 5 OR n <> n", ())
    with pytest.raises(UnsupportedFeatureError, match="with s the binary 0x6162"):
        port_selector("s = 'ab'", "activemq", "rabbitmq", changes="none")


def test_loose_keeps_what_changes_with_a_warning() -> None:
    found = port_selector("6 > n", "activemq", "jms", changes="any")
    assert found.text == "6 > n"
    assert [(note.severity, note.code) for note in found.notes] == [("warning", "port.meaning")]
    with pytest.raises(UnsupportedFeatureError, match="has no XPATH"):
        port_selector("XPATH '//a'", "activemq", "jms", changes="any")


LOOSE = (
    ("jms", "activemq", "color <> 5", "color <> 5", "port.meaning"),
    ("jms", "activemq", "region <> 'eu'", "region <> 'eu'", "port.meaning"),
    ("jms", "rabbitmq-jms", "weight > 2500", "weight > 2500", "port.meaning"),
    ("jms", "activemq", "name NOT LIKE 'a%'", "name NOT LIKE 'a%'", "port.meaning"),
    ("activemq", "jms", "JMSType = 'x'", "JMSType = 'x'", "port.rare"),
    ("qpid-java", "activemq", "color <> 'red'", "color <> 'red'", "port.meaning"),
    # With ``changes="any"``, a rewriting that is as readable and changes less is still preferred.
    ("activemq", "jms", "color <> 5", "NOT color = 5", None),
    ("jms", "activemq", "6 > n", "n < 6", None),
    ("activemq", "jms", "weight / 2 > 3", "NOT weight / 2.0 <= 3", "port.unproved"),
    ("jms", "rabbitmq", "weight BETWEEN 1 AND 5", "weight >= 1 AND weight <= 5", "port.rare"),
)


@pytest.mark.parametrize(("source", "target", "text", "ported", "code"), LOOSE)
def test_loose_keeps_the_plain_condition(source: str, target: str, text: str, ported: str, code: str | None) -> None:
    found = port_selector(text, source, target, changes="any")
    assert (found.text, [note.code for note in of_meaning(found)]) == (ported, [] if code is None else [code])


MINIMAL = (
    ("jms", "activemq", "color <> 5", "color < 5 OR color > 5"),
    ("jms", "activemq", "weight <> 5 AND weight > 1", "(weight < 5 OR weight > 5) AND weight > 1"),
    ("jms", "activemq", "name NOT LIKE 'a%'", "name NOT LIKE 'a%' AND name LIKE '%'"),
    (
        "jms",
        "rabbitmq-jms",
        "weight <> 5 AND weight > 1",
        "weight <> 5 AND weight <= 1.7976931348623157e+308 AND weight > 1",
    ),
    ("qpid-java", "jms", "weight <> 5 AND weight > 1", "NOT weight = 5 AND weight > 1"),
    ("activemq", "qpid-java", "a <> 1 AND a <> 2", "a IS NOT NULL AND a <> 1 AND a <> 2"),
)


@pytest.mark.parametrize(("source", "target", "text", "ported"), MINIMAL)
def test_a_guard_that_another_condition_implies_is_left_out(source: str, target: str, text: str, ported: str) -> None:
    assert port_selector(text, source, target).text == ported


@pytest.mark.parametrize("target", DIALECTS)
@pytest.mark.parametrize("source", DIALECTS)
def test_loose_adds_no_condition_to_one_that_the_target_has(source: str, target: str) -> None:
    for text in ("color <> 5", "color <> 'red'", "weight > 2500", "color = 'red' AND NOT (weight <= 1)", "flag"):
        assert len(port_selector(text, source, target, changes="any").text) <= len(text) + len("NOT (=)")


def test_a_dialect_of_ones_own_is_a_target_too() -> None:
    own = replace(ACTIVEMQ, name="own", float_order=FloatOrder.IEEE)
    [note] = port_selector("n > 5", ACTIVEMQ, own).notes
    assert "and n > 5 is FALSE in own" in note.message


@pytest.mark.parametrize("target", DIALECTS)
def test_a_selector_of_the_common_core_goes_everywhere(target: str) -> None:
    ported = port_selector("color IN ('red', 'green') AND flag", "jms", target)
    message = Message.from_dict({"application_properties": {"color": "red", "flag": True}})
    assert evaluate(ported.text, message, target) is True


@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        (["port", "--from", "activemq", "--to", "artemis", "a=1"], 0, "a = 1\n", ""),
        (["port", "--from", "activemq", "--to", "jms", "n > 5"], 0, "n > 5\n", "warning: port.rare: with n the double"),
        (["port", "--from", "activemq", "--to", "jms", "--strict", "n > 5"], 0, "n > 5 OR n <> n\n", ""),
        (["port", "--from", "activemq", "--to", "jms", "--loose", "6 > n"], 0, "6 > n\n", "warning: port.meaning"),
        (["port", "--from", "activemq", "--to", "jms", "6 > n"], 2, "", "selector:1:1: port.meaning"),
        (["port", "--from", "activemq", "--to", "artemis", "a + 1 > 5"], 0, "a + 1 > 5\n", "info: port.unproved"),
        (["port", "--from", "artemis", "--to", "qpid-java", "a = b", "--strict"], 3, "a = b\n", "info: port.unproved"),
        (["port", "--from", "activemq", "--to", "jms", "n >"], 2, "", "syntax.unexpected-end"),
        (["port", "--from", "activemq", "--to", "amqp", "n > 5"], 2, "", "dialect.unknown"),
        (["port", "--from", "jms", "--to", "jms", "--loose", "--strict", "n > 5"], 2, "", "exclude each other"),
        (["port", "--from", "jms", "--to", "activemq", "--loose", "color <> 5"], 0, "color <> 5\n", "port.meaning"),
        (["port", "--from", "jms", "--to", "jms"], 2, "", "give either SELECTOR or --file FILE"),
        (["port", "--from", "jms", "--to", "jms", "a=1", "--file", "-"], 2, "", "give either SELECTOR or --file FILE"),
    ],
)
def test_the_command_prints_the_selector_alone_and_notes_beside_it(
    arguments: list[str], code: int, out: str, err: str
) -> None:
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stdout) == (code, out)
    assert err in result.stderr
    assert bool(err) is bool(result.stderr)


FILE = "# orders\ncolor = 'red'\ncolor <> 5\n\nweight / 2 > 3\nn > 5\nNOT color = 'red'\na ==\n"


def port_file(*words: str, given: str = FILE, env: dict[str, str] | None = None) -> Result:
    return CliRunner(env=env).invoke(main, ["port", "--from", "jms", "--to", "activemq", *words], input=given)


def test_the_table_for_a_file_lists_changed_and_impossible_ports() -> None:
    result = port_file("--file", "-")
    lines = result.stdout.splitlines()
    assert result.exit_code == 2
    assert lines[0].split() == ["line", "from", "to", "note"]
    assert [line.split()[0] for line in lines[2:] if line[:6].strip().isdigit()] == ["3", "5", "6", "7", "8"]
    assert lines[2].split() == "3 color <> 5 color < 5 OR color > 5".split()
    assert "cannot be said: with weight the long 3, weight / 2 is 1 in JMS" in result.stdout
    assert "changes for rare messages: with n the double NaN" in result.stdout
    assert "is no selector: ==: equality is written with a single =" in result.stdout
    assert lines[-1] == "1 selector needs no change"
    assert max(map(len, lines)) <= 120
    assert result.stderr == "2 of 6 selectors cannot be ported to activemq\n"
    assert "\x1b" not in result.output


def test_a_file_that_is_said_in_full_is_exit_code_0(tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("color = 'red'\ncolor <> 5\n", encoding="utf-8")
    result = port_file("--file", str(tmp_path / "one.txt"), "--file", str(tmp_path / "two.txt"), "--format", "tsv")
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[0] == ["line", "outcome", "from", "to", "note"]
    assert [row[0].rpartition("/")[2] for row in rows[1:]] == ["one.txt:1", "one.txt:2", "two.txt:1", "two.txt:2"]
    assert rows[2][1:] == ["changed", "color <> 5", "color < 5 OR color > 5", ""]


def test_what_is_not_proved_is_exit_code_3_where_a_proof_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "sums.sel"
    file.write_text("color = 'red'\na - 1 > 5\n", encoding="utf-8")
    words = ["port", "--from", "activemq", "--to", "artemis", "--file", str(file), "--format", "tsv"]
    result = CliRunner().invoke(main, words)
    rows = [row.split("\t") for row in result.stdout.splitlines()[1:]]
    assert (result.exit_code, [row[1] for row in rows]) == (0, ["same", "unproved"])
    assert rows[1][-1].startswith("is not proved to be the same: no message was found on which artemis differs")
    assert CliRunner().invoke(main, [*words, "--strict"]).exit_code == 3


def test_the_other_formats_are_selectors_alone_and_json() -> None:
    lines = port_file("--file", "-", "--format", "text").stdout.splitlines()
    assert lines == [
        "# orders",
        "color = 'red'",
        "color < 5 OR color > 5",
        "",
        "# cannot be ported: weight / 2 > 3",
        "n > 5",
        "NOT (color = 'red')",
        "# cannot be ported: a ==",
    ]
    rows = json.loads(port_file("--file", "-", "--format", "json").stdout)
    assert [row["outcome"] for row in rows] == ["same", "changed", "error", "warning", "changed", "error"]
    assert (rows[1]["line"], rows[1]["from"], rows[1]["to"]) == (3, "color <> 5", "color < 5 OR color > 5")
    assert rows[2]["to"] is None
    assert rows[3]["notes"][0]["code"] == "port.rare"
    [row] = json.loads(port_file("color <> 5", "--format", "json").stdout)
    assert row["to"] == "color < 5 OR color > 5"


def test_the_table_has_colour_on_a_terminal_only_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []
    monkeypatch.setattr("click.echo", lambda text="", **_: printed.append(text))
    for wanted in (True, False):
        monkeypatch.delenv("NO_COLOR", raising=False)
        if not wanted:
            monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setattr("sys.stdout", _Terminal())
        print_table(("line", "note"), [("1", "x")], ["red"])
        assert ("\x1b[31m" in printed[-1]) is wanted


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("text", ["JMSType = 'order'", "JMSCorrelationID IS NOT NULL", "JMSMessageID = 'ID:x-1'"])
def test_a_name_that_jms_reserves_is_a_rare_property(text: str) -> None:
    ported = port_selector(text, "activemq", "artemis")
    assert ported.text == text
    assert [note.code for note in ported.notes] == ["port.rare"]
    # The note also states which field the other dialect reads.
    assert text.split()[0] in ported.notes[0].message or "message_id" in ported.notes[0].message


def test_an_unsigned_long_that_wraps_is_no_negative_number_to_every_broker() -> None:
    with pytest.raises(UnsupportedFeatureError, match="ulong 18446744073709551615"):
        port_selector("a = -1", "rabbitmq", "jms", changes="none")


def test_a_loose_port_keeps_a_condition_as_it_is() -> None:
    assert port_selector("status <> 'CLOSED'", "jms", "rabbitmq", changes="any").text == "status <> 'CLOSED'"


def test_any_text_in_a_regular_expression_is_a_percent_sign() -> None:
    assert port_selector("REGEX('^a.*b', color)", "activemq", "jms").text == "color LIKE 'a%b%'"


@pytest.mark.parametrize("name", ARTEMIS_CORE_FIELDS.rewritten_for_clients)
@pytest.mark.parametrize("source", ["artemis", "activemq", "qpid-java"])
def test_names_of_clients_become_the_names_of_artemis_itself(name: str, source: str) -> None:
    if find_dialect(source).fields.find(name) is None:
        return
    value = "'PERSISTENT'" if name == "JMSDeliveryMode" else "'ID:a'" if name.endswith("ID") else "4"
    ported = port_selector(f"{name} = {value}", source, "artemis-core")
    own = ARTEMIS_CORE_FIELDS.rewritten_for_clients[name]
    assert own in ported.text
    assert name not in ported.text
    core = find_dialect("artemis-core")
    assert not [one for one in Checker().check(ported.text, (core,)).findings if one.diagnostic.severity != "info"]
    if source == "artemis":
        assert not ported.notes


def test_a_condition_that_throws_before_another_one_decides_is_no_port_without_a_change() -> None:
    text = "JMSPriority IN ('x') AND a - 2 < 0 OR a IN ('red')"
    with pytest.raises(UnsupportedFeatureError) as caught:
        port_selector(text, "artemis", "qpid-java", changes="none")
    assert [finding.code for finding in caught.value.diagnostics] == ["port.meaning"]
    # A message on which a broker throws counts as rare.
    assert "port.rare" in [note.code for note in port_selector(text, "artemis", "qpid-java").notes]
