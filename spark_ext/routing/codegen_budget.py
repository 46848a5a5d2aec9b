"""How much of a query Spark puts into one generated method, of which the JIT takes up to 8,000 bytes.

Fused operators are one method, however long. A projection that has an expression which Spark cannot compile is not
fused with its neighbours, and cut into short methods by itself: with 200 conditions four to five times as fast.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from transpiler import ir
from transpiler.routing.signatures import Signature, columns_in

#: What one generated method may hold, in bytes of bytecode by our reckoning.
METHOD = 7_400

#: Operations of a condition in one method, of up to 40 bytes each: measured over arithmetic in Java's numbers.
OPERATIONS = 150

#: What a walk through a trie takes of it: measured, and rounded up.
WALK_LENGTH = 4_700

#: What it takes of it to hand a value of a map on to another method, in all its types: measured, and rounded up.
READ_LENGTH = 450

#: What it takes of it to put lists of deliveries together: measured, and rounded up.
NESTED_LENGTH = 420


def lookup_length(keys: Iterable[ir.Value], needed: ir.Predicate) -> int:
    """What a look-up takes of a generated method without its tables, in bytes of bytecode: measured, and rounded up."""
    return 80 + sum(map(_key_length, keys)) + _asked_length(needed)


def _key_length(key: ir.Value) -> int:
    fields = sum(len(column.path) - 1 for column in columns_in(key))
    return 90 + 60 * ir.size(key) + 90 * fields


def _asked_length(condition: ir.Predicate) -> int:
    return 0 if condition == ir.TRUE else 22 * ir.size(condition)


def table_length(signature: Signature) -> int:
    """The same of a table; what is asked of the rows found is in methods of its own."""
    if signature.residual == ir.TRUE and signature.guard == ir.TRUE:
        return 100
    return 340 * len(split_by_budget(signature.residual))


def rows_length(rows: int, signature: Signature, guard: ir.Predicate) -> int:
    """The same of a table whose keys have so many rows at most, each in columns of its own."""
    return rows * (180 + 60 * len(signature.types) + _asked_length(guard) + _asked_length(signature.residual))


def split_by_budget(condition: ir.Predicate) -> list[ir.Predicate]:
    """Predicates of which one holds wherever the condition does: as many as it takes for a method to hold each.

    Several may hold in one row. What no OR divides stays whole.
    """
    if ir.size(condition) <= OPERATIONS:
        return [condition]
    longest = max(condition.terms, key=ir.size) if isinstance(condition, ir.And) else condition
    if not isinstance(longest, ir.Or):
        return [condition]
    others = [term for term in condition.terms if term is not longest] if isinstance(condition, ir.And) else []
    room = OPERATIONS - sum(map(ir.size, others))
    groups: list[list[ir.Predicate]] = [[]]
    for term in longest.terms:
        if groups[-1] and sum(map(ir.size, groups[-1])) + ir.size(term) > room:
            groups.append([])
        groups[-1].append(term)
    return [ir.all_of(*others, ir.any_of(*group)) for group in groups]


def columns_length(schema: StructType) -> int:
    """What it takes of a generated method to read and write all columns and their answer: measured, and rounded up."""
    return 620 + sum(_column_length(field.dataType) for field in schema)


def _column_length(column_type: DataType) -> int:
    if isinstance(column_type, MapType | ArrayType):
        return 400
    return 150 + 15 * _leaves(column_type) if isinstance(column_type, StructType) else 60


def _leaves(column_type: DataType) -> int:
    return sum(_leaves(field.dataType) for field in column_type) if isinstance(column_type, StructType) else 1


def codegen_barrier(array: str) -> str:
    """An array as it is, by a function that Spark cannot compile, and that it does not know to do nothing."""
    return f"zip_with({array}, array(), (a, b) -> a)"


def codegen_barrier_column(array: str) -> str:
    """The same of the array in a column, which is computed before, in the method that ends there.

    Spark puts what is named once in the place of its name, where all of it would be interpreted.
    """
    return f"zip_with({array}, {array}, (a, b) -> a)"


def hoist_to_method(text: str) -> str:
    """An array as it is, computed in a method of its own: what Spark meets twice it computes first, and apart.

    HotSpot gives up on inlining in a long method, so that it is slow even where it is compiled.
    """
    return f"coalesce({text}, {text})"
