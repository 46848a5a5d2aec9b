"""Divisions by zero in comparisons of constants: Spark agrees with the reference evaluator in every dialect."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from spark_ext import create_messages, infer_layout
from tests.compiler.layouts.written_rows import row_of
from tests.sizes import sample, size
from tests.spark_ext.harness import answers, numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import INTERPRETED, PHASES
from tests.spark_ext.test_dialect_agreement import takes
from transpiler import Message, parse_selector, print_selector, transpile_selector
from transpiler.base.comparison import Comparison
from transpiler.compiler.layouts.layout import Layout
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS, find_dialect
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge

#: Numbers of selectors and of examples. They are small because analysing the brokers' long SQL takes most of the time.
SELECTORS = size(2, 6)
EXAMPLES = size(1, 2)

#: Integers whose sums, differences and products are often zero, and the limits of each width.
_WHOLE = (0, 1, -1, 2, 4, 5, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
_FLOATS = (0.0, -0.0, 1.0, 0.5, -1.0)
_OPERATORS = (ast.Arithmetic.DIVIDE, *(operator for operator in ast.Arithmetic))


def _literals() -> st.SearchStrategy[ast.Expression]:
    return st.one_of(st.sampled_from(_WHOLE).map(ast.IntegerLiteral), st.sampled_from(_FLOATS).map(ast.FloatLiteral))


def _arithmetic(leaves: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(ast.Calculate, st.sampled_from(_OPERATORS), inner, inner),
            st.builds(ast.Sign, st.sampled_from((ast.Arithmetic.SUBTRACT, ast.Arithmetic.ADD)), inner),
        ),
        max_leaves=4,
    )


def selectors(names: tuple[str, ...]) -> st.SearchStrategy[ast.Expression]:
    """Return a strategy for comparisons of arithmetic over properties with arithmetic over constants."""
    constants = _arithmetic(_literals())
    quotients = st.builds(
        ast.Calculate,
        st.just(ast.Arithmetic.DIVIDE),
        _arithmetic(st.one_of(st.sampled_from(names).map(ast.Identifier), _literals())),
        _arithmetic(st.one_of(st.sampled_from(names).map(ast.Identifier), _literals())),
    )
    compared = st.builds(ast.Compare, st.sampled_from(Comparison), quotients, st.one_of(constants, quotients))
    exchanged = st.builds(ast.Compare, st.sampled_from(Comparison), constants, quotients)
    between = st.builds(ast.Between, quotients, constants, constants, st.booleans())
    tests = st.one_of(compared, compared, exchanged, between)
    return st.one_of(
        tests,
        tests.map(ast.Not),
        st.tuples(tests, tests).map(ast.And),
        st.tuples(tests, tests).map(ast.Or),
        st.builds(ast.IsNull, quotients, st.booleans()),
    )


def assert_agreement(
    frame: object, layout: Layout | str, dialect: str, texts: list[str], messages: list[Message]
) -> None:
    rules = find_dialect(dialect)
    wanted = [[judge(parse_selector(text, dialect), message, rules).truth for message in messages] for text in texts]
    sqls = [transpile_selector(text, layout, dialect=dialect, result="ternary", missing="null").sql for text in texts]
    for text, sql, truths, column in zip(texts, sqls, wanted, answers(frame, sqls), strict=True):  # type: ignore[arg-type]
        assert column == truths, f"{dialect}: {text}\n{sql}"


def _accepted(trees: list[ast.Expression], dialect: str) -> list[str]:
    texts = [print_selector(tree, dialect) for tree in trees]
    return [text for text in texts if takes(text, dialect)]


#: Values of ``n``; every third of them is also a value of ``x``. Every pair is a message.
_CANONICAL = (
    *(AmqpValue(AmqpType.LONG, number) for number in (0, 1, -1, 2**63 - 1, -(2**63))),
    *(AmqpValue(AmqpType.INT, number) for number in (0, -1)),
    *(AmqpValue(AmqpType.ULONG, number) for number in (0, 2**64 - 1)),
    *(AmqpValue(AmqpType.DOUBLE, number) for number in (0.0, -0.0, 1.0, float("nan"), float("inf"))),
    AmqpValue(AmqpType.FLOAT, 0.0),
    AmqpValue(AmqpType.BYTE, 0),
    AmqpValue(AmqpType.STRING, "0"),
    AmqpValue(AmqpType.BOOLEAN, False),
    None,
)


def _canonical() -> list[Message]:
    found = []
    for index, (n, x) in enumerate(sample(product(_CANONICAL, _CANONICAL[::3]), 41)):
        properties = {name: value for name, value in (("n", n), ("x", x)) if value is not None}
        header = Header(priority=(None, 0, 4, 9)[index % 4], delivery_count=(None, 0, 1)[index % 3])
        fields = Properties(creation_time=(None, 0, 1000)[index % 3], group_sequence=(None, 0, 1)[index % 3])
        found.append(Message(header=header, properties=fields, application_properties=properties))
    return found


NAMES = ("n", "x", "n", "x", "JMSPriority", "JMSTimestamp", "JMSXGroupSeq", "JMSXDeliveryCount")


#: Header fields are integers of the dialect's own width, whatever type their table has.
OF_HEADERS = (
    "(JMSPriority / (-1 - n)) <> 2147483647 * 0",
    "JMSPriority / JMSPriority = 1",
    "NOT (JMSTimestamp / (JMSPriority - 4) = 0 * 5)",
    "-JMSPriority / (n - n) < 2147483647 + 2",
)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_header_field_divides_and_is_divided_by_zero(spark: SparkSession, dialect: str) -> None:
    texts = [text for text in OF_HEADERS if takes(text, dialect)]
    assert len(texts) == len(OF_HEADERS)
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, _canonical()))
        assert_agreement(frame, "amqp", dialect, texts, _canonical())


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_a_division_by_zero_means_the_same_on_the_canonical_layout(
    spark: SparkSession, dialect: str, data: st.DataObject
) -> None:
    trees = data.draw(st.lists(selectors(NAMES), min_size=SELECTORS, max_size=SELECTORS))
    with spark_settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, _canonical()))
        assert_agreement(frame, "amqp", dialect, _accepted(trees, dialect), _canonical())


#: Typed columns: the Spark type, the AMQP type, and the values.
_COLUMNS: dict[str, tuple[str, AmqpType, tuple[float | None, ...]]] = {
    "b": ("tinyint", AmqpType.BYTE, (0, 1, None)),
    "i": ("int", AmqpType.INT, (0, -1, 1, -(2**31))),
    "n": ("bigint", AmqpType.LONG, (0, 1, -1, 2, -(2**63), None)),
    "f": ("float", AmqpType.FLOAT, (0.0, 1.5)),
    "x": ("double", AmqpType.DOUBLE, (0.0, -0.0, 1.0, float("nan"), float("inf"), None)),
}


def _typed() -> list[Message]:
    rows = sample(product(*(values for _, _, values in _COLUMNS.values())), 97)
    return [
        Message(
            application_properties={
                name: AmqpValue(kind, value)
                for (name, (_, kind, _)), value in zip(_COLUMNS.items(), row, strict=True)
                if value is not None
            }
        )
        for row in rows
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_a_division_by_zero_means_the_same_on_typed_columns(
    spark: SparkSession, dialect: str, data: st.DataObject
) -> None:
    trees = data.draw(st.lists(selectors((*_COLUMNS, "missing")), min_size=SELECTORS, max_size=SELECTORS))
    schema = StructType.fromDDL(", ".join(f"{name} {column}" for name, (column, _, _) in _COLUMNS.items()))
    layout = infer_layout(schema)
    with spark_settings(spark, INTERPRETED):
        frame = numbered(spark.createDataFrame([row_of(layout, message) for message in _typed()], schema))
        assert_agreement(frame, layout, dialect, _accepted(trees, dialect), _typed())
