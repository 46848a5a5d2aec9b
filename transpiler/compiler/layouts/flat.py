"""Typed columns: each column, or each field of one named struct, is the property of exactly that name.

Sections of the canonical schema that stand beside the columns serve the header names. ``typed_schema`` makes such a
layout of a schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transpiler.base.diagnostics import Advice, ColumnFix, Remedy, first_of
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, Setting, StoreCall
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import AMQP_TYPES, Path, SparkType
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.columns import like_columns
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.named_fields import NAMES
from transpiler.compiler.layouts.stored import Stored, stored_column
from transpiler.message.header_fields import PUBLISHER_CONNECTION, TYPED_SUBJECT, MessageField
from transpiler.message.sections import FIELD_TYPES
from transpiler.message.types import AmqpType

if TYPE_CHECKING:
    from transpiler.message.message import Message


@dataclass(frozen=True, slots=True)
class Unusable:
    """A column that cannot be a property, and why; ``store`` is the layout that reads properties in it.

    ``fix`` is what the hint says to do. ``has_keys`` if the hint is about the values in it, by their keys. ``ordered``
    is another hint, for a column that is compared with numbers.
    """

    reason: str
    hint: str
    store: StoreCall | None = None
    fix: Remedy | None = None
    has_keys: bool = False
    ordered: Unusable | None = None

    def refusal(self, subject: str) -> LayoutError:
        """Return the error of a name that reads the column."""
        return LayoutError.at("layout.column-type", f"{subject}: {self.reason}", hint=self.hint, fix=self.fix)


_TEXTS = (SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR)
#: Columns that each record of Kafka has, whatever is in it.
KAFKA = frozenset(("key", "value", "topic", "partition", "offset"))
#: Columns in a ``repr``.
MAX_NAMES = 8
#: Columns that often are JSON, where they are text.
_JSON = frozenset("body data headers json message payload properties value".split())


@dataclass(frozen=True, slots=True, repr=False)
class FlatLayout:
    """Properties in typed columns, header names in the canonical sections beside them, if any."""

    columns: Mapping[str, ir.Column | Unusable]
    sections: AmqpLayout
    name: str = "flat"

    def __repr__(self) -> str:
        return f"FlatLayout({self.name}: {first_of(self.columns, MAX_NAMES)})"

    def field(self, place: MessageField) -> Stored | None:
        """The place of a section's field where the DataFrame has that section.

        A column with the name of its annotation holds the publisher's connection, and JMSType the subject that a
        message was published with.
        """
        if place == TYPED_SUBJECT:
            subject = self.subject
            return None if subject is None else stored_column(subject.path, subject.type)
        stored = self.sections.field(place)
        return self.property(place.field) if stored is None and place == PUBLISHER_CONNECTION else stored

    @property
    def subject(self) -> ir.Column | None:
        """The text column with the subject; None where there is none, or a section has it."""
        column = None if "properties" in self.sections.sections else self.columns.get(TYPED_SUBJECT.field)
        return column if isinstance(column, ir.Column) and column.type.kind in _TEXTS else None

    def property(self, name: str) -> Stored | None:
        """The column of exactly that name; ``LayoutError`` where its type has no AMQP counterpart."""
        column = self.columns.get(name)
        if isinstance(column, Unusable):
            raise column.refusal(f"column {name}")
        return None if column is None else stored_column(column.path, column.type)

    def offers(self, place: MessageField) -> tuple[Advice, ...]:
        """Return the columns that may have a header field, or the stores that read properties from one."""
        if place.section == "application_properties":
            json = (
                _json(name, place.field)
                for name, column in self.columns.items()
                if name.lower() in _JSON and isinstance(column, ir.Column) and column.type.kind is SparkType.STRING
            )
            unusable = (
                Advice(Hint(f"for a key of the column {name}: ", column.store or column.hint), column.fix)
                for name, column in self.columns.items()
                if isinstance(column, Unusable) and (column.store or column.has_keys)
            )
            return (*unusable, *json)
        name = NAMES.get(place)
        like = [] if name is None else like_columns(name, self._columns_like(place))
        return tuple(_renamed(column, str(name)) for column in like)

    def _columns_like(self, place: MessageField) -> Iterator[str]:
        """Yield the columns of a type that a header field may have: text is no time and no number."""
        is_text = AmqpType.STRING in FIELD_TYPES.get(place.section, {}).get(place.field, ())
        # It says whose time a record's is.
        of_kafka = {"timestampType"} if self.columns.keys() >= KAFKA else set()
        for name, column in self.columns.items():
            if isinstance(column, ir.Column) and (column.type.kind in _TEXTS or not is_text) and name not in of_kafka:
                yield name

    def named_header(self, name: str) -> Stored | None:
        """Return the column of a header field's name."""
        return self.property(name)

    def declaration(self, name: str, kind: str) -> Advice | None:
        """The column to make of one that has another type than a selector compares it with."""
        if name == "JMSDeliveryMode" and kind == "a string":
            modes = "CASE JMSDeliveryMode WHEN 2 THEN 'PERSISTENT' WHEN 1 THEN 'NON_PERSISTENT' END"
            made, fix = replaced((name,), modes)
            return Advice(f"{made} has the words that a selector reads", fix)
        column, types = self.columns.get(name), {"a number": "DOUBLE", "a boolean": "BOOLEAN"}
        if kind == "a string" and isinstance(column, ir.Column) and column.type.kind is SparkType.BINARY:
            made, fix = recast(column.path, "string")
            return Advice(f"{made} makes text of it, if its bytes are UTF-8", fix)
        if (
            not isinstance(column, ir.Column)
            or kind not in types
            or AMQP_TYPES[column.type.kind] is not AmqpType.STRING
        ):
            return None
        made, fix = replaced(column.path, f"try_cast({spelled(column.path)} AS {types[kind]})")
        return Advice(f"{made} makes {kind} of the column", fix)

    def names(self) -> tuple[str, ...]:
        """The columns that can be properties."""
        return tuple(name for name, column in self.columns.items() if isinstance(column, ir.Column))

    def message(self, row: object) -> Message:
        """The message in a row: columns are properties, and header fields where they have the name of one."""
        from transpiler.compiler.layouts.amqp_rows import flat_message
        from transpiler.compiler.layouts.rows import row_columns

        typed = {name: column for name, column in self.columns.items() if isinstance(column, ir.Column)}
        return flat_message(row_columns(row), typed, self.sections.sections)


def _renamed(column: str, header: str) -> Advice:
    renamed = f"if the column {column} has it: df.withColumnRenamed({column!r}, {header!r}), or "
    setting = Setting("headers", {header: column}, of_schema=True)
    return Advice(Hint(renamed, setting), setting.fix)


def _json(column: str, name: str) -> Advice:
    store = StoreCall("variant", column, {"json": True})
    # Members are the properties, without the column.
    renamed = f", and {name.removeprefix(f'{column}.')} in the place of {name}" if name.startswith(f"{column}.") else ""
    return Advice(Hint(f"if the column {column} is JSON: ", store, renamed), store.fix)


def replaced(path: Path, expression: str) -> tuple[str, ColumnFix]:
    """Return an expression in the place of a column, or of a field of a struct, as Python and as a fix."""
    return _written(path, f'expr("{expression}")'), ColumnFix(".".join(map(str, path)), expression)


def recast(path: Path, kind: str) -> tuple[str, ColumnFix]:
    """Return a cast of a column in its place, as Python and as a fix."""
    fix = ColumnFix(".".join(map(str, path)), f"CAST({spelled(path)} AS {kind.upper()})")
    return _written(path, f'col("{spelled(path)}").cast("{kind}")'), fix


def _written(path: Path, column: str) -> str:
    first, *fields = map(str, path)
    if fields:
        column = f'col("{first}").withField("{".".join(fields)}", {column})'
    return f'df.withColumn("{first}", {column})'


def spelled(path: Path) -> str:
    """Return the path of a column in SQL, with quotes around each name that is not plain."""
    names = map(str, path)
    return ".".join(
        name if name.isascii() and name.isidentifier() else f"`{name.replace('`', '``')}`" for name in names
    )


def typed_columns_of(layout: Layout) -> FlatLayout | None:
    """Return a layout as one of typed columns; None for one of another kind."""
    return layout if isinstance(layout, FlatLayout) else None
