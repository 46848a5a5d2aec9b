"""Statements around a compiled condition: a SQL function, a view, a query.

A condition compiled with ``result="filter"`` is what a row filter wants: a row is shown where it is TRUE and hidden
where it is FALSE or NULL. The planner inlines functions and views, so the plan is that of the condition itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

from transpiler import Layout
from transpiler.cli.group import fail
from transpiler.cli.layouts import ChosenLayout
from transpiler.layouts.amqp_schema import UNION
from transpiler.layouts.columns import UnionShape
from transpiler.layouts.layout import archive_of
from transpiler.sql.quoting import quote_name

#: The kinds of statements that ``statement`` writes.
Kind = Literal["function", "view", "where"]
KINDS = get_args(Kind)

#: SQL names of the types whose names in Spark's JSON form are other words.
_SQL_NAMES: Mapping[str, str] = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}

#: A table is named for nothing to read it.
NO_VIEW = "--from names the table of a view: give it with --as view NAME"

_PART = r"(?:[A-Za-z_]\w*|`(?:[^`]|``)+`)"
_NAME = re.compile(rf"{_PART}(?:\.{_PART})*", re.ASCII)

#: Tokens of emitted SQL: a text, a quoted name, or a word. A word behind a dot is a field, one before a parenthesis a
#: function.
_TOKEN = re.compile(r"'[^']*'|(?<!\.)`(?P<quoted>(?:[^`]|``)*)`|(?<![.\w])(?P<word>[A-Za-z_]\w*)\b(?!\()")


#: A text, a quoted name, a parenthesis, CASE, or a word that may begin a line.
_BREAKS = re.compile(
    r"'[^']*'|`[^`]*`|(?P<open>\w?\(|(?<![.\w])CASE\b)|(?P<close>\)|(?<![.\w])END\b)| (?P<word>AND|OR)\b"
)


def on_lines(sql: str) -> str:
    """Return a condition with each AND and OR on a line of its own, indented by the parentheses around it.

    Arguments of functions and the parts of CASE stay on their line.
    """
    around: list[bool] = []

    def broken(found: re.Match[str]) -> str:
        if found["open"]:
            around.append(found["open"] == "(")
        elif found["close"] and around:
            around.pop()
        elif found["word"] and all(around):
            return f"\n{'  ' * len(around)}{found['word']}"
        return found[0]

    return _BREAKS.sub(broken, sql)


def statement(kind: Kind, name: str, condition: str, layout: ChosenLayout, source: str | None) -> str:
    """Return the statement of a kind around a condition; names that are no identifiers end the command.

    A function has the columns that the condition reads as parameters, with the types of the schema.
    """
    if kind != "view" and source is not None:
        fail(NO_VIEW)
    _check_name(name)
    if kind == "function":
        parameters = ", ".join(f"{quote_name(column)} {text}" for column, text in _parameters(condition, layout))
        return f"CREATE FUNCTION {name}({parameters}) RETURNS BOOLEAN RETURN {condition}"
    if kind == "where":
        return f"SELECT * FROM {name} WHERE {condition}"
    if source is None:
        fail(f"--as view {name}: name the table that it reads with --from TABLE")
    _check_name(source)
    return f"CREATE VIEW {name} AS SELECT * FROM {source} WHERE {condition}"


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        fail(f"{name!r} is no name in SQL: write words joined by dots, and others in backticks, as in lake.`my table`")


def _parameters(condition: str, layout: ChosenLayout) -> Iterator[tuple[str, str]]:
    """Yield the columns that a condition reads, with their SQL types, in the order of the schema."""
    types = layout.types or _archive_types(layout.layout)
    if not types:
        fail("--as function: the parameters need types: give the columns with --schema")
    read = {match["word"] or (match["quoted"] or "").replace("``", "`") for match in _TOKEN.finditer(condition)}
    # A name with ${ in it is written as bytes.
    every = "IDENTIFIER(" in condition
    for column, spark_type in types.items():
        if every or column in read:
            yield column, _sql_type(spark_type)


def _archive_types(layout: str | Layout) -> Mapping[str, Any]:
    from transpiler.presets import find_layout

    found = archive_of(find_layout(layout))
    return {} if found is None else found.schema


def _sql_type(spark_type: Any) -> str:
    """Return the SQL text of a type in Spark's JSON form, or of a layout's columns.

    Text has no collation: an argument is cast to its parameter's type, and a selector compares by bytes.
    """
    match spark_type:
        case UnionShape.UNION:
            return _sql_type(UNION)
        case UnionShape.UNIONS:
            return f"MAP<STRING, {_sql_type(UNION)}>"
        case {"type": "struct", "fields": fields}:
            return _sql_type({field["name"]: field["type"] for field in fields})
        case {"type": "array", "elementType": element}:
            return f"ARRAY<{_sql_type(element)}>"
        case {"type": "map", "keyType": key, "valueType": value}:
            return f"MAP<{_sql_type(key)}, {_sql_type(value)}>"
        case {"type": "udt", "sqlType": inner}:
            return _sql_type(inner)
        case Mapping():
            return f"STRUCT<{', '.join(f'{quote_name(name)}: {_sql_type(kind)}' for name, kind in spark_type.items())}>"
        case str() if spark_type.startswith(("string", "char", "varchar")):
            return "STRING"
        case str():
            return _SQL_NAMES.get(spark_type, spark_type.upper())
        case _:
            return str(spark_type)
