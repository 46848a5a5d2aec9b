"""The rule for the exchange and the routing key with which each message was published, for all layouts and routers.

The first of these sources that has a value applies: an option, either one value for all messages or a Column; the
column named ``exchange`` or ``routing_key``, in any layout; the column that the layout documents; for a key, the
subject. If a source is NULL, the next source is read. A message without an exchange was published to the topology's
default exchange, and a message without a key has the empty key. An empty array of routing keys is a value: the message
has no key.

Invariant: these columns contain strings, or arrays of strings if there are several keys; any other type is an error.
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

#: The temporary column with the exchange of each message from an option.
_GIVEN = f"{KEPT}exchange"


class GivenExchange(NamedTuple):
    """The exchange from the option ``exchange``: ``name`` for all messages, or a Column (or SQL) for each message.

    If both are None, the option was not given.
    """

    name: str | None
    column: Column | str | None = None

    @property
    def says(self) -> bool:
        """True if the option ``exchange`` was given, as a name or as a Column."""
        return self.name is not None or self.column is not None

    @property
    def path(self) -> str | None:
        """The name of the column that ``added`` adds; None if it adds no column."""
        return None if self.column is None else _GIVEN

    @property
    def of_each(self) -> Column | None:
        """The Column with the exchange of each message; None if the option is a name or was not given."""
        return sf.expr(self.column) if isinstance(self.column, str) else self.column

    def added(self, frame: DataFrame) -> DataFrame:
        """Return ``frame`` with the temporary column of the exchange; unchanged if the option is not a Column."""
        # The cast removes a collation, so that exchange names from this column compare like names given as text.
        return frame if self.of_each is None else frame.withColumn(_GIVEN, self.of_each.cast("string"))

    def removed(self, frame: DataFrame) -> DataFrame:
        """Return ``frame`` without the temporary column that ``added`` added."""
        return frame if self.column is None else without(frame, _GIVEN)


def given_exchange(
    exchange: str | Column | None, topology: Topology, messages: DataFrame | None, columns: MessageColumns
) -> GivenExchange:
    """Interpret the option ``exchange``; a name that is no exchange but a column of the messages means that column.

    Raises ``LayoutError`` if a column is not a string, and ``TypeError`` if ``exchange`` is neither a name nor a
    Column. If ``messages`` is None, the type of a Column is not checked.
    """
    if not isinstance(exchange, str):
        return given_column(exchange, messages)
    named = topology.rules.addressing.may_name(exchange, topology.exchange_by_name)
    if named or columns.field(exchange) is None:
        return GivenExchange(exchange)
    own_text(columns, exchange)
    return GivenExchange(None, quote_name(exchange))


def given_column(exchange: object, messages: DataFrame | None) -> GivenExchange:
    """Return the option ``exchange``, a Column or None, as a ``GivenExchange``; raise ``TypeError`` for other types."""
    if exchange is None:
        return GivenExchange(None)
    if not isinstance(exchange, Column):
        raise unexpected("exchange", "the name of an exchange, or a Column", exchange)
    if messages is not None:
        selected = messages.select(exchange)
        try:
            kind = analyzed_schema(selected).fields[0].dataType
        except LayoutError:
            # In the query function of a declarative pipeline, the type of the Column is not known yet.
            return GivenExchange(None, exchange)
        if not _is_text(kind):
            raise _no_text("the Column of exchange=", kind, "a text", 'exchange=column.cast("string")')
    return GivenExchange(None, exchange)


#: A string value that is NULL in every message.
_NO_TEXT = ir.When(ir.FALSE, ir.Constant("", STRING))


def own_text(columns: MessageColumns, name: str) -> ir.Value | None:
    """Return the messages' own column ``name``; None if it is missing. Raise ``LayoutError`` if it is not a string."""
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
    """Return True if the messages have a column of several routing keys; raise ``LayoutError`` if its type is wrong."""
    field = columns.field(ROUTING_KEYS)
    if field is None or isinstance(field.dataType, NullType):
        return False
    kind = field.dataType
    if not isinstance(kind, ArrayType) or not _is_text(kind.elementType):
        own = f'col("{ROUTING_KEYS}")'
        texts = f'{own}.cast("array<string>")' if isinstance(kind, ArrayType) else f'array({own}.cast("string"))'
        cast = f'df.withColumn("{ROUTING_KEYS}", {texts})'
        raise _no_text(f"the column {ROUTING_KEYS}", kind, "an array of texts", cast)
    return True


def texts_at(layout: Layout, message_fields: Collection[MessageField]) -> list[ir.Value]:
    """Return the string values of the message fields ``message_fields``, as far as ``layout`` has them, in order."""
    fields = (layout.field(message_field) for message_field in message_fields)
    texts = [item for field in fields if field is not None for item in at(field).of(OperandType.STRING)]
    return [item.value if item.guard == ir.TRUE else ir.When(item.guard, item.value) for item in texts]


def first_text(values: Collection[ir.Value]) -> str:
    """Return the SQL of the first of ``values`` that is not NULL."""
    listed = [emit_value(value) for value in values]
    return listed[0] if len(listed) == 1 else f"coalesce({', '.join(listed)})"


def own_texts(columns: MessageColumns, name: str, message_fields: Collection[MessageField]) -> list[ir.Value]:
    """Return the string values of the messages' own column ``name`` and of ``message_fields``, in that order."""
    own = own_text(columns, name)
    return ([] if own is None else [own]) + texts_at(columns.layout, message_fields)


def published_exchanges(columns: MessageColumns, given: str | None = None) -> list[ir.Value]:
    """Return the string values that can contain the exchange of a message, the preferred one first.

    ``given`` is the column with the exchange from an option; None without such an option.
    """
    option: list[ir.Value] = [] if given is None else [ir.Column((given,), STRING)]
    return option + own_texts(columns, EXCHANGE, [PUBLISHED_EXCHANGE])


def columns_read(topology: Topology, to: Destination, columns: MessageColumns) -> tuple[str, ...]:
    """Return the names of the columns for exchange, routing keys and routing type that are read from the messages.

    A column is not read if the messages do not have it, or if an option in ``to`` replaces it.
    """
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
    """Raise ``LayoutError`` if the messages have other columns for exchange and keys than those at compilation.

    ``compiled`` and ``now`` are the names from ``columns_read``, at compilation and now. A missing column is always an
    error. A new column is an error if the plan could not use it: an exchange, if the plan uses the default exchange; or
    several routing keys, if ``several`` is False.
    """
    lost = [name for name in compiled if name not in now]
    fixed = {EXCHANGE: to.by_default, ROUTING_KEYS: not several}
    gained = [name for name in now if name not in compiled and fixed.get(name, False)]
    for name, had, have in [(name, "with", "lack this column") for name in lost] + [
        (name, "without", "have this column") for name in gained
    ]:
        raise LayoutError.at(
            "compiled.other-columns",
            f"the topology was compiled for messages {had} a column {name}, but these messages {have}",
            hint="perhaps compile the topology for these messages: compile_topology(topology, messages)",
        )


def missing_column(
    path: Path, schema: StructType, case_sensitive: bool, column_type: ColumnType | None = None
) -> str | None:
    """Return the name of the column or field ``path``, with its type, if ``schema`` lacks it; None if it exists.

    Only the columns and struct fields at the beginning of ``path`` are checked. A VOID column matches every type. If
    ``column_type`` is None, the type is not checked.
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
        f"{what} has the type {kind.simpleString().upper()}, but it must be {expected}, because it "
        "contains where each message was published",
        hint=f"perhaps convert the column with {cast}, or rename the column if it means something else",
    )
