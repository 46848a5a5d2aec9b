"""The page of deviations: each field of a dialect has a question on it, and what it states agrees with the dialects."""

from __future__ import annotations

from dataclasses import fields

import pytest

from transpiler import Dialect, Message, TranspilerError, parse_selector, print_selector
from transpiler.language.selector.dialects import DIALECTS, JMS
from transpiler.tools.dialect_tools.compare_dialects import compare_dialects
from transpiler.tools.dialect_tools.questions import QUESTIONS, answer


def test_every_field_of_the_record_is_a_question_of_the_page() -> None:
    assert {field.name for field in fields(Dialect)} - {*QUESTIONS} == {"name", "max_nesting", "max_terms"}


@pytest.mark.parametrize("dialect", [dialect for dialect in DIALECTS.values() if dialect.name != "jms"])
def test_every_dialect_deviates_somewhere_and_says_where(dialect: Dialect) -> None:
    deviations = [name for name in QUESTIONS if getattr(dialect, name) != getattr(JMS, name)]
    assert len(deviations) > 10
    for name in deviations:
        assert name == "fields" or answer(getattr(dialect, name)) != answer(getattr(JMS, name)), name


MESSAGE = Message.from_dict(
    {
        "application_properties": {
            "i": {"type": "int", "value": 5},
            "b": {"type": "byte", "value": 5},
            "imax": {"type": "int", "value": 2**31 - 1},
            "s": "abc",
            "flag": True,
        }
    }
)

#: A selector, a dialect, its result for the message (None: unknown, "refused": rejected), and a word of the rule.
RULES = [
    ("i = b", "activemq", False, "byte and short on the right"),
    ("i = b", "qpid-cpp", True, None),
    ("missing <> 5", "qpid-java", True, "FALSE with NULL on one side"),
    ("5 <> missing", "artemis", True, "FALSE on the right"),
    ("s <> 5", "rabbitmq", True, "unequal"),
    ("NOT i = 6", "activemq", False, "tighter than arithmetic"),
    ("i / 2 = 2.5", "rabbitmq-jms", True, "double"),
    ("imax + 1 < 0", "artemis", True, "32"),
    ("missing > 1 AND FALSE", "qpid-java", None, "AND"),
    ("s BETWEEN 'a' AND 'b'", "activemq", "refused", None),
    ("i IN (5)", "rabbitmq", True, "in the list of IN: any expression"),
    ("i BETWEEN 1 AND 9", "rabbitmq", "refused", None),
    ("s LIKE 'ab_' AND i > 2", "qpid-cpp", True, None),
]


@pytest.mark.parametrize(("selector", "dialect", "verdict", "rule"), RULES)
def test_compare_names_the_rule_by_which_a_dialect_parts(
    selector: str, dialect: str, verdict: object, rule: str | None
) -> None:
    [row] = compare_dialects(selector, MESSAGE, [dialect])
    assert ("refused" if row.refused is not None else row.truth) == verdict
    if rule is not None:
        assert rule in (row.rule or "")


def test_compare_shows_how_a_dialect_reads_the_text() -> None:
    [row] = compare_dialects("NOT i = 6", None, ["activemq"])
    assert row.reading == "(NOT i) = 6"


#: Selectors with rare syntax, and True if the broker's own parser accepts them.
TAKEN = [
    ("activemq", "i = 5 AND.5 = x", True),
    ("qpid-java", "i NOT BETWEEN.5 AND.7", True),
    ("qpid-cpp", "i = 5 AND.5 = x", False),
    ("artemis", "TRUE <> -5", True),
    ("artemis", "TRUE <> 5", False),
    ("qpid-java", "s LIKE '!\tb' ESCAPE '!'", True),
    ("qpid-java", "s LIKE '!\tx' ESCAPE '!'", False),
    ("qpid-java", "s LIKE '!\t!b' ESCAPE '!'", False),
    ("activemq", "s LIKE '\t\tb' ESCAPE '\t'", True),
    ("rabbitmq", "s LIKE '\na%' ESCAPE '\n'", True),
    ("rabbitmq", "s LIKE '\n\n%' ESCAPE '\n'", False),
]


@pytest.mark.parametrize(("dialect", "selector", "taken"), TAKEN)
def test_a_dialect_takes_what_its_broker_takes(dialect: str, selector: str, taken: bool) -> None:
    if taken:
        assert parse_selector(selector, dialect) is not None
    else:
        with pytest.raises(TranspilerError):
            parse_selector(selector, dialect)


#: A construct, a dialect without the construct, and a dialect that the hint names.
LACKING = [
    ("i % 2 = 1", "qpid-cpp", "activemq"),
    ("i != 5", "activemq", "rabbitmq"),
    ('"a b" = 1', "activemq", "artemis"),
    ("[a b] = 1", "qpid-java", "rabbitmq"),
    ("a.b = 1", "activemq", "qpid-cpp"),
    ("été = 1", "rabbitmq", "jms"),
    ("REGEX('a', s)", "qpid-java", "activemq"),
    ("XPATH '//a'", "qpid-cpp", "artemis"),
    ("i IN (5, 6)", "activemq", "rabbitmq"),
    ("i + 1 IN ('a')", "artemis", "qpid-cpp"),
    ("i = 1 /* c */", "rabbitmq", "activemq"),
]


@pytest.mark.parametrize(("selector", "dialect", "named"), LACKING)
def test_a_construct_that_a_dialect_lacks_names_one_that_has_it(selector: str, dialect: str, named: str) -> None:
    with pytest.raises(TranspilerError) as caught:
        parse_selector(selector, dialect)
    assert named in (caught.value.diagnostics[0].hint or "")


#: Text that only this dialect can parse, and how it is printed.
PRINTED = [
    ("activemq", "NOT i = 6", "(NOT i) = 6"),
    ("artemis", '"a b" = 1 AND x % 2 = 0', '"a b" = 1 AND x % 2 = 0'),
    ("rabbitmq", "[a b] = 1 AND p.subject != 'x'", "[a b] = 1 AND properties.subject <> 'x'"),
    ("artemis", '"and" = 1 OR "Xpath" IS NULL OR "order" = 2', '"and" = 1 OR "Xpath" IS NULL OR order = 2'),
    ("qpid-cpp", "\"like\" LIKE 'a%'", "\"like\" LIKE 'a%'"),
    ("rabbitmq", "[And] = 1 AND [utc] = 2 AND [order] = 3", "[And] = 1 AND [utc] = 2 AND order = 3"),
    ("rabbitmq-jms", "5 - 3 - 1 = 1", "5 - 3 - 1 = 1"),
    ("activemq", "convert_string_expressions:num = 5", "convert_string_expressions:num = 5"),
    ("activemq", "REGEX('a', s) AND XPATH '//a'", "REGEX('a', s) AND XPATH '//a'"),
    ("artemis", "hyphenated_props:a-b = 1", '"a-b" = 1'),
    ("artemis", "no_hyphenated_props:a-b = 1", "a - b = 1"),
    ("artemis", "hyphenated_props:no_hyphenated_props:a-b = 1", "a - b = 1"),
    ("artemis", "no_convert_string_expressions:hyphenated_props:a-b = 1", '"a-b" = 1'),
    ("artemis", "convert_string_expressions:no_convert_string_expressions:a = 1", "a = 1"),
    (
        "artemis",
        "no_convert_string_expressions:no_hyphenated_props:hyphenated_props:convert_string_expressions:a-b = 1",
        'convert_string_expressions:"a-b" = 1',
    ),
]


@pytest.mark.parametrize(("dialect", "text", "printed"), PRINTED)
def test_a_tree_prints_in_its_dialect(dialect: str, text: str, printed: str) -> None:
    tree = parse_selector(text, dialect)
    assert tree is not None
    again = print_selector(tree, dialect)
    assert parse_selector(again, dialect) == tree
    assert again == printed
