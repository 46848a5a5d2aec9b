"""Checks of the names of columns that routing adds, so that no column of the messages is overwritten, and of queues.

During routing, messages have additional columns whose names begin with ``PREFIX``. No other column may have such a
name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType

from spark_ext.messages.schemas import analyzed_schema, case_sensitive, own_field
from transpiler.base.arguments import unexpected
from transpiler.base.errors import LayoutError, TranspilerError
from transpiler.routing.columns import PREFIX


def check_new(messages: DataFrame, parameters: Mapping[str, object], optional: Collection[str] = ()) -> None:
    """Raise ``LayoutError`` if the messages already have a new column, or if two new columns have the same name.

    Names with ``PREFIX`` are rejected, too, both for columns of the messages and for new columns.

    ``parameters`` maps each parameter to the name of a new column; for a parameter in ``optional``, None means that the
    column is not wanted. Raises ``TypeError`` if a name is not a string, and ``TranspilerError`` if it is empty.
    """
    try:
        names = analyzed_schema(messages).names
    except LayoutError:
        # In the query function of a declarative pipeline, Spark cannot say which columns the messages have.
        names = []
    same = str if not names or case_sensitive(messages) else str.lower
    for name in names:
        _check_own(f"the messages have a column {name}", name, f'rename it with df.withColumnRenamed("{name}", …)')
    taken = {same(name): f"the messages have a column {name}" for name in names}
    for parameter, value in parameters.items():
        if value is None and parameter in optional:
            continue
        name = _name(parameter, value)
        _check_own(f"{parameter}={name!r} names a column", name, f"set {parameter}= to another name")
        if same(name) in taken:
            raise LayoutError.at(
                "route.column-taken",
                f"{parameter}={name!r} would overwrite a column: {taken[same(name)]}",
                hint=f"perhaps set {parameter}= to another name, or rename or drop the column",
            )
        taken[same(name)] = f"another new column is called {name}"


def check_queues(messages: DataFrame, parameter: str, value: object, *, text: bool = False) -> None:
    """Raise ``LayoutError`` if ``value``, the argument of ``parameter``, does not name a column of queues.

    Such a column is an array of strings; if ``text`` is True, it may also be a string. Raises ``TypeError`` if
    ``value`` is not a string.
    """
    name = _name(parameter, value)
    try:
        schema = analyzed_schema(messages)
    except LayoutError:
        return
    field = own_field(schema, name, case_sensitive(messages))
    if field is None:
        arrays = [other.name for other in schema if other.dataType.simpleString() == "array<string>"]
        there = f"the columns of this type are {', '.join(arrays)}" if arrays else "route adds such a column"
        raise LayoutError.at(
            "route.no-queues",
            f"the messages have no column {name} with the names of queues",
            hint=f"perhaps set {parameter}= to a column with the names of queues: {there}",
        )
    kind = field.dataType
    element = kind.elementType if isinstance(kind, ArrayType) else kind
    if element.simpleString().split(" ")[0] not in ("string", "void") or (element is kind and not text):
        raise LayoutError.at(
            "route.no-queues",
            f"the column {name} has the type {kind.simpleString().upper()}, but {parameter} requires "
            "a column with the names of queues: "
            "an ARRAY<STRING>",
            hint=f"perhaps set {parameter}= to the name of another column",
        )


def _check_own(what: str, name: str, advice: str) -> None:
    # Compare without case, because Spark by default does not distinguish case in the names of columns.
    if name.lower().startswith(PREFIX):
        raise LayoutError.at(
            "route.column-taken",
            f"{what}, but names that begin with {PREFIX} are reserved for the internal columns of route",
            hint=f"perhaps {advice}",
        )


def _name(parameter: str, value: object) -> str:
    if not isinstance(value, str):
        raise unexpected(parameter, "the name of a column", value)
    if not value:
        raise TranspilerError.at("argument.column", f"{parameter} is empty", hint="perhaps name the column")
    return value
