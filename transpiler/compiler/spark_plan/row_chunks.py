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
    """Divide ``rows`` into chunks of consecutive ranges; return no chunks if a constant is no bound.

    A message is first compared with the bounds of each chunk, so that it is compared with about twice the square root
    of the number of rows.
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
    """Return ``min`` or ``max``, which chooses the loosest bound, for each constant of a row.

    Return None if a constant is compared for equality, or is neither a BIGINT nor a DOUBLE.
    """
    choices: dict[int, _Choice] = {}
    for inner in ir.descendants(predicate):
        match inner:
            case ir.Compare(operator=operator, right=ir.RowParameter(index=index, type=column_type)):
                if operator.is_equality or column_type not in (BIGINT, DOUBLE):
                    return None
                choices[index] = min if operator in (Comparison.GT, Comparison.GE) else max
            case _:
                # The constants of a row are only in comparisons, which AND, OR and Coalesce join. So a row within
                # looser bounds is tested wherever one of the chunk's rows would hold.
                pass
    return tuple(choices[index] for index in sorted(choices))
