"""A broker's dialect gives exactly the warnings that are true for the broker."""

from __future__ import annotations

import pytest

from transpiler import parse_selector, transpile_selector
from transpiler.base.source import Source
from transpiler.compiler.inference import layout_from_schema
from transpiler.language.selector.dialects import find_dialect
from transpiler.tools.lint.registry import lint

LINTED = (
    ("jms", "JMSPriority = '5'", ["lint.text-for-number"]),
    ("activemq", "JMSPriority = '5'", ["lint.text-for-number"]),
    # In RabbitMQ's dialect, JMSPriority is an application property.
    ("rabbitmq", "JMSPriority = '5'", ["lint.quoted-number"]),
    ("rabbitmq", "h.priority = '5'", ["lint.text-for-number"]),
    ("artemis", "AMQPriority IN ('5')", ["lint.text-for-number"]),
    ("artemis", "AMQDurable = 'PERSISTENT'", []),
    ("artemis", "AMQDurable = 'durable'", ["lint.delivery-mode"]),
    ("qpid-cpp", "\"amqp.delivery_mode\" = 'DURABLE'", ["lint.delivery-mode"]),
    ("activemq", "AMQDurable = 'durable'", []),
    ("activemq", "a = '5'", ["lint.quoted-number"]),
    # With this prefix, strings on both sides are read as numbers.
    ("activemq", "convert_string_expressions:a = '5'", []),
    ("qpid-cpp", "JMSPriority IN (4, 5)", []),
    ("qpid-java", "a = JMSType", []),
    ("qpid-java", "a = b", ["lint.unquoted-word"]),
)


@pytest.mark.parametrize(("dialect", "text", "codes"), LINTED)
def test_lint_goes_by_the_fields_of_the_dialect(dialect: str, text: str, codes: list[str]) -> None:
    tree = parse_selector(text, dialect)
    assert tree is not None
    assert [finding.code for finding in lint(tree, Source(text), find_dialect(dialect))] == codes


COLUMNS = layout_from_schema(
    {
        "type": "struct",
        "fields": [
            {"name": name, "type": kind, "nullable": True, "metadata": {}}
            for name, kind in (("s", "string"), ("n", "long"), ("flag", "boolean"))
        ],
    }
)
UNLIKE = "values of unlike types are never equal or ordered, so the condition is"
TYPED = (
    ("activemq", "n = 's'", f"n is a number, and 's' is a string: {UNLIKE} never true"),
    ("activemq", "n <> 's'", f"n is a number, and 's' is a string: {UNLIKE} never false"),
    ("qpid-cpp", "n <> 's'", f"n is a number, and 's' is a string: {UNLIKE} never true"),
    # Both properties may be missing, and two missing properties are equal in this dialect.
    ("activemq", "n = s", None),
    ("qpid-cpp", "n = s", f"n is a number, and s is a string: {UNLIKE} never true"),
    ("rabbitmq-jms", "n = flag", f"n is a number, and flag is a boolean: {UNLIKE} never true"),
    ("activemq", "n LIKE 'a%'", "n is a number: LIKE holds for strings only, so this is never true"),
    ("rabbitmq-jms", "n LIKE 'a%'", "n is a number: LIKE holds for strings only, so this throws in rabbitmq-jms"),
    ("artemis", "flag IN ('a')", "flag is a boolean: IN holds for strings only, so this is never true"),
    ("rabbitmq", "n IN (1, 'a')", None),
    ("activemq", "convert_string_expressions:n = s", None),
    ("activemq", "n = 5 AND s = 'a'", None),
)


@pytest.mark.parametrize(("dialect", "text", "message"), TYPED)
def test_a_comparison_of_unlike_types_is_warned_of_as_the_broker_takes_it(
    dialect: str, text: str, message: str | None
) -> None:
    found = [
        item for item in transpile_selector(text, COLUMNS, dialect=dialect).diagnostics if item.code == "type.unlike"
    ]
    assert [item.message for item in found] == ([] if message is None else [message])
