"""Each value of each field of a ``Dialect`` changes a result, in the compiler as in the reference evaluator."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.spark_ext.harness import answers, numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import INTERPRETED
from tests.spark_ext.test_own_dialects import questions
from transpiler import Dialect, Message, TranspilerError, parse_selector, transpile_selector
from transpiler.language.selector.broker_dialects import ACTIVEMQ, ARTEMIS, RABBITMQ_JMS
from transpiler.language.selector.dialect_rules import Division, FloatOrder, OperandForm, StaticTyping
from transpiler.language.selector.dialects import JMS
from transpiler.message.receiver import Receiver
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge

NAN = float("nan")


def properties(**values: AmqpValue | None) -> Message:
    return Message(application_properties={name: value for name, value in values.items() if value is not None})


def text(value: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, value)


def number(value: int, kind: AmqpType = AmqpType.LONG) -> AmqpValue:
    return AmqpValue(kind, value)


def double(value: float) -> AmqpValue:
    return AmqpValue(AmqpType.DOUBLE, value)


TRUE, FALSE = AmqpValue(AmqpType.BOOLEAN, True), AmqpValue(AmqpType.BOOLEAN, False)

MESSAGES = (
    properties(s=text("abc"), n=number(5), i=number(7, AmqpType.INT), x=double(2.5), flag=TRUE),
    properties(s=text("x\ny"), n=number(2**63 - 1), i=number(2**31 - 1, AmqpType.INT), x=double(NAN)),
    properties(s=text("é"), n=number(0), i=number(2, AmqpType.SHORT), x=double(-0.0), flag=FALSE),
    properties(
        s=text("a%x"), n=number(5), i=number(5, AmqpType.SHORT), x=double(0.1), f=AmqpValue(AmqpType.FLOAT, 0.1)
    ),
    properties(
        s=text("😀"),
        n=AmqpValue(AmqpType.ULONG, 2**64 - 1),
        x=double(float("inf")),
        b=AmqpValue(AmqpType.BINARY, b"abc"),
        c=AmqpValue(AmqpType.CHAR, "a"),
        t=AmqpValue(AmqpType.TIMESTAMP, 5),
        flag=FALSE,
    ),
    properties(),
)


@dataclass(frozen=True)
class Witness:
    """Selectors whose results differ between the values of a field, in a dialect that is otherwise ``base``."""

    selectors: tuple[str, ...]
    base: Dialect = JMS


ANYTHING = replace(
    JMS, static_typing=StaticTyping.ANY, in_operand_form=OperandForm.ANY, like_operand_form=OperandForm.ANY
)

WITNESSES: dict[str, Witness] = {
    "blank_is_no_selector": Witness((" ",)),
    "identifiers": Witness(("é IS NULL", "a.b IS NULL", "$a IS NULL")),
    "double_quotes": Witness(("\"s\" = 'abc'", 's = "abc"')),
    "reserved_words": Witness(("n = 5 and i = 7", "null = 5 OR n = 5")),
    "comments": Witness(("n = 5 /* five */", "n = 5 -- i\n")),
    "numeric_literals": Witness(
        ("n = 5L", "n = 0x5", "n = 0b101", "n = 5.", "x = 2.5f", "n < 99999999999999999999", "n = 5e0"), ACTIVEMQ
    ),
    "extensions": Witness(
        (
            "n = 5 = TRUE",
            "(s = NULL) IS NULL",
            "n != 5",
            "XPATH 'a'",
            "REGEX('a.c', s)",
            "UTC() > 0",
            "[s] = 'abc'",
            "convert_string_expressions:n = '5'",
            "hyphenated_props:a-b IS NULL",
            "n = 5\v",
            "flag = s IS NULL",
            "no_convert_string_expressions:n = 5",
        ),
        ANYTHING,
    ),
    "not_binding": Witness(("NOT n = 5", "NOT NOT n = 5", "flag = NOT n = 5"), ANYTHING),
    "associativity": Witness(("n - 4 - 3 = -2",)),
    "signs": Witness(("- -n = 5", "+(n) = 5", "-(-n) = 5"), ANYTHING),
    "unary_plus": Witness(("+s = 'abc'",), ANYTHING),
    "static_typing": Witness(("s = 5 OR 'a' = 5", "s > 'a'", "JMSPriority = 'a'", "n + 1")),
    "in_operand_form": Witness(("(s) IN ('abc')", "s + 'a' IN ('abc')"), replace(JMS, static_typing=StaticTyping.ANY)),
    "list_member": Witness(("s IN (('abc'))", "s IN (5)"), ANYTHING),
    "like_operand_form": Witness(
        ("(s) LIKE 'abc'", "s + 'a' LIKE 'abc'"), replace(JMS, static_typing=StaticTyping.ANY)
    ),
    "null_operand_form": Witness(("(s) IS NULL", "s + 'a' IS NULL"), replace(JMS, static_typing=StaticTyping.ANY)),
    "escapes": Witness(
        (
            "s LIKE '!abc' ESCAPE '!'",
            "s LIKE 'abc!' ESCAPE '!'",
            "s LIKE 'abc' ESCAPE '!!'",
            "s LIKE 'abc' ESCAPE ''",
            "s LIKE 'a!%%' ESCAPE '!'",
        )
    ),
    "types": Witness(
        ("i + 2147483647 < 0", "b = 'abc'", "c = 97", "n > 18446744073709551000.0", "t = 5", "x <> 0", "c = 'a'")
    ),
    "fields": Witness(
        (
            "JMSDeliveryMode = 'NON_PERSISTENT'",
            "JMSDestination IS NULL",
            "JMSPriority = 4",
            "JMSRedelivered",
            "AMQPriority = 4",
            "JMSXDeliveryCount = 1",
            "JMSExpiration = 0",
            '"amqp.priority" IS NULL',
            "JMSXGroupSeq = 0",
        ),
        replace(JMS, double_quotes=ARTEMIS.double_quotes),
    ),
    "logic": Witness(
        ("(u = 1 AND n = 4) IS NULL", "(u = 1 OR n = 4) IS NULL"), replace(ANYTHING, null_operand_form=OperandForm.ANY)
    ),
    "evaluation": Witness(
        ("n = 5 OR s LIKE 'a%' OR n LIKE 'a%'",), replace(RABBITMQ_JMS, static_typing=StaticTyping.ANY)
    ),
    "null_equality": Witness(("u = 5", "5 = u", "u = v"), ANYTHING),
    "unlike_types": Witness(("s <> 5",), ANYTHING),
    "numeric_promotion": Witness(
        ("n = i", "x = f", "9007199254740993 > 9007199254740992.0"), replace(ACTIVEMQ, float_order=FloatOrder.IEEE)
    ),
    "float_order": Witness(("x = x",), ANYTHING),
    "ordering": Witness(("s > 'abb'", "flag > s", "flag < TRUE", "'😀' > '\uffff'"), ANYTHING),
    "integer_arithmetic": Witness(
        ("n + 1 > 0", "2147483647 + 1 > 0", "n + n > 0"),
        replace(RABBITMQ_JMS, static_typing=StaticTyping.ANY, types=RABBITMQ_JMS.types, division=Division.DOUBLE),
    ),
    "division": Witness(("n / 2 = 2.5", "n / 0 > 0", "n / 0 = n / 0", "5 / n > 1"), ANYTHING),
    "remainder": Witness(("n % 2 = 1", "x % 2 = 0.5")),
    "not_numbers": Witness(("s + 1 = 'abc1'", "n - s = 1", "NOT (s - 1 = 1)"), ANYTHING),
    "bare_name": Witness(("NOT s",)),
    "between_meaning": Witness(("n NOT BETWEEN 1 AND s", "n BETWEEN 1 AND 9"), ANYTHING),
    "like_not_string": Witness(("NOT (n LIKE 'a')",), ANYTHING),
    "in_not_string": Witness(("n NOT IN ('a')", "n IN ('a')"), ANYTHING),
    "wildcards": Witness(("s LIKE '_'", "s LIKE 'x_y'", "s LIKE 'x%y'", "s LIKE '____'", "s LIKE '__'")),
}
#: Limits that a selector of four operands exceeds, and text fields, on which no result depends.
LIMITS = {"max_length": 3, "max_nesting": 0, "max_terms": 1, "max_tokens": 2}
TEXTS = {"name", "on_throw"}


def test_every_field_has_a_witness() -> None:
    assert {field.name for field in fields(Dialect)} == {*WITNESSES, *LIMITS, *TEXTS}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_kept(name: str) -> None:
    taken = "a = 1 AND (b = 2 OR c = 3)"
    assert parse_selector(taken) is not None
    with pytest.raises(TranspilerError):
        parse_selector(taken, replace(JMS, name="own", **{name: LIMITS[name]}))


def outcome(selector: str, message: Message, dialect: Dialect) -> Any:
    """Return the reference evaluator's result and whether it throws, or "refused" for a rejected selector."""
    try:
        tree = parse_selector(selector, dialect)
    except TranspilerError:
        return "refused"
    verdict = judge(tree, message, dialect, Receiver(0))
    return verdict.truth, verdict.thrown is not None


@pytest.mark.parametrize("name", WITNESSES)
def test_each_value_of_a_field_changes_an_answer_in_both(spark: SparkSession, name: str) -> None:
    witness = WITNESSES[name]
    values = [True, False] if name == "blank_is_no_selector" else dict(questions())[name]
    seen: dict[tuple[Any, ...], object] = {}
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, MESSAGES))
        for value in values:
            dialect = replace(witness.base, name="own", **{name: value})
            try:
                transpile_selector("a = 1", dialect=dialect)
            except TranspilerError as error:
                [finding] = error.diagnostics
                assert finding.code == "dialect.rules"
                assert any(f"(its field {other})" in finding.message for other in WITNESSES)
                continue
            outcomes = [[outcome(selector, message, dialect) for message in MESSAGES] for selector in witness.selectors]
            key = tuple(map(tuple, outcomes))
            assert key not in seen, f"{name}: {value} answers as {seen.get(key)}"
            seen[key] = value
            taken = [number for number, row in enumerate(outcomes) if row[0] != "refused"]
            sqls = [
                transpile_selector(witness.selectors[number], dialect=dialect, result="ternary", now=0).sql
                for number in taken
            ]
            for number_, sql, column in zip(taken, sqls, answers(frame, sqls), strict=True):
                expected = [truth for truth, _ in outcomes[number_]]
                assert column == expected, f"{value}: {witness.selectors[number_]}\n{sql}"
    assert len(seen) > 1
