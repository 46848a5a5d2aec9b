"""Columns that routing adds, and those of queues that it reads: none that the messages have is overwritten."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType

from spark_ext.messages.schemas import analyzed_schema, case_sensitive, own_field
from transpiler.base.arguments import unexpected
from transpiler.base.errors import LayoutError, TranspilerError


def check_new(messages: DataFrame, parameters: Mapping[str, object], optional: Collection[str] = ()) -> None:
    """Raise ``LayoutError`` where the messages have a column that is to be added, or two are to have one name.

    ``parameters`` are the names of the new columns by the parameter that names them; of the ``optional`` ones None is
    not wanted. ``TypeError`` for what is no name, ``TranspilerError`` for an empty one.
    """
    try:
        names = analyzed_schema(messages).names
    except LayoutError:
        # In a pipeline nobody knows the columns yet.
        names = []
    same = str if not names or case_sensitive() else str.lower
    taken = {same(name): f"the messages have a column {name}" for name in names}
    for parameter, value in parameters.items():
        if value is None and parameter in optional:
            continue
        name = _name(parameter, value)
        if same(name) in taken:
            raise LayoutError.at(
                "route.column-taken",
                f"{taken[same(name)]}, which {parameter}={name!r} would overwrite",
                hint=f"perhaps give {parameter}= another name, or rename or drop the column",
            )
        taken[same(name)] = f"another new column is called {name}"


def check_queues(messages: DataFrame, parameter: str, value: object, *, text: bool = False) -> None:
    """Raise ``LayoutError`` where the messages have no column of queues by the name that a parameter gives.

    It is an array of texts, or with ``text`` a text as well. ``TypeError`` for what is no name.
    """
    name = _name(parameter, value)
    try:
        schema = analyzed_schema(messages)
    except LayoutError:
        return
    field = own_field(schema, name)
    if field is None:
        arrays = [other.name for other in schema if other.dataType.simpleString() == "array<string>"]
        there = f"there {'is' if len(arrays) == 1 else 'are'} {', '.join(arrays)}" if arrays else "route adds one"
        raise LayoutError.at(
            "route.no-queues",
            f"the messages have no column {name} of queues",
            hint=f"perhaps give {parameter}=: {there}",
        )
    kind = field.dataType
    element = kind.elementType if isinstance(kind, ArrayType) else kind
    if element.simpleString().split(" ")[0] not in ("string", "void") or (element is kind and not text):
        raise LayoutError.at(
            "route.no-queues",
            f"the column {name} has the type {kind.simpleString().upper()}, and {parameter} names one of queues: "
            "an ARRAY<STRING>",
            hint=f"perhaps give {parameter}= the name of another column",
        )


def _name(parameter: str, value: object) -> str:
    if not isinstance(value, str):
        raise unexpected(parameter, "the name of a column", value)
    if not value:
        raise TranspilerError.at("argument.column", f"{parameter} is empty", hint="perhaps name the column")
    return value
