"""The options that choose a layout, and the layout that they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from transpiler import Layout
from transpiler.cli.group import fail
from transpiler.cli.inputs import TextOrFile, exists, read_text_file, shown
from transpiler.cli.options import LAYOUT, dialect_option, together
from transpiler.compiler.layouts.layout import archive_of
from transpiler.compiler.presets import find_layout
from transpiler.tools.message_files.record_errors import load_record

if TYPE_CHECKING:
    from transpiler.compiler.layouts.header_places import HeaderOption, Headers


class ChosenLayout(NamedTuple):
    """The layout of messages that the command line's options name.

    ``rows`` is this layout if the messages are its rows; None if they are message JSON or plain properties. ``types``
    maps the columns of the option --schema to their types; it is empty without the option.
    """

    layout: str | Layout = "amqp"
    rows: Layout | None = None
    types: Mapping[str, Any] = MappingProxyType({})


def _is_schema(text: str) -> bool:
    """Return True if ``text`` begins like a schema and is not the name of a file."""
    from transpiler.compiler.layouts.schemas import looks_like_schema

    return not exists(text) and looks_like_schema(text)


#: The type of the option ``--schema``: the text of a schema, or the name of a file that contains it, or "-".
SCHEMA = TextOrFile("schema", _is_schema)

#: The option ``--layout-option``: one option of the layout, as KEY=VALUE. It can be repeated.
layout_option = click.option(
    "--layout-option",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the layout, such as types=by-use, types.weight=DOUBLE or headers.JMSType=order_type.",
)


def layout_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose a layout. The command receives a ``ChosenLayout`` as its parameter ``layout``."""

    @wraps(command)
    def with_layout(layout: str | None, schema: str | None, **others: Any) -> Any:
        chosen = choose_layout(layout, others.pop("layout_option"), schema)
        return command(layout=chosen, **others)

    options = together(
        click.option(
            "--layout",
            type=LAYOUT,
            help="The layout of the DataFrame, by name.  [default: amqp, or what --schema shows]",
        ),
        layout_option,
        click.option(
            "--schema",
            type=SCHEMA,
            help="The schema of the DataFrame: DDL text ('color STRING, weight BIGINT'), what SHOW CREATE TABLE or "
            "printSchema prints, Spark's JSON form (df.schema.json()), or a file of one of these.",
        ),
    )
    return options(with_layout)


missing_option = click.option(
    "--missing",
    type=click.Choice(["error", "null"]),
    default="error",
    show_default=True,
    help="What a name without a column means.",
)


#: The options --dialect and --missing (what a name without a column means).
rules_options = together(dialect_option, missing_option)


def read_schema(given: str) -> Mapping[str, Any]:
    """Return the schema in Spark's JSON form; ``given`` is the text of a schema, or the name of a file with it."""
    from transpiler.compiler.layouts.schemas import parse_schema

    inline = _is_schema(given)
    return parse_schema(given if inline else read_text_file(given), "--schema" if inline else shown(given))


def choose_layout(name: str | None, given: tuple[str, ...], schema: str | None) -> ChosenLayout:
    """Return the layout that the options name; end the command if they are wrong.

    ``name``, ``given`` and ``schema`` are the values of --layout, --layout-option and --schema.
    """
    fields = None if schema is None else read_schema(schema)
    if name is None:
        if fields is None:
            if given:
                _refuse_options()
            return ChosenLayout()
        from transpiler.compiler.inference import layout_from_schema

        shown_by_schema = layout_from_schema(fields, headers=header_options(given))
        return ChosenLayout(shown_by_schema, shown_by_schema, _types(fields))
    layout = _named(name, given)
    if fields is not None:
        if archive_of(layout) is not None:
            fail(
                f"the layout {name} has its own columns, so --schema does not apply: "
                "omit --layout, or choose the layout of a store"
            )
        layout = layout.over(fields)
    return ChosenLayout(layout, layout, _types(fields))


def _types(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    return {} if schema is None else {field["name"]: field["type"] for field in schema["fields"]}


def _named(name: str, given: tuple[str, ...]) -> Layout:
    from transpiler.compiler.stores import STORES, preset

    if name in STORES:
        return preset(name, read_options(given, STORES[name]))
    layout = find_layout(name)
    if given:
        fail(f"the layout {name} has no options: omit --layout-option")
    return layout


def read_options(given: tuple[str, ...], store: Callable[..., Any]) -> dict[str, Any]:
    """Return the keyword arguments for the function ``store`` from texts ``KEY=VALUE`` and ``KEY.NAME=VALUE``."""
    options: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key:
            fail(f"--layout-option {text}: write KEY=VALUE, such as types=by-use")
        option, dot, name = key.partition(".")
        known = options.get(option)
        if dot:
            # A policy for all properties came first (``types=POLICY``). Keep it for the other properties, under the
            # name "*".
            inner = known if isinstance(known, dict) else {} if known is None else {"*": known}
            options[option] = inner | {name: _object(text, value)}
        elif isinstance(known, dict) and not value.startswith("{"):
            options[option] = known | {"*": value}
        else:
            options[option] = _object(text, value)
    parameters = signature(store).parameters
    for option, value in options.items():
        if option == "schema":
            fail("--layout-option schema=…: give the schema with --schema")
        if option == "headers":
            options[option] = _headers(value)
        elif option in parameters and isinstance(parameters[option].default, bool):
            if value not in ("true", "false"):
                fail(f"--layout-option {option}={value}: write {option}=true or {option}=false")
            options[option] = value == "true"
        elif option != "types" and not isinstance(value, str):
            fail(f"--layout-option {option}: expected text")
    return options


def header_options(given: tuple[str, ...]) -> Headers:
    """Return the columns of header fields that the options ``headers.NAME=COLUMN`` in ``given`` name.

    End the command if ``given`` contains any other option, because the others need --layout.
    """
    from transpiler.compiler.inference import layout_from_schema

    options = read_options(given, layout_from_schema)
    if options.keys() - {"headers"}:
        _refuse_options()
    headers: Headers = options.get("headers", {})
    return headers


def _refuse_options() -> NoReturn:
    fail("--layout-option sets an option of a layout, but no layout is given: add --layout NAME")


def _object(text: str, value: str) -> Any:
    """Parse ``value`` as JSON if it begins with a brace, else return it unchanged; errors quote the option ``text``."""
    return load_record(value, f"--layout-option {text}") if value.startswith("{") else value


def _headers(value: Any) -> Any:
    """Convert ``value``, from options such as ``headers.JMSType=kind``, to the Python argument ``headers``.

    A column may be given as a JSON object, which also states the conversion.
    """
    if not isinstance(value, dict):
        fail(f"--layout-option headers={value}: write headers.JMSType=order_type")
    return {name: _header(name, item) for name, item in value.items()}


def _header(name: str, item: Any) -> str | HeaderOption:
    from transpiler.compiler import stores

    if isinstance(item, str):
        return item
    texts = {key: text for key, text in item.items() if isinstance(text, str)} if isinstance(item, dict) else {}
    if texts == item:
        if "time" in texts and texts.keys() <= {"time", "unit", "zone"}:
            return stores.time(texts.pop("time"), **texts)
        if texts.keys() == {"mode"}:
            return stores.mode(texts["mode"])
        for kind, option in (("number", stores.number), ("column", stores.column), ("key", stores.key)):
            if texts.keys() == {kind}:
                return option(texts[kind])
    forms = 'a name, {"column": COLUMN}, {"key": KEY}, {"time": COLUMN, "unit": "s", "zone": "UTC"}, {"mode": COLUMN} '
    forms += 'or {"number": COLUMN}'
    return fail(f"--layout-option headers.{name}: expected {forms}")
