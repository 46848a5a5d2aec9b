"""Messages for which two selectors differ, and proofs that there are none, compared with brute force."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.sizes import randomness, size
from transpiler import Message, evaluate, parse_selector
from transpiler.base.topics import TOPIC_SYNTAX
from transpiler.language.selector.dialects import DIALECTS, find_dialect
from transpiler.message.header_fields import MessageField
from transpiler.message.message import plain_message
from transpiler.message.receiver import Receiver
from transpiler.reference.conditions import matches_words
from transpiler.reference.evaluate import judge
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.constants import NOW
from transpiler.tools.analysis.formula import ANYTHING, all_tests, bit_of, possible
from transpiler.tools.analysis.samples import samples, topic_keys
from transpiler.tools.dialect_tools.diff import diff_selectors

#: Values of a property: each type, the constants of the selectors, and values near them.
VALUES = (
    None,
    True,
    False,
    4,
    5,
    6,
    {"type": "int", "value": 5},
    5.0,
    5.5,
    {"type": "double", "value": "NaN"},
    "x",
    "xy",
    "",
    {"type": "binary", "value": "eA=="},
)
MESSAGES = [
    Message.from_dict(
        {"application_properties": {name: value for name, value in (("a", one), ("b", other)) if value is not None}}
    )
    for one, other in itertools.product(VALUES, VALUES)
]
TESTS = (
    *(f"{{name}} {operator} 5" for operator in ("=", "<>", "<", "<=", ">", ">=")),
    "{name} = 'x'",
    "{name} <> 'x'",
    "{name} LIKE 'x%'",
    "{name} NOT LIKE 'x_'",
    "{name} IN ('x', 'xy')",
    "{name} NOT IN ('x')",
    "{name} IS NULL",
    "{name} IS NOT NULL",
    "{name}",
    "a = b",
    "a <> b",
    "a + 1 > 5",
)


def condition(draw: random.Random, depth: int = 2) -> str:
    if depth == 0 or draw.random() < 0.3:
        return draw.choice(TESTS).format(name=draw.choice("ab"))
    inner = [f"({condition(draw, depth - 1)})" for _ in range(2)]
    return draw.choice((f"{inner[0]} AND {inner[1]}", f"{inner[0]} OR {inner[1]}", f"NOT {inner[0]}"))


def pairs(dialect: str, count: int) -> list[tuple[str, str]]:
    """Return ``count`` pairs of selectors.

    In half of them the second selector is the first with one change, so that they are often equivalent.
    """
    draw = randomness(dialect)
    made = []
    for number in range(count):
        text = condition(draw)
        other = condition(draw) if number % 2 else text.replace(draw.choice(("5", "AND", "'x'")), draw.choice("45"), 1)
        if number % 2 == 0 and "AND" not in other and text.count("AND") != other.count("AND"):
            other = text
        made.append((text, other))
    return made


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_difference_is_found_wherever_brute_force_finds_one_and_a_proof_is_right(dialect: str) -> None:
    rules, found, proved = find_dialect(dialect), 0, 0
    for old, new in pairs(dialect, size(8, 50)):
        trees = []
        try:
            trees = [parse_selector(text, dialect) for text in (old, new)]
        except ValueError:
            # A dialect rejects some tests: `a = b`, or NULL.
            continue
        result = diff_selectors(old, new, dialect)
        answers = [[judge(tree, message, rules, Receiver(NOW)).truth is True for message in MESSAGES] for tree in trees]
        won = any(after and not before for before, after in zip(*answers, strict=True))
        lost = any(before and not after for before, after in zip(*answers, strict=True))
        shown = f"{dialect}: {old} | {new}\n{result}"
        assert not (won and result.won is None), shown
        assert not (lost and result.lost is None), shown
        assert not (result.no_won and (won or result.won)), shown
        assert not (result.no_lost and (lost or result.lost)), shown
        for difference, before, after in ((result.won, False, True), (result.lost, True, False)):
            if difference is not None:
                verdicts = [judge(tree, difference.message, rules, Receiver(NOW)).truth is True for tree in trees]
                assert verdicts == [before, after], shown
        found, proved = found + result.differs, proved + result.is_same
    assert found > 0
    assert proved > 0


@pytest.mark.parametrize(
    ("dialect", "old", "new", "values"),
    [
        ("jms", "(a <> b) AND (NOT (a LIKE 'x%'))", "b NOT LIKE 'x_'", ("", "xy")),
        ("activemq", "(NOT (a = 5)) AND a + 1 > 5 AND b IN ('x', 'xy')", "NOT ((b = 'x') OR (a = b))", (6, "x")),
        ("artemis", "((a = b) OR (a NOT LIKE 'x_')) AND (b = 'x' OR a <> 5)", "a = b AND b = 5 OR a <> 5", (5, "x")),
        ("rabbitmq", "NOT ((b NOT IN ('x')) OR (a + 1 > 5))", "(b > 5) OR (a = b)", (4, "x")),
    ],
)
def test_values_of_two_names_are_combined_for_all_outcomes_of_the_tests_of_one(
    dialect: str, old: str, new: str, values: tuple[object, object]
) -> None:
    message = Message.from_dict({"application_properties": dict(zip("ab", values, strict=True))})
    assert evaluate(old, message, dialect) is True
    assert evaluate(new, message, dialect) is not True
    result = diff_selectors(old, new, dialect)
    assert result.lost is not None, f"{dialect}: {old} | {new}\n{result}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_truths_that_are_possible_include_the_one_there_is(dialect: str) -> None:
    draw, rules = randomness(dialect), find_dialect(dialect)
    for _ in range(size(30, 400)):
        try:
            tree = parse_selector(condition(draw), dialect)
        except ValueError:
            continue
        assert tree is not None
        formula = Conditions().selector(tree, rules)
        for message in draw.sample(MESSAGES, 20):
            truths = {test.number: bit_of(test.judge(message)) for test in all_tests(formula)}
            actual = bit_of(judge(tree, message, rules, Receiver(NOW)))
            assert possible(formula, truths) == actual
            # An unknown result of a test excludes nothing.
            truths |= {next(iter(truths)): ANYTHING}
            assert possible(formula, truths) & actual


def test_a_name_compared_with_itself_is_tried_on_infinities() -> None:
    lost = diff_selectors("b >= b", "b >= b", "qpid-cpp", "rabbitmq").lost
    assert lost is not None
    assert "Infinity" in str(lost)


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        # Only this broker reads a char as a number.
        ("weight >= 1 AND weight <= 5", "jms", "rabbitmq", {"type": "char", "value": "\x01"}),
        ("a = 65", "jms", "rabbitmq", {"type": "char", "value": "A"}),
        ("a = 'aa'", "jms", "rabbitmq", {"type": "binary", "value": "YWE="}),
        ("a = 'bbbbbbbbbbbbbbbb'", "jms", "rabbitmq", {"type": "binary", "value": "YmJiYmJiYmJiYmJiYmJiYg=="}),
        ("a > -2 AND a < 0", "rabbitmq", "jms", {"type": "ulong", "value": 2**64 - 1}),
        ("a = 5", "rabbitmq-jms", "jms", {"type": "timestamp", "value": 5}),
        ("a LIKE 'a_c'", "qpid-cpp", "jms", "aéc"),
    ],
)
def test_types_that_two_brokers_read_in_two_ways_part_them(text: str, old: str, new: str, message: object) -> None:
    result = diff_selectors(text, text, old, new)
    name = "weight" if "weight" in text else "a"
    difference = result.won or result.lost
    assert difference is not None
    assert difference.message.to_dict()["application_properties"] == {name: message}


def test_plain_properties_are_read_back_as_the_same_message() -> None:
    tests = [*all_tests(Conditions().selector(parse_selector("a = 5", "activemq"), find_dialect("activemq")))]
    message_fields = [MessageField("application_properties", "a"), MessageField("header", "priority")]
    message_fields += [
        MessageField("properties", name) for name in ("message_id", "user_id", "group_sequence", "subject")
    ]
    for index in (*message_fields, MessageField("header", "durable"), MessageField("header", "delivery_count")):
        for sample in samples([index], tests, ("x", 5), False):
            plain = plain_message(sample.message)
            again = Message.of(**plain) if "JMS" in str(plain) or "a" in plain else Message.from_dict(plain)
            assert evaluate("a = 5", again) is evaluate("a = 5", sample.message)
            if plain and not set(plain) & {"header", "properties", "application_properties"}:
                assert Message.of(**plain).to_dict() == {k: v for k, v in sample.message.to_dict().items() if v}


@pytest.mark.parametrize("pattern", ["a.b", "a.*", "a.#", "#", "*.b.#", "#.b", "*"])
def test_keys_of_a_pattern_match_it_and_some_near_ones_do_not(pattern: str) -> None:
    words = TOPIC_SYNTAX.pattern(pattern)
    answers = [matches_words(words, key.split(".")) for key in topic_keys(words)]
    assert answers[0]
    assert all(answers) is (pattern == "#")
