"""Find the layout that a user has given as a preset name, a schema, the text of a schema, or a schema file."""

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
    """An object that can return its schema in JSON form, such as a ``StructType``."""

    def jsonValue(self) -> Any:  # noqa: N802
        """Return the schema in Spark's JSON form."""
        ...


#: How users specify a layout: a preset name, a layout, or a schema. A schema is a ``StructType``, its JSON form, its
#: text in any notation, or a file. None: infer the layout from the table, or use the canonical layout without a table.
LayoutLike = str | Path | Layout | Mapping[str, Any] | SchemaLike | None

_NAME = re.compile(r"[\w.-]*")

#: Hints for invalid preset names that users are likely to write, by name. A search for similar names would find no
#: preset, or the wrong preset.
_MEANT = {
    "kafka": "did you mean kafka-headers?",
    "flat": "a layout with typed columns is created from a schema: pass the DataFrame or its schema, "
    "or --schema in commands",
}

_AMQP, _ZERO_TEN = "amqp", "amqp-0-10"
_CANONICAL = AmqpLayout()


def find_layout(layout: LayoutLike, table: Mapping[str, Any] | None = None, *, case_sensitive: bool = False) -> Layout:
    """Return the layout that ``layout`` specifies, bound to ``table`` if that is given.

    Every function with a parameter ``layout`` calls this function. ``table`` is the schema of the table of messages, in
    Spark's JSON form; if it is None, the layout keeps the schema that it was made with, if any. If ``layout`` is None,
    the layout is inferred from ``table``; without a table it is the canonical layout. ``case_sensitive`` is Spark's
    setting ``spark.sql.caseSensitive``. An unknown name, or a column that the table lacks, raises ``LayoutError``.
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
    # Imported in the function to save start-up time: most programs use neither a store nor a schema.
    from transpiler.compiler.inference import layout_from_schema
    from transpiler.compiler.layouts.schemas import names_file, schema_in
    from transpiler.compiler.stores import STORES

    if isinstance(layout, str) and layout in STORES:
        return _store(layout)
    if not isinstance(layout, str) or not _NAME.fullmatch(layout) or names_file(layout):
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
    """Return the store with the preset name ``name``. It is made once, because making a store takes time."""
    from transpiler.compiler.stores import preset

    return preset(name)
