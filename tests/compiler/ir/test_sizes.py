"""The size of a predicate as text: a subexpression that the SQL contains several times counts each time."""

from __future__ import annotations

from itertools import product

import pytest

from transpiler import UnsupportedFeatureError, transpile_selector
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BINARY, DOUBLE, STRING, VARIANT, ColumnType, SparkType
from transpiler.compiler.sql import emit_filter
from transpiler.language.selector.dialects import DIALECTS

WALL_CLOCK = ColumnType(SparkType.TIMESTAMP_NTZ)
#: The argument types of each function. Functions that are not listed have two numbers.
TYPES: dict[ir.Function, tuple[ColumnType, ...]] = {
    ir.Function.MILLISECONDS: (WALL_CLOCK,),
    **{function: (STRING,) for function in ir.Function if "ENCODED" in function.name},
    ir.Function.REPLACE: (STRING, STRING, STRING),
    **dict.fromkeys((ir.Function.LEFT, ir.Function.RIGHT), (STRING, BIGINT)),
    **dict.fromkeys((ir.Function.CONCATENATE, ir.Function.ADDRESS), (STRING, STRING)),
    **dict.fromkeys(
        (
            ir.Function.TO_DOUBLE,
            ir.Function.TO_LONG,
            ir.Function.NEGATE,
            ir.Function.NEXT,
            ir.Function.FOLDED,
            ir.Function.TO_FLOAT,
            ir.Function.TO_DECIMAL,
            ir.Function.EXACT_DECIMAL,
            ir.Function.FINITE,
            ir.Function.NUMBER_OR_NULL,
            ir.Function.SIGNED_TEXT,
            ir.Function.TEXT_OF_FLOAT,
            ir.Function.ULONG_ID,
            ir.Function.PREFIXED_ULONG,
        ),
        (DOUBLE,),
    ),
    **dict.fromkeys((ir.Function.PREFIXED_UUID, ir.Function.PREFIXED_BINARY), (BINARY,)),
    **dict.fromkeys((ir.Function.DECODED, ir.Function.TEXT, ir.Function.UUID_ID, ir.Function.BINARY_ID), (BINARY,)),
    **dict.fromkeys(
        (
            ir.Function.BY_BYTES,
            ir.Function.UNPADDED,
            ir.Function.WITHOUT_TRAILING_DOTS,
            ir.Function.MEDIA_TYPE,
            ir.Function.STRING_MESSAGE_ID,
            ir.Function.PREFIXED_STRING,
            ir.Function.STRING_CORRELATION_ID,
            ir.Function.UTF16,
            ir.Function.OCTETS,
            ir.Function.TEXT_OF_BYTES,
            ir.Function.UNHEX,
            ir.Function.VALID,
            ir.Function.TEXT_OF_UUID,
            ir.Function.JAVA_TEXT,
            ir.Function.ISO_TIME,
            ir.Function.CODE_POINT,
            ir.Function.BEFORE_NUL,
            ir.Function.READ_LONG,
            ir.Function.READ_DOUBLE,
            ir.Function.READ_FLOAT,
            ir.Function.LOWER,
            ir.Function.TRY_CAST,
            ir.Function.NUMBER_IN_TEXT,
            ir.Function.TRIMMED,
            ir.Function.BLANKS_WIDENED,
            ir.Function.MILLISECONDS_OF_ANY,
            ir.Function.FROM_BASE64,
            ir.Function.PARSE_JSON,
        ),
        (STRING,),
    ),
    ir.Function.VARIANT_TYPE: (VARIANT,),
    ir.Function.VARIANT_GET: (VARIANT, STRING),
    ir.Function.CAST_VARIANT: (VARIANT,),
    ir.Function.TEXT_OF_OCTETS: (ColumnType(SparkType.INT_ARRAY),),
}


@pytest.mark.parametrize(
    "function", [item for item in ir.Function if item not in (ir.Function.NOW, ir.Function.MOMENT)]
)
def test_a_function_says_how_often_its_text_has_each_argument(function: ir.Function) -> None:
    found: list[int] = []
    for types in [TYPES[function]] if function in TYPES else product((BIGINT, DOUBLE), repeat=2):
        columns = tuple(ir.Column((f"argument{index}",), kind) for index, kind in enumerate(types))
        text = emit_filter(ir.Compare(Comparison.EQ, ir.Apply(function, columns, columns[0].type), ir.constant(1)))
        times = [text.count(column.path[0]) for column in columns]
        found = [max(pair) for pair in zip(times, found or times, strict=True)]
    assert found == list(function.mentions or (1,) * len(found))


def test_parts_that_are_shared_count_as_often_as_they_are_written() -> None:
    value = ir.Column(("a",), DOUBLE)
    sizes = []
    for _ in range(3):
        value = ir.Apply(ir.Function.DIVIDE, (value, value), DOUBLE)
        sizes.append(ir.size(value))
    assert sizes == [1 + 2 + 2, 1 + 4 * 5, 1 + 4 * 21]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chain_of_operations_is_refused_where_it_grows_too_large(dialect: str) -> None:
    chain = " / ".join(f"p{index}" for index in range(30))
    text = f"a = 1 AND {chain} > 0"
    with pytest.raises(UnsupportedFeatureError) as refused:
        transpile_selector(text, dialect=dialect)
    [finding] = refused.value.diagnostics
    assert finding.code == "limit.size"
    assert finding.span is not None
    too_large = text[finding.span.start : finding.span.end]
    assert too_large.count("/") > 3
    assert too_large in chain
    assert too_large != chain


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("operator", ["+", "-", "*"])
def test_five_operands_are_no_text_of_megabytes(dialect: str, operator: str) -> None:
    text = f" {operator} ".join(f"p{index}" for index in range(5)) + " > 0"
    assert len(transpile_selector(text, dialect=dialect).sql) < 60_000


def test_the_default_dialect_says_a_sum_in_few_words() -> None:
    text = " + ".join(f"p{index}" for index in range(10)) + " > 0"
    assert len(transpile_selector(text).sql) < 16_000
