"""The answers about layouts: the SQL for each header field in each dialect, and the messages that are read from rows.

A layout is described in JSON: the text of a name or schema, or an object. The object has the preset name of a store
(``store``) with its ``options``, or the ``inferred`` schema with ``options``, and the schema of a table (``over``).
Options for header fields contain calls, such as ``{"time": ["ts", "s"]}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.golden.corpus import dialects
from transpiler import Dialect, Layout, TranspilerError, find_dialect
from transpiler.base.diagnostics import Diagnostic
from transpiler.compiler import stores
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.message.header_fields import HeaderField
from transpiler.message.operand_types import OperandType
from transpiler.pipeline import transpile_selector

#: A constant of each type that a header field can have.
_CONSTANTS = {OperandType.BOOLEAN: "TRUE", OperandType.STRING: "'PERSISTENT'"}


def described_layout(described: Any) -> str | Layout:
    """Return the layout that ``described`` specifies."""
    match described:
        case {"store": name, **others}:
            options = _options(others.get("options", {}))
            # Tables of CSV have no preset, because a preset would not know the names of the columns.
            layout: Layout = stores.csv(**options) if name == "csv" else stores.preset(name, options)
        case {"inferred": schema, **others}:
            layout = layout_from_schema(schema_in(schema), **_options(others.get("options", {})))
        case {"promoted": promoted, **others}:
            layout = AmqpLayout(promoted=promoted, mixed=frozenset(others.get("mixed", ())))
        case _:
            return str(described)
    over = others.get("over")
    return layout if over is None else layout.over(schema_in(over), case_sensitive=others.get("case_sensitive", False))


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    headers = {name: _header_option(place) for name, place in options.get("headers", {}).items()}
    return {**options, **({"headers": headers} if headers else {})}


def _header_option(place: Any) -> Any:
    if not isinstance(place, Mapping):
        return place
    [(function, arguments)] = place.items()
    return getattr(stores, function)(*map(_header_option, arguments))


def headers(described: Any, names: list[str], finding: Callable[[Diagnostic], Any]) -> dict[str, Any]:
    """Return the SQL for each header field in the dialects that have the field, and the text of the layout.

    ``names`` are the dialects; all dialects if it is empty.
    """
    try:
        layout = described_layout(described)
    except TranspilerError as error:
        return {"errors": list(map(finding, error.diagnostics))}
    found: dict[str, dict[str, Any]] = {"layout": {repr(layout): []}}
    for dialect in names or (*dialects(), "artemis-core"):
        for name, field in _named(find_dialect(dialect)):
            outcome = str(_compiled(f"{name} = {_CONSTANTS.get(field.type, 5)}", layout, dialect, finding))
            found.setdefault(name, {}).setdefault(outcome, []).append(dialect)
    return found


def _named(dialect: Dialect) -> Iterator[tuple[str, HeaderField]]:
    """Yield each header field of ``dialect`` with a spelling of its name in selectors."""
    fields = dialect.fields
    yield from fields.table.items()
    for prefix, section in fields.section_prefixes.items():
        yield from ((f"{prefix}.{name}", field) for (of, name), field in fields.sections.items() if of == section)


def _compiled(text: str, layout: str | Layout, dialect: str, finding: Callable[[Diagnostic], Any]) -> Any:
    try:
        compiled = transpile_selector(text, layout, dialect=dialect, missing="null", lint=False)
    except TranspilerError as error:
        return list(map(finding, error.diagnostics))
    return [compiled.sql, *map(finding, compiled.diagnostics)]


def messages(described: Any, rows: list[Any]) -> list[Any]:
    """Return the message that the layout reads from each row, or the error."""
    layout = described_layout(described)
    assert isinstance(layout, Layout)
    return [_message(layout, row) for row in rows]


def _message(layout: Layout, row: Any) -> Any:
    try:
        return layout.message(row).to_dict()
    except TranspilerError as error:
        return str(error)
