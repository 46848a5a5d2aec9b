"""Counts of the rows of a table that have a value for each name in the conditions, with columns and types.

``places_of`` finds the columns of each name in a layout and returns tests in SQL. The caller counts the rows that meet
each test and passes the counts to ``found_values``.

Deliberately not here: the counting (``spark_ext``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from transpiler.base import html
from transpiler.base.diagnostics import aligned
from transpiler.base.errors import LayoutError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import Key, path_text
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.stored import Stored
from transpiler.compiler.sql import emit_filter, emit_value
from transpiler.language.selector import ast
from transpiler.language.selector.dialect import Dialect
from transpiler.message.header_fields import PROPERTIES, MessageField
from transpiler.message.types import CLASS_OF

#: Maximum number of names that are counted; the names that most conditions read are preferred.
MAX_NAMES = 50

#: Minimum average number of messages for each routing key at which the option ``keys=`` is proposed.
_REPEATED = 10

_TYPE_NAMES: Mapping[str, str] = MappingProxyType(
    {"boolean": "boolean", "long": "integer", "double": "double", "string": "text", "binary": "bytes"}
)


class Place(NamedTuple):
    """The columns of a name in a table, and SQL tests for the presence and the type of the name's value in a row.

    ``where`` lists the columns; it is empty if the table has no column for the name. ``asked`` is the number of
    conditions that read the name. ``default`` is the value that a header field has if a row has no value for it.
    """

    name: str
    where: str
    present: str
    types: Mapping[str, str] = MappingProxyType({})
    asked: int = 0
    default: bool | int | str | None = None


class FoundValue(NamedTuple):
    """The number of rows that have a value for ``name``: in total (``rows``), and by the type of the value (``types``).

    The other fields are those of ``Place``.
    """

    name: str
    where: str
    rows: int
    types: Mapping[str, int]
    asked: int = 0
    default: bool | int | str | None = None


@dataclass(frozen=True, slots=True)
class FoundValues:
    """The result of counting: for each name in the conditions, the number of rows that have a value for the name.

    ``rows`` is the number of all rows. ``conditions`` is the word for a condition in messages, such as ``binding``.
    ``keys`` is the approximate number of distinct routing keys; None if they were not counted.
    """

    rows: int
    values: tuple[FoundValue, ...]
    conditions: str = "binding"
    keys: int | None = None
    #: The number of names that were not counted, because there are more than ``MAX_NAMES``.
    uncounted: int = field(default=0)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings about names that have no value in any row, and about repeated routing keys, as sentences."""
        missing = (
            f"{value.name} is missing in all rows{self._meaning(value)}"
            for value in self.values
            if self.rows and not value.rows
        )
        return (*missing, *self._repeated())

    def _meaning(self, value: FoundValue) -> str:
        """Return the end of a warning about a name without values: its default, and how many conditions read it."""
        default = "" if value.default is None else f", which means {value.default}"
        if not value.asked:
            return default
        one = value.asked == 1
        return (
            f"{default}; {value.asked:,} {self.conditions}{'' if one else 's'} "
            f"{'requires' if one else 'require'} this value"
        )

    def _repeated(self) -> Iterator[str]:
        if self.keys and self.rows >= _REPEATED * self.keys:
            yield (
                f"{self.rows:,} messages have about {self.keys:,} routing keys: "
                "route(messages, topology, keys=messages) matches each routing key only once"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and warnings as JSON."""
        values = [{**value._asdict(), "types": dict(value.types)} for value in self.values]
        keys = {} if self.keys is None else {"keys": self.keys}
        return {"rows": self.rows, "values": values, **keys, "doubts": list(self.warnings)}

    def lines(self) -> list[str]:
        """Return the table as lines of text, followed by the warnings."""
        if not self.values:
            return list(self.warnings)
        lines = ["  ".join(row).rstrip() for row in aligned([_HEADS, *self._cells()], [1])]
        lines += [f"and {self.uncounted:,} more names"] if self.uncounted else []
        return [*lines, *([""] if self.warnings else []), *self.warnings]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        warnings = "".join(map(html.heading, self.warnings))
        return (html.table(_HEADS, self._cells()) if self.values else "") + warnings

    def _cells(self) -> Iterator[tuple[str, str, str, str]]:
        for value in self.values:
            several = len(value.types) > 1
            types = ", ".join(f"{count:,} {name}" if several else name for name, count in value.types.items())
            yield value.name, f"{value.rows:,} of {self.rows:,}", types, value.where or "no place"


_HEADS = ("name", "rows", "types", "place")


def places_of(names: Mapping[str, tuple[int, ast.Identifier | None]], layout: Layout, dialect: Dialect) -> list[Place]:
    """Return the columns and tests of at most ``MAX_NAMES`` names; the names that most conditions read come first.

    Args:
        names: For each name, the number of conditions that read the name, and its node in a selector (None for a name
            that is always a property).
        layout: The layout of the table.
        dialect: The dialect that determines which names are header fields.
    """
    most = sorted(names, key=lambda name: -names[name][0])[:MAX_NAMES]
    return [_place_of(name, *names[name], layout, dialect) for name in most]


def _place_of(name: str, asked: int, node: ast.Identifier | None, layout: Layout, dialect: Dialect) -> Place:
    """Return the columns of ``name`` in a table, with the tests for its value.

    ``where`` of the result is empty if no column can contain the value, for example because of the column's type.
    """
    known = None if node is None else dialect.fields.find(name, node.section)
    own = name if node is None else node.name
    places = [MessageField(PROPERTIES, own)] if known is None else known.message_fields
    try:
        # A column named after a header field takes precedence over the columns of the message fields.
        column = None if known is None or node is None or node.section else layout.named_header(own)
        found = [
            layout.property(place.field) if place.section == PROPERTIES else layout.field(place) for place in places
        ]
        found = found if column is None else [column]
    except LayoutError:
        found = []
    stored = [each for each in found if each is not None and each.values]
    types: dict[str, list[str]] = {}
    for each in stored:
        for label, test in _typed(each):
            types.setdefault(label, []).append(f"({emit_filter(test)})")
    key = own if known is None else None
    where = dict.fromkeys(text for each in stored for text in _shown_places(each, key))
    present = " OR ".join(f"({emit_filter(each.present)})" for each in stored)
    tests = {label: " OR ".join(each) for label, each in types.items()}
    default = None if known is None else known.default
    return Place(name, ", then ".join(where), present or "false", tests, asked, default)


def place_of_texts(name: str, texts: Iterable[ir.Value]) -> Place:
    """Return the columns and test of a name whose value is the first of ``texts`` that is not NULL."""
    values = list(texts)
    where = dict.fromkeys(path_text(column.path) for value in values for column in ir.columns_in(value))
    present = " OR ".join(f"{emit_value(value)} IS NOT NULL" for value in values)
    return Place(name, ", then ".join(where), present or "false")


def _typed(stored: Stored) -> Iterator[tuple[str, ir.Predicate]]:
    """Yield the name of each type that ``stored`` can have, and the predicate that a row has a value of that type."""
    for value in stored.values:
        yield _TYPE_NAMES[CLASS_OF[value.types[0]].value], value.applies
    if stored.by_use is not None:
        for kind, used in (("number", stored.by_use.number), ("boolean", stored.by_use.boolean)):
            for value in used.values:
                if _TYPE_NAMES[CLASS_OF[value.types[0]].value] != "text":
                    # The conversion returns NULL for a text that is not of this type.
                    yield f"{kind} in text", ir.all_of(value.guard, ir.IsNull(value.value, negated=True))


def _shown_places(stored: Stored, key: str | None) -> Iterator[str]:
    """Yield the columns that ``stored`` is read from, as texts; ``key`` is the member in a JSON or VARIANT column."""
    if stored.union is not None:
        yield path_text(stored.union)
        return
    for value in stored.values:
        is_column = isinstance(ir.without_conversions(value.value), ir.Column)
        for column in ir.columns_in(value.value):
            in_document = key is not None and not is_column and len(column.path) == 1
            yield path_text((*column.path, Key(str(key))) if in_document else column.path)


def found_values(
    places: Iterable[Place],
    rows: int,
    counts: Iterable[int],
    conditions: str,
    *,
    keys: int | None = None,
    names: int = 0,
) -> FoundValues:
    """Assign ``counts`` to ``places``: each count is the number of rows that meet one of the tests from ``tests_of``.

    ``rows`` is the number of all rows, ``names`` the number of all names; the other arguments are as in the result.
    """
    remaining = iter(counts)
    values = []
    for place in places:
        present = next(remaining)
        types = {label: next(remaining) for label in place.types}
        shown = {label: count for label, count in types.items() if count}
        values.append(FoundValue(place.name, place.where, present, shown, place.asked, place.default))
    asked = sum(1 for value in values if value.asked)
    return FoundValues(rows, tuple(values), conditions, keys, max(0, names - asked))


def tests_of(places: Iterable[Place]) -> list[str]:
    """Return the SQL tests of ``places``: for each place the test of presence, then the test of each type."""
    return [test for place in places for test in (place.present, *place.types.values())]
