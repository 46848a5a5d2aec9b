"""selector-sql sql: the Spark SQL of a selector or a filter set, alone or in a statement: a function, a view, a query.

A condition compiled with ``result="filter"`` can be used as a row filter, which shows a row if the condition is TRUE
and hides it if the condition is FALSE or NULL. The planner inlines functions and views, so the plan is the same as for
the bare condition.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from transpiler import Transpiled, translate_names, transpile_filter, transpile_selector
from transpiler.cli.group import fail, say_data
from transpiler.cli.layouts import ChosenLayout, layout_options, rules_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import filter_options, quiet_option, read_text, receiver_options, warn
from transpiler.compiler.layouts.columns import UNION, UnionShape
from transpiler.compiler.layouts.layout import archive_of
from transpiler.compiler.presets import find_layout
from transpiler.compiler.sql.quoting import opens_template, quote_name
from transpiler.message.receiver import Receiver

if TYPE_CHECKING:
    from transpiler.language.filters.sets import FilterSet

#: The kinds of statements that ``--as`` prints.
Kind = Literal["function", "temp-function", "view", "temp-view", "where"]
_KINDS = get_args(Kind)
_VIEWS = ("view", "temp-view")

#: The SQL names of the types that have another name in Spark's JSON form, by this other name.
_SQL_NAMES: Mapping[str, str] = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}

#: The error for --from without a view.
_NO_VIEW = "--from names the table of a view, but no view is requested: add --as view NAME"

_NO_OBJECT = "--or-replace applies only to a function or a view: add --as"

_PART = r"(?:[A-Za-z_]\w*|`(?:[^`]|``)+`)"
_NAME = re.compile(rf"{_PART}(?:\.{_PART})*", re.ASCII)

_NAME_IN_SCHEMA = re.compile(rf"{_PART}\.", re.ASCII)

#: Matches a string, a quoted column or a column in generated SQL. It does not match a name after a dot (a field of a
#: column) or before a parenthesis (a function).
_TOKEN = re.compile(r"'[^']*'|(?<!\.)`(?P<quoted>(?:[^`]|``)*)`|(?<![.\w])(?P<word>[A-Za-z_]\w*)\b(?!\()")

#: Matches the tokens that determine the line breaks: parentheses, CASE, END, AND, OR. It also matches strings and
#: quoted names, in order to skip their content.
_BREAKS = re.compile(
    r"'[^']*'|`[^`]*`|(?P<open>\w?\(|(?<![.\w])CASE\b)|(?P<close>\)|(?<![.\w])END\b)| (?P<word>AND|OR)\b"
)


@click.command(
    short_help="Print the Spark SQL of SELECTOR.",
    cls=ManualCommand,
    examples=[
        Example("Print SQL for the canonical schema", "selector-sql sql \"color = 'blue' AND JMSPriority > 6\""),
        Example(
            "Print SQL for columns of your own",
            'selector-sql sql "weight > 2500" --schema "color STRING, weight BIGINT"',
        ),
        Example(
            "Read properties from Kafka's record headers", 'selector-sql sql "weight > 2500" --layout kafka-headers'
        ),
        Example(
            "Print a function for a row filter",
            'selector-sql sql "weight > 2500" --schema "color STRING, weight BIGINT" --as function lake.heavy',
        ),
    ],
    exits={0: "the SQL is printed; warnings are on standard error"},
)
@click.argument("selector", required=False)
@filter_options
@layout_options
@rules_options
@receiver_options
@click.option(
    "--result",
    type=click.Choice(["filter", "boolean", "ternary"]),
    default="filter",
    show_default=True,
    help="TRUE or not; never NULL; or JMS's three values.",
)
@click.option(
    "--as",
    "named",
    type=(click.Choice(_KINDS), str),
    metavar="KIND NAME",
    help="Print a statement: CREATE FUNCTION NAME, CREATE VIEW NAME, with temp- for the session alone, or for where "
    "the rows of the table NAME.",
)
@click.option("--or-replace", is_flag=True, help="With --as: replace the function or view that there is.")
@click.option("--from", "source", metavar="TABLE", help="With --as view: the table that the view reads.")
@click.option("--alias", metavar="TABLE", help="Name the table before each column, as a join or MERGE needs it.")
@click.option(
    "--names",
    type=click.Choice(["jms", "amqp"]),
    help="Print the selector instead, its header names in JMS's form or the wire's, by apache-filters.xml.",
)
@quiet_option
@click.option("--pretty/--no-pretty", default=None, help="Each AND and OR on a line  [default: on a terminal]")
def sql(
    selector: str | None,
    filters: FilterSet | None,
    connection: str | None,
    layout: ChosenLayout,
    dialect: str,
    missing: Any,
    receiver: Receiver,
    result: Any,
    named: tuple[Kind, str] | None,
    or_replace: bool,
    source: str | None,
    alias: str | None,
    names: Any,
    quiet: bool,
    pretty: bool | None,
) -> None:
    """Print the Spark SQL of SELECTOR (- reads it from standard input), or of a filter set."""
    if named is not None:
        # Check the name first: if the user omitted it after --as, click has taken the selector as the name.
        _check_statement(*named, source)
    elif source is not None:
        fail(_NO_VIEW)
    if or_replace and (named is None or named[0] == "where"):
        fail(_NO_OBJECT)
    if alias is not None and named is not None:
        fail("--alias applies to a condition in your own statement, not to a statement of --as: omit one of them")
    if filters is not None and (selector is not None or names is not None):
        fail("a filter set cannot be combined with SELECTOR or --names: omit the filter set, or the others")
    options = {
        "layout": layout.layout,
        "dialect": dialect,
        "missing": missing,
        "result": result,
        "alias": alias,
        **receiver.keywords,
    }
    transpiled: Transpiled
    if filters is not None:
        transpiled = transpile_filter(filters, connection=connection, **options)
    elif selector is None:
        fail("nothing to translate: give a selector, --filter FILE or --filter-bytes FILE")
    elif names is not None:
        if named is not None:
            fail("--names prints a selector, and --as a statement: give one of the two")
        say_data(translate_names(read_text(selector), names, dialect=dialect))
        return
    else:
        transpiled = transpile_selector(read_text(selector), **options)
    text = transpiled.sql if named is None else _statement(*named, transpiled.sql, layout, source, or_replace)
    say_data(_on_lines(text) if pretty or (pretty is None and sys.stdout.isatty()) else text)
    if not quiet:
        warn(transpiled.diagnostics)


def _on_lines(sql: str) -> str:
    """Return the condition ``sql`` with a line break before each AND and OR, indented by the depth of its parentheses.

    There are no breaks inside the arguments of a function or inside CASE.
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


def _check_statement(kind: Kind, name: str, source: str | None) -> None:
    """End the command with an error if the options do not describe a valid statement of the kind ``kind``."""
    if kind not in _VIEWS and source is not None:
        fail(_NO_VIEW)
    _check_name(name)
    if kind.startswith("temp-") and _NAME_IN_SCHEMA.match(name):
        fail(f"--as {kind} {name}: a temporary view or function belongs to no schema: give a name without a dot")
    if source is not None:
        _check_name(source)
    elif kind in _VIEWS:
        fail(f"--as {kind} {name}: name the table that it reads with --from TABLE")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        fail(
            f"{name!r} is not a name in SQL: join words with dots, and put other "
            "characters into backticks, as in lake.`my table`"
        )


def _statement(
    kind: Kind, name: str, condition: str, layout: ChosenLayout, source: str | None, or_replace: bool
) -> str:
    """Return the SQL statement of the kind ``kind``, named ``name``, that contains ``condition``.

    The parameters of a function are the columns that the condition reads, with their types from the schema.
    """
    create = f"CREATE {'OR REPLACE ' if or_replace else ''}{'TEMPORARY ' if kind.startswith('temp-') else ''}"
    match kind:
        case "function" | "temp-function":
            written = [f"{quote_name(column)} {text}" for column, text in _parameters(condition, layout)]
            opening = next(filter(opens_template, written), None)
            if opening is not None:
                # Spark requires a literal name for a parameter of a function; IDENTIFIER() is not allowed there.
                fail(
                    f"--as {kind}: {opening} would begin a variable or a Jinja "
                    "tag: rename the column, or create a view, "
                    "whose condition contains the name as a string"
                )
            parameters = ", ".join(written)
            return f"{create}FUNCTION {name}({parameters}) RETURNS BOOLEAN RETURN {condition}"
        case "view" | "temp-view":
            return f"{create}VIEW {name} AS SELECT * FROM {source} WHERE {condition}"
        case "where":
            return f"SELECT * FROM {name} WHERE {condition}"


def _parameters(condition: str, layout: ChosenLayout) -> Iterator[tuple[str, str]]:
    """Yield the name and the SQL type of each column that ``condition`` reads, in the order of the schema."""
    archive = archive_of(find_layout(layout.layout))
    types = layout.types or ({} if archive is None else archive.schema)
    if not types:
        fail("--as function: the types of the parameters are unknown: give the columns with --schema")
    read = {match["word"] or (match["quoted"] or "").replace("``", "`") for match in _TOKEN.finditer(condition)}
    # IDENTIFIER() contains a column name as bytes, because the name contains ``${``. The name cannot be found in the
    # condition, so yield all columns.
    every = "IDENTIFIER(" in condition
    for column, spark_type in types.items():
        if every or column in read:
            yield column, _sql_type(spark_type)


def _sql_type(spark_type: Any) -> str:
    """Return the SQL name of ``spark_type``, a type in Spark's JSON form or in the form of a layout's columns.

    The collation of a string type is omitted. The argument of a function then becomes a plain STRING, which is compared
    byte by byte, as in selectors.
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
