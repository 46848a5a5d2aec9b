"""How large a predicate becomes as text: what stands in it several times counts as often."""

from __future__ import annotations

from itertools import product

import pytest

from transpiler import UnsupportedFeatureError, transpile_selector
from transpiler.ir.functions import MENTIONS, Function
from transpiler.ir.nodes import Apply, Column, Compare, constant
from transpiler.ir.traversal import size
from transpiler.layouts.columns import BIGINT, BINARY, DOUBLE, STRING, ColumnType, Kind
from transpiler.selector.ast import Comparison
from transpiler.selector.dialects import DIALECTS
from transpiler.sql import emit_filter

WALL_CLOCK = ColumnType(Kind.TIMESTAMP_NTZ)
#: What each function is applied to; all others take two numbers.
TYPES: dict[Function, tuple[ColumnType, ...]] = {
    Function.MILLISECONDS: (WALL_CLOCK,),
    Function.REPLACE: (STRING, STRING, STRING),
    **dict.fromkeys((Function.LEFT, Function.RIGHT), (STRING, BIGINT)),
    **dict.fromkeys((Function.CONCATENATE, Function.ADDRESS), (STRING, STRING)),
    **dict.fromkeys(
        (
            Function.TO_DOUBLE,
            Function.CUT_OFF,
            Function.TO_LONG,
            Function.NEGATE,
            Function.NEXT,
            Function.FOLDED,
            Function.TO_FLOAT,
            Function.TO_DECIMAL,
            Function.EXACT_DECIMAL,
            Function.FINITE,
            Function.SIGNED_TEXT,
            Function.TEXT_OF_FLOAT,
            Function.ULONG_ID,
        ),
        (DOUBLE,),
    ),
    **dict.fromkeys((Function.DECODED, Function.TEXT, Function.UUID_ID, Function.BINARY_ID), (BINARY,)),
    **dict.fromkeys(
        (
            Function.BY_BYTES,
            Function.UNPADDED,
            Function.WITHOUT_TRAILING_DOTS,
            Function.MEDIA_TYPE,
            Function.STRING_MESSAGE_ID,
            Function.STRING_CORRELATION_ID,
            Function.UTF16,
            Function.OCTETS,
            Function.TEXT_OF_BYTES,
            Function.UNHEX,
            Function.VALID,
            Function.TEXT_OF_UUID,
            Function.JAVA_TEXT,
            Function.CODE_POINT,
            Function.BEFORE_NUL,
            Function.READ_LONG,
            Function.READ_DOUBLE,
            Function.LOWER,
        ),
        (STRING,),
    ),
}


@pytest.mark.parametrize("function", [item for item in Function if item not in (Function.NOW, Function.MOMENT)])
def test_a_function_says_how_often_its_text_has_each_argument(function: Function) -> None:
    found: list[int] = []
    for types in [TYPES[function]] if function in TYPES else product((BIGINT, DOUBLE), repeat=2):
        columns = tuple(Column((f"argument{place}",), kind) for place, kind in enumerate(types))
        text = emit_filter(Compare(Comparison.EQ, Apply(function, columns, columns[0].type), constant(1)))
        times = [text.count(column.path[0]) for column in columns]
        found = [max(pair) for pair in zip(times, found or times, strict=True)]
    assert found == list(MENTIONS.get(function, (1,) * len(found)))


def test_parts_that_are_shared_count_as_often_as_they_are_written() -> None:
    value = Column(("a",), DOUBLE)
    sizes = []
    for _ in range(3):
        value = Apply(Function.DIVIDE, (value, value), DOUBLE)
        sizes.append(size(value))
    assert sizes == [1 + 2 + 2, 1 + 4 * 5, 1 + 4 * 21]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chain_of_operations_is_refused_where_it_grows_too_large(dialect: str) -> None:
    chain = " / ".join(f"p{place}" for place in range(30))
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
    text = f" {operator} ".join(f"p{place}" for place in range(5)) + " > 0"
    assert len(transpile_selector(text, dialect=dialect).sql) < 60_000


def test_the_default_dialect_says_a_sum_in_few_words() -> None:
    text = " + ".join(f"p{place}" for place in range(10)) + " > 0"
    assert len(transpile_selector(text).sql) < 16_000
