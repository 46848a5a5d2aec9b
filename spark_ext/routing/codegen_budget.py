"""Budget of bytecode in one method that Spark generates: the JIT compiles none of more than 8,000 bytes.

Fused operators are one method, however long. A projection that has an expression which Spark cannot compile is not
fused with its neighbours but divided into short methods: with 200 conditions four to five times as fast.
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

#: Bytes of a walk through a trie: measured, and rounded up.
WALK_LENGTH = 4_700

#: Bytes for handing a value of a map on to another method, in all its types: measured, and rounded up.
READ_LENGTH = 450

#: Bytes for concatenating lists of deliveries: measured, and rounded up.
NESTED_LENGTH = 420


def lookup_length(keys: Iterable[ir.Value], needed: ir.Predicate) -> int:
    """Estimate the bytes of a look-up without its tables: measured, and rounded up."""
    return 80 + sum(map(_key_length, keys)) + _condition_length(needed)


def _key_length(key: ir.Value) -> int:
    fields = sum(len(column.path) - 1 for column in columns_in(key))
    return 90 + 60 * ir.size(key) + 90 * fields


def _condition_length(condition: ir.Predicate) -> int:
    return 0 if condition == ir.TRUE else 22 * ir.size(condition)


def table_length(signature: Signature) -> int:
    """Estimate the bytes of a table; the tests of the matched rows are in methods of their own."""
    if signature.residual == ir.TRUE and signature.guard == ir.TRUE:
        return 100
    return 340 * len(split_by_budget(signature.residual))


def rows_length(rows: int, signature: Signature, guard: ir.Predicate) -> int:
    """Estimate the bytes of a table whose keys have so many rows at most, each in columns of its own."""
    return rows * (180 + 60 * len(signature.types) + _condition_length(guard) + _condition_length(signature.residual))


def split_by_budget(condition: ir.Predicate) -> list[ir.Predicate]:
    """Split a condition into predicates whose disjunction it is, each short enough for one method.

    Several may hold in one row. A condition without OR stays whole.
    """
    if ir.size(condition) <= OPERATIONS:
        return [condition]
    longest = max(condition.terms, key=ir.size) if isinstance(condition, ir.And) else condition
    if not isinstance(longest, ir.Or):
        return [condition]
    others = [term for term in condition.terms if term is not longest] if isinstance(condition, ir.And) else []
    room = OPERATIONS - sum(map(ir.size, others))
    if 2 * room < OPERATIONS:
        # The other terms would be tested again with each part.
        return [condition]
    groups: list[list[ir.Predicate]] = [[]]
    for term in longest.terms:
        if groups[-1] and sum(map(ir.size, groups[-1])) + ir.size(term) > room:
            groups.append([])
        groups[-1].append(term)
    return [ir.all_of(*others, ir.any_of(*group)) for group in groups]


def columns_length(schema: StructType) -> int:
    """Estimate the bytes for reading all columns and writing them with the answer: measured, and rounded up."""
    return 620 + sum(_column_length(field.dataType) for field in schema)


def _column_length(column_type: DataType) -> int:
    if isinstance(column_type, MapType | ArrayType):
        return 400
    return 150 + 15 * _leaves(column_type) if isinstance(column_type, StructType) else 60


def _leaves(column_type: DataType) -> int:
    return sum(_leaves(field.dataType) for field in column_type) if isinstance(column_type, StructType) else 1


def codegen_barrier(array: str) -> str:
    """Return an array unchanged, by a function that Spark cannot compile and does not know to be the identity."""
    return f"zip_with({array}, array(), (a, b) -> a)"


def codegen_barrier_column(array: str) -> str:
    """Return the array of a column unchanged, which is computed before, in the method that ends there.

    Spark inlines an expression that is used once, and here all of it would be interpreted.
    """
    return f"zip_with({array}, {array}, (a, b) -> a)"


def hoist_to_method(text: str) -> str:
    """Compute an array in a method of its own, as Spark does with any common subexpression.

    HotSpot gives up on inlining in a long method, so that it is slow even where it is compiled.
    """
    return f"coalesce({text}, {text})"
