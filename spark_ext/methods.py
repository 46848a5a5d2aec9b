"""How much of a query Spark puts into one generated method, of which the JIT takes up to 8,000 bytes.

Fused operators are one method, however long. A projection that has an expression which Spark cannot compile is not
fused with its neighbours, and cut into short methods by itself: with 200 conditions four to five times as fast.
"""

from __future__ import annotations

from transpiler.predicate.core import TRUE
from transpiler.predicate.walk import size
from transpiler.routing.program import Table

#: What one generated method may hold, in bytes of bytecode by our reckoning.
METHOD = 6_500

#: What a walk through a trie takes, in bytes of bytecode: measured, and rounded up.
WALK_LENGTH = 6_500


def look_up_length(table: Table) -> int:
    """What a look-up takes of a generated method, in bytes of bytecode: measured, and rounded up."""
    shape = table.shape
    guard = 0 if shape.guard == TRUE else 40 * size(shape.guard)
    return 300 + 250 * len(shape.keys) + guard + (0 if shape.residual == TRUE else 400 + 40 * size(shape.residual))


def unfused(array: str) -> str:
    """An array as it is, by a function that Spark cannot compile, and that it does not know to do nothing."""
    return f"zip_with({array}, array(), (a, b) -> a)"
