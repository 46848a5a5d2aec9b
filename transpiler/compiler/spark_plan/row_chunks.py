"""Division of a long list of ranges into chunks, each preceded by the loosest bounds of its ranges.

This module exists only for speed: without it, a message is compared with every range.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE
from transpiler.compiler.spark_plan import tuning


def row_chunks(predicate: ir.Predicate, rows: tuple[ir.Row, ...]) -> tuple[ir.Chunk, ...]:
    """Sort ``rows`` and divide them into chunks; return an empty tuple if they are few, or are not ranges of numbers.

    Spark compares a value first with the bounds of each chunk, and then only with the rows of the chunks whose bounds
    include the value. For n ranges that do not overlap, these are about twice the square root of n comparisons.
    """
    choices = _loosest_choices(predicate)
    if len(rows) < tuning.MIN_CHUNKED or choices is None:
        return ()
    ordered = sorted(rows, key=lambda row: tuple(constant.value for constant in row))
    length = math.isqrt(len(rows))
    chunks = []
    for start in range(0, len(ordered), length):
        chunk = tuple(ordered[start : start + length])
        bounds = tuple(
            choose(column, key=lambda constant: constant.value)
            for choose, column in zip(choices, zip(*chunk, strict=True), strict=True)
        )
        chunks.append((bounds, chunk))
    return tuple(chunks)


_Choice = Callable[..., ir.Constant]


def _loosest_choices(predicate: ir.Predicate) -> tuple[_Choice, ...] | None:
    """Return for each constant of a row the function that chooses the loosest of several bounds: ``min`` or ``max``.

    Lower bounds have ``min``, and upper bounds ``max``. Return None if ``predicate`` compares a constant for equality,
    or if a constant is neither a BIGINT nor a DOUBLE. ``predicate`` contains constants of the row only in comparisons
    joined by AND, OR and Coalesce, so it holds for looser bounds wherever it holds for a row.
    """
    choices: dict[int, _Choice] = {}
    for inner in ir.descendants(predicate):
        if isinstance(inner, ir.Compare) and isinstance(inner.right, ir.RowParameter):
            if inner.operator.is_equality or inner.right.type not in (BIGINT, DOUBLE):
                return None
            choices[inner.right.index] = min if inner.operator in (Comparison.GT, Comparison.GE) else max
    return tuple(choices[index] for index in sorted(choices))
