"""Long lists of ranges in chunks, each behind the loosest of its bounds."""

from __future__ import annotations

import math
from collections.abc import Callable

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import SparkType
from transpiler.compiler.spark_plan import tuning
from transpiler.language.selector.ast import Comparison

_ORDERED = (SparkType.BIGINT, SparkType.DOUBLE)


def chunks(predicate: ir.Predicate, rows: tuple[ir.Row, ...]) -> tuple[tuple[ir.Row, tuple[ir.Row, ...]], ...]:
    """Divide a long list of ranges into chunks, each behind the loosest of its bounds, which all its rows imply.

    A message is compared with about twice the square root of the rows. Empty where the predicate is more than bounds.
    """
    orders = _orders(predicate)
    if len(rows) < tuning.CHUNKED_ROWS or orders is None:
        return ()
    length = math.isqrt(len(rows))
    ordered = sorted(rows, key=lambda row: tuple(constant.value for constant in row))
    blocks = []
    for start in range(0, len(ordered), length):
        chunk = tuple(ordered[start : start + length])
        columns = zip(*chunk, strict=True)
        loosest = tuple(
            choose(column, key=lambda constant: constant.value) for choose, column in zip(orders, columns, strict=True)
        )
        blocks.append((loosest, chunk))
    return tuple(blocks)


_Choice = Callable[..., ir.Constant]


def _orders(node: ir.Predicate) -> tuple[_Choice, ...] | None:
    """Return the choice of the loosest constant for each cell, ``min`` or ``max``; None where a cell has no order."""
    choices: dict[int, _Choice] = {}
    for inner in ir.descendants(node):
        match inner:
            case ir.Compare(operator=operator, right=ir.RowParameter(place=place, type=cell_type)):
                if operator.is_equality or cell_type.kind not in _ORDERED:
                    return None
                choices[place] = min if operator in (Comparison.GT, Comparison.GE) else max
            case _:
                pass
    return tuple(choices[place] for place in sorted(choices))
