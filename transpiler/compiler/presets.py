"""Find the layout that a name, a schema, its text or its file stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from transpiler.base.diagnostics import OptionFix, nearest
from transpiler.base.errors import LayoutError
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.layout import Layout, is_layout


class SchemaLike(Protocol):
    """A ``StructType``: what has a schema's JSON form."""

    def jsonValue(self) -> Any:  # noqa: N802
        """The schema in Spark's JSON form."""
        ...


#: A preset's name, a layout, or a schema: a ``StructType``, its JSON form, a text of any form, or a file with one; None
#: for what a table shows, and for the canonical layout where there is no table.
LayoutLike = str | Path | Layout | Mapping[str, Any] | SchemaLike | None

_NAME = re.compile(r"[\w.-]*")

#: Hints for names that are near to another preset than the one that is meant, or to none.
_MEANT = {
    "kafka": "did you mean kafka-headers?",
    "flat": "typed columns need a schema: pass the DataFrame or its schema; in commands --schema",
}

_AMQP, _ZERO_TEN = "amqp", "amqp-0-10"
_CANONICAL = AmqpLayout()


def find_layout(layout: LayoutLike, table: Mapping[str, Any] | None = None, *, case_sensitive: bool = False) -> Layout:
    """Return the layout of a name, the one given, or the one that a schema shows, over a table if there is one.

    Every function that takes a layout asks this one. ``table`` is the schema of the messages' table in Spark's JSON
    form; with None the layout is over the schema that it was made with, if any. ``layout`` is None for what the table
    shows, and for the canonical layout without a table. ``case_sensitive`` is the setting ``spark.sql.caseSensitive``.
    ``LayoutError`` for a name that no layout has, and for columns that the table does not have.
    """
    if layout is None and table is not None:
        from transpiler.compiler.inference import layout_from_schema

        return layout_from_schema(table, case_sensitive=case_sensitive)
    found = _given(_AMQP if layout is None else layout, case_sensitive)
    return found if table is None else found.over(table, case_sensitive=case_sensitive)


def _given(layout: LayoutLike, case_sensitive: bool) -> Layout:
    if isinstance(layout, str) and layout in (_AMQP, _ZERO_TEN):
        return _CANONICAL if layout == _AMQP else _zero_ten()
    if is_layout(layout):
        return layout
    # Most programs need no store and no schema.
    from transpiler.compiler.inference import layout_from_schema
    from transpiler.compiler.layouts.schemas import names_file, schema_in
    from transpiler.compiler.stores import STORES

    if not isinstance(layout, str) or not _NAME.fullmatch(layout):
        return layout_from_schema(schema_in(layout), case_sensitive=case_sensitive)
    if layout in STORES:
        return _store(layout)
    if names_file(layout):
        return layout_from_schema(schema_in(layout), case_sensitive=case_sensitive)
    names = (_AMQP, _ZERO_TEN, *STORES)
    near = nearest(layout, names)
    hint = f"did you mean {near[0]}?" if near else f"the presets are {', '.join(names)}"
    hint = _MEANT.get(layout.lower(), hint)
    fix = OptionFix("layout", repr(near[0])) if near and layout.lower() not in _MEANT else None
    raise LayoutError.at("layout.unknown", f"there is no layout called {layout!r}", hint=hint, fix=fix)


@lru_cache
def _zero_ten() -> Layout:
    from transpiler.compiler.layouts.amqp_0_10 import ZeroTenLayout

    return ZeroTenLayout()


@lru_cache
def _store(name: str) -> Layout:
    """Return the store of a preset's name, always the same one, for making one takes time."""
    from transpiler.compiler.stores import preset

    return preset(name)
