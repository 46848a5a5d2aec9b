"""Columns that routing adds: a column that the messages have is never overwritten."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from spark_ext.messages.schemas import analyzed_schema, case_sensitive
from transpiler.base.errors import LayoutError


def check_new(messages: DataFrame, parameters: Mapping[str, str | None]) -> None:
    """Raise ``LayoutError`` where the messages have a column that is to be added, or two are to have one name.

    ``parameters`` are the names of the new columns by the parameter that names them, None for one that is not wanted.
    """
    try:
        names = analyzed_schema(messages).names
    except LayoutError:
        # In a pipeline nobody knows the columns yet.
        names = []
    same = str if not names or case_sensitive() else str.lower
    taken = {same(name): f"the messages have a column {name}" for name in names}
    for parameter, name in parameters.items():
        if name is None:
            continue
        if same(name) in taken:
            raise LayoutError.at(
                "route.column-taken",
                f"{taken[same(name)]}, which {parameter}={name!r} would overwrite",
                hint=f"perhaps give {parameter}= another name, or rename or drop the column",
            )
        taken[same(name)] = f"another new column is called {name}"
