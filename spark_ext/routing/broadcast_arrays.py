"""Constant arrays that each executor has once: a literal goes with every task, and each task reads its own copy of it.

The arrays are one row of Spark's, in a broadcast variable. ``Invoke``, the expression with which Spark's encoders call
methods of objects, gets the row out of the variable and an array out of the row; both are references. Spark folds an
``Invoke`` of constants into a literal where it trusts the type of the answer, and it does not trust objects: the row.

Deliberately not here: Spark Connect, which has no such expressions, and a Spark whose expressions are others, which a
trial shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import DataType, StructType

from spark_ext.routing.session_trials import is_possible


def has_broadcast_columns(session: SparkSession) -> bool:
    """Return True if ``broadcast_columns`` can be had in a session."""
    return is_possible(session, _tried)


def broadcast_columns(row: DataFrame, schema: StructType) -> dict[str, Column]:
    """Return the columns of a table of one row, arrays and structs, as constants of other queries."""
    session = row.sparkSession
    jvm: Any = session._jvm
    [collected] = row._jdf.queryExecution().executedPlan().executeCollect()
    variable = session.sparkContext._jsc.broadcast(collected)
    expressions, types = jvm.org.apache.spark.sql.catalyst.expressions, jvm.org.apache.spark.sql.types

    def sequence(items: Sequence[Any]) -> Any:
        return jvm.org.apache.spark.api.python.PythonUtils.toSeq(list(items))

    def number(value: int) -> Any:
        return expressions.Literal(value, types.DataType.fromJson('"integer"'))

    def call(target: Any, method: str, answer: Any, arguments: Sequence[Any] = ()) -> Any:
        # No types of arguments; NULL arguments give NULL; the answer may be NULL; it is the same each time.
        options = sequence([]), True, True, True
        return expressions.objects.Invoke(target, method, answer, sequence(arguments), *options)

    held = expressions.Literal(variable, types.ObjectType(variable.getClass()))
    value = call(held, "value", types.ObjectType(collected.getClass()))

    def column(place: int, data_type: DataType) -> Column:
        answer = types.DataType.fromJson(data_type.json())
        if isinstance(data_type, StructType):
            taken = call(value, "getStruct", answer, [number(place), number(len(data_type))])
        else:
            taken = call(value, "getArray", answer, [number(place)])
        return _column(jvm.org.apache.spark.sql.classic.ExpressionUtils.column(taken))

    return {field.name: column(place, field.dataType) for place, field in enumerate(schema)}


def _column(made: Any) -> Column:
    # Not at the top: Spark Connect has no such module.
    from pyspark.sql.classic.column import Column as ClassicColumn

    return ClassicColumn(made)


def _tried(session: SparkSession) -> bool:
    row = session.createDataFrame([([3, 5], ("a",))], "x ARRAY<INT>, y STRUCT<z: STRING>")
    columns = broadcast_columns(row, row.schema)
    answers = session.range(2).select(sf.get(columns["x"], sf.col("id").cast("int")), columns["y"]["z"]).collect()
    return sorted(map(tuple, answers)) == [(3, "a"), (5, "a")]
