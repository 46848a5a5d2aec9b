"""Budget of bytecode for one generated method: the JIT compiler does not compile methods of more than 8,000 bytes.

Spark generates one method for fused operators, however long. A projection with an expression that Spark cannot compile
is not fused with its neighbours, and Spark divides it into short methods. With 200 conditions this is four to five
times as fast.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from spark_ext.routing import tuning
from transpiler.compiler import ir
from transpiler.routing.signatures import Signature


def lookup_length(keys: Iterable[ir.Value]) -> int:
    """Estimate the size of the bytecode that computes the keys of one lookup, in bytes."""
    return tuning.LOOKUP + sum(map(_key_length, keys))


def _key_length(key: ir.Value) -> int:
    fields = sum(len(column.path) - 1 for column in ir.columns_in(key))
    return tuning.KEY + tuning.KEY_OPERATION * ir.size(key) + tuning.KEY_FIELD * fields


def table_length(signature: Signature) -> int:
    """Estimate the size of the generated code that reads a constant table, in bytes of bytecode.

    The methods that test the rows of the table are separate, and not included.
    """
    if signature.residual == ir.TRUE and signature.guard == ir.TRUE:
        return tuning.TABLE
    return tuning.TESTED_TABLE * len(split_by_budget(signature.residual))


def split_by_budget(condition: ir.Predicate) -> list[ir.Predicate]:
    """Split ``condition`` into predicates that are each short enough for one method; their disjunction is equivalent.

    Several of them may hold for the same row. A condition without OR is not split.
    """
    if ir.size(condition) <= tuning.OPERATIONS:
        return [condition]
    longest = max(condition.terms, key=ir.size) if isinstance(condition, ir.And) else condition
    if not isinstance(longest, ir.Or):
        return [condition]
    others = [term for term in condition.terms if term is not longest] if isinstance(condition, ir.And) else []
    room = tuning.OPERATIONS - sum(map(ir.size, others))
    if 2 * room < tuning.OPERATIONS:
        # Do not split the OR: each part would repeat the terms beside it, and these terms already take most of the
        # budget.
        return [condition]
    groups: list[list[ir.Predicate]] = [[]]
    for term in longest.terms:
        if groups[-1] and sum(map(ir.size, groups[-1])) + ir.size(term) > room:
            groups.append([])
        groups[-1].append(term)
    return [ir.all_of(*others, ir.any_of(*group)) for group in groups]


def columns_length(schema: StructType) -> int:
    """Estimate the size of bytecode that reads the columns of ``schema`` and writes them with the result, in bytes."""
    return tuning.MESSAGE + sum(_column_length(field.dataType) for field in schema)


def _column_length(column_type: DataType) -> int:
    if isinstance(column_type, MapType | ArrayType):
        return tuning.COLLECTION
    if isinstance(column_type, StructType):
        return tuning.STRUCT + tuning.LEAF * _leaves(column_type)
    return tuning.COLUMN


def _leaves(column_type: DataType) -> int:
    return sum(_leaves(field.dataType) for field in column_type) if isinstance(column_type, StructType) else 1
