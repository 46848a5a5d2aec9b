"""Texts of selectors as patterns: which constants have one form, and which conditions have an index of ranges."""

from __future__ import annotations

import pytest

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, STRING
from transpiler.compiler.presets import find_layout
from transpiler.language.selector.dialect_rules import IntegerArithmetic
from transpiler.language.selector.dialects import DIALECTS
from transpiler.routing.interval_index import find_interval
from transpiler.routing.parameterize import SelectorParameterizer
from transpiler.routing.signatures import Signature, parameter

#: Dialects in which an integer has 32 bits or 64, by its size, and a sum wraps.
WRAPPING = [dialect for dialect in DIALECTS.values() if dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT]


@pytest.mark.parametrize("dialect", WRAPPING, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("1", "999999999", True),
        ("1000000000", "2147483647", True),
        ("2147483647", "2147483648", False),
        ("1000000000", "9999999999", False),
        ("2147483648", "4294967296", True),
    ],
)
def test_integers_of_one_width_have_one_pattern(dialect: object, first: str, second: str, alike: bool) -> None:
    """``2147483647 + a`` wraps in 32 bits, and ``2147483648 + a`` does not: no pattern serves both."""
    patterns = SelectorParameterizer(find_layout("a INT, b INT"), dialect, "null")  # type: ignore[arg-type]
    predicates = [patterns.pattern(f"a + {number} > b")[0].predicate for number in (first, second)]
    assert (predicates[0] == predicates[1]) is alike


A, B, TEXT = ir.Column(("a",), BIGINT), ir.Column(("b",), BIGINT), ir.Column(("c",), STRING)
IS_X, IS_Y = (ir.Compare(Comparison.EQ, TEXT, ir.constant(text)) for text in "xy")
ABOVE = ir.Compare(Comparison.GT, A, parameter(0, BIGINT))
BELOW = ir.Compare(Comparison.LT, A, parameter(1, BIGINT))


@pytest.mark.parametrize(
    ("residual", "has_interval"),
    [
        (ABOVE, True),
        (ir.any_of(ABOVE, ir.Compare(Comparison.GT, B, parameter(0, BIGINT))), True),
        (ir.any_of(ir.all_of(ABOVE, BELOW), ir.Compare(Comparison.GT, B, parameter(0, BIGINT))), True),
        # A value counts where the conditions on the message beside its bound hold.
        (ir.any_of(ir.all_of(IS_X, ABOVE), ir.all_of(IS_Y, ir.Compare(Comparison.GT, B, parameter(0, BIGINT)))), True),
        # A message may be in the other part alone: ranges of one value would leave its rows out.
        (ir.any_of(ABOVE, ir.Compare(Comparison.LT, B, parameter(1, BIGINT))), False),
        (ir.any_of(ABOVE, ir.Compare(Comparison.GT, B, parameter(1, BIGINT))), False),
        (ir.any_of(ABOVE, IS_X), False),
        (ir.any_of(IS_X, ABOVE), False),
    ],
)
def test_alternatives_have_ranges_if_all_of_them_are_bounded_by_one_constant(
    residual: ir.Predicate, has_interval: bool
) -> None:
    signature = Signature((), (), ir.TRUE, residual, (BIGINT, BIGINT))
    assert (find_interval(signature) is not None) is has_interval
