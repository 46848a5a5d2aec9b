"""The rule for where each message was published, and under which key: one for every layout and every way to route.

An option says it, for all messages or by a Column; else the column of that name, whatever the layout; else the place
that the layout documents; else, for a key, the subject. A NULL says nothing, so the next of them is read: a message
whose exchange nothing says went to the topology's default exchange, and one without a key has the empty one. An array
of keys without one is an array: the message has no key.

Invariant: a column that is read is a text, or, of several keys, an array of texts; any other type is an error.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, NullType, StructType

from spark_ext.messages.schemas import MessageColumns, analyzed_schema, own_field
from spark_ext.routing.broadcast_join import without
from transpiler import Layout
from transpiler.base.arguments import unexpected
from transpiler.base.errors import LayoutError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, ColumnType, Path
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.sql import emit_value, quote_name
from transpiler.message.header_fields import PUBLISHED_EXCHANGE, MessageField
from transpiler.message.operand_types import OperandType
from transpiler.message.publication import EXCHANGE, ROUTING_KEY, ROUTING_KEYS, ROUTING_TYPE
from transpiler.routing.columns import KEPT
from transpiler.routing.compiled_topology import Destination
from transpiler.topology.model import Topology

#: The column with the exchange that an option gives for each message, while they are routed.
_GIVEN = f"{KEPT}exchange"


class GivenExchange(NamedTuple):
    """The exchange that an option gives: the name of the one of all messages, or a Column with that of each, as SQL."""

    name: str | None
    column: Column | str | None = None

    @property
    def says(self) -> bool:
        """Return True if the option gives an exchange."""
        return self.name is not None or self.column is not None

    @property
    def path(self) -> str | None:
        """The name of the column that ``added`` makes, if it makes one."""
        return None if self.column is None else _GIVEN

    @property
    def of_each(self) -> Column | None:
        """The Column, where there is one."""
        return sf.expr(self.column) if isinstance(self.column, str) else self.column

    def added(self, frame: DataFrame) -> DataFrame:
        """Return the messages with the column, where there is one."""
        # The cast takes a collation away, which no other text for the exchange has.
        return frame if self.of_each is None else frame.withColumn(_GIVEN, self.of_each.cast("string"))

    def removed(self, frame: DataFrame) -> DataFrame:
        """Return the messages without it."""
        return frame if self.column is None else without(frame, _GIVEN)


def given_exchange(
    exchange: str | Column | None, topology: Topology, messages: DataFrame | None, columns: MessageColumns
) -> GivenExchange:
    """Return what ``exchange`` gives; a name that no exchange has, and one of the messages' columns, is that column.

    ``LayoutError`` for a column that is no text, ``TypeError`` for anything else than a name or a Column. ``messages``
    is None where there are none yet, and a Column is of no known type.
    """
    if not isinstance(exchange, str):
        return given_column(exchange, messages)
    named = topology.rules.addressing.may_name(exchange, topology.exchange_by_name)
    if named or columns.field(exchange) is None:
        return GivenExchange(exchange)
    own_text(columns, exchange)
    return GivenExchange(None, quote_name(exchange))


def given_column(exchange: object, messages: DataFrame | None) -> GivenExchange:
    """Return what a Column gives, whatever the topology; see ``given_exchange``."""
    if exchange is None:
        return GivenExchange(None)
    if not isinstance(exchange, Column):
        raise unexpected("exchange", "the name of an exchange, or a Column", exchange)
    if messages is not None:
        selected = messages.select(exchange)
        try:
            kind = analyzed_schema(selected).fields[0].dataType
        except LayoutError:
            # A pipeline analyzes it later.
            return GivenExchange(None, exchange)
        if not _is_text(kind):
            raise _no_text("the Column of exchange=", kind, "a text", 'exchange=column.cast("string")')
    return GivenExchange(None, exchange)


#: A text that is NULL in every message.
_NO_TEXT = ir.When(ir.FALSE, ir.Constant("", STRING))


def own_text(columns: MessageColumns, name: str) -> ir.Value | None:
    """Return the messages' own column of a name, a text; None where there is none."""
    field = columns.field(name)
    if field is None:
        return None
    kind = field.dataType
    if isinstance(kind, NullType):
        return _NO_TEXT
    if not _is_text(kind):
        raise _no_text(f"the column {name}", kind, "a text", f'df.withColumn("{name}", col("{name}").cast("string"))')
    column = ir.Column((field.name,), STRING)
    return ir.Apply(ir.Function.BY_BYTES, (column,), STRING) if "collate" in kind.simpleString() else column


def has_routing_keys(columns: MessageColumns) -> bool:
    """Return True if messages have a column of several routing keys; ``LayoutError`` where that has no texts."""
    field = columns.field(ROUTING_KEYS)
    if field is None or isinstance(field.dataType, NullType):
        return False
    kind = field.dataType
    if not isinstance(kind, ArrayType) or not _is_text(kind.elementType):
        raise _no_text(
            f"the column {ROUTING_KEYS}",
            kind,
            "an array of texts",
            f'df.withColumn("{ROUTING_KEYS}", array("{ROUTING_KEYS}"))',
        )
    return True


def texts_at(layout: Layout, places: Collection[MessageField]) -> list[ir.Value]:
    """Return the texts at those of some fields that a layout has, in their order."""
    fields = (layout.field(place) for place in places)
    texts = [item for field in fields if field is not None for item in at(field).of(OperandType.STRING)]
    return [item.value if item.guard == ir.TRUE else ir.When(item.guard, item.value) for item in texts]


def first_text(values: Collection[ir.Value]) -> str:
    """The first of some texts that is not NULL."""
    listed = [emit_value(value) for value in values]
    return listed[0] if len(listed) == 1 else f"coalesce({', '.join(listed)})"


def own_texts(columns: MessageColumns, name: str, places: Collection[MessageField]) -> list[ir.Value]:
    """Return the texts of the messages' own column of a name, and of some fields of the layout, in that order."""
    own = own_text(columns, name)
    return ([] if own is None else [own]) + texts_at(columns.layout, places)


def published_exchanges(columns: MessageColumns, given: str | None = None) -> list[ir.Value]:
    """Return the texts that name the exchange that a message was published to, the first of them first.

    ``given`` is the column of an option.
    """
    option: list[ir.Value] = [] if given is None else [ir.Column((given,), STRING)]
    return option + own_texts(columns, EXCHANGE, [PUBLISHED_EXCHANGE])


def columns_read(topology: Topology, to: Destination, columns: MessageColumns) -> tuple[str, ...]:
    """Return the columns that say where messages were published, without those that an option replaces."""
    addressing = topology.rules.addressing
    has_keys = not addressing.names_destinations
    read = {
        EXCHANGE: to.named is None and (to.exchange is None or to.by_default) and not to.relay,
        ROUTING_KEY: has_keys and to.key is None,
        ROUTING_KEYS: has_keys and to.key is None,
        ROUTING_TYPE: bool(addressing.routing_types) and to.routing_type is None,
    }
    return tuple(name for name, is_read in read.items() if is_read and columns.field(name) is not None)


def check_columns_read(compiled: Collection[str], now: Collection[str], to: Destination, several: bool) -> None:
    """Raise ``LayoutError`` where messages say where they were published in other columns than a plan reads.

    A column that is read as the messages come may be new: the plan does not depend on it.
    """
    lost = [name for name in compiled if name not in now]
    fixed = {EXCHANGE: to.by_default, ROUTING_KEYS: not several}
    gained = [name for name in now if name not in compiled and fixed.get(name, False)]
    for name, had, have in [(name, "with", "have none") for name in lost] + [
        (name, "without", "have one") for name in gained
    ]:
        raise LayoutError.at(
            "compiled.other-columns",
            f"the topology is compiled for messages {had} a column {name}, and these {have}",
            hint="perhaps compile it for these: compile_topology(topology, messages)",
        )


def missing_column(
    path: Path, schema: StructType, case_sensitive: bool, column_type: ColumnType | None = None
) -> str | None:
    """Return the name, with its type if that is known, of a column that a schema has not; None where it has it.

    A path is followed as far as it names columns and fields of structs. A column of NULLs has every type.
    """
    names = list(takewhile(lambda step: isinstance(step, str), path))
    name = ".".join(map(str, names)) + ("" if column_type is None or len(names) < len(path) else f" {column_type}")
    kind: DataType = schema
    for step in names:
        field = own_field(kind, str(step), case_sensitive) if isinstance(kind, StructType) else None
        if field is None:
            return name
        kind = field.dataType
    if column_type is None or len(names) < len(path) or isinstance(kind, NullType):
        return None
    return None if kind.simpleString().partition(" ")[0] == str(column_type).lower() else name


def _is_text(kind: DataType) -> bool:
    return kind.simpleString().split("(")[0].split(" ")[0] in ("string", "char", "varchar", "void")


def _no_text(what: str, kind: DataType, expected: str, cast: str) -> LayoutError:
    return LayoutError.at(
        "route.column-type",
        f"{what} has the type {kind.simpleString().upper()}, and says where a message was published: it is {expected}",
        hint=f"{cast} makes one of it, or perhaps give it another name if it is something else",
    )
