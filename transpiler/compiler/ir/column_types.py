"""Spark's column types, and paths from a row to a value, as data that does not need Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from transpiler.base.identity_enum import IdentityEnum
from transpiler.message.types import AmqpType


class SparkType(IdentityEnum):
    """The Spark types of columns that the compiler can read. The value of a member is the type's name in SQL."""

    BOOLEAN = "BOOLEAN"
    TINYINT = "TINYINT"
    SMALLINT = "SMALLINT"
    INT = "INT"
    BIGINT = "BIGINT"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    STRING = "STRING"
    CHAR = "CHAR"
    VARCHAR = "VARCHAR"
    BINARY = "BINARY"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_NTZ = "TIMESTAMP_NTZ"
    VARIANT = "VARIANT"
    #: The type of an array of integers in a VARIANT.
    INT_ARRAY = "ARRAY<INT>"

    @property
    def bits(self) -> int | None:
        """The width of an integer type, in bits; None for other types."""
        return _BITS.get(self)


#: The AMQP type of the values in a column, by the Spark type of the column.
AMQP_TYPES: Mapping[SparkType, AmqpType] = MappingProxyType(
    {
        SparkType.BOOLEAN: AmqpType.BOOLEAN,
        SparkType.TINYINT: AmqpType.BYTE,
        SparkType.SMALLINT: AmqpType.SHORT,
        SparkType.INT: AmqpType.INT,
        SparkType.BIGINT: AmqpType.LONG,
        SparkType.FLOAT: AmqpType.FLOAT,
        SparkType.DOUBLE: AmqpType.DOUBLE,
        SparkType.DECIMAL: AmqpType.DECIMAL128,
        SparkType.STRING: AmqpType.STRING,
        SparkType.CHAR: AmqpType.STRING,
        SparkType.VARCHAR: AmqpType.STRING,
        SparkType.BINARY: AmqpType.BINARY,
        SparkType.TIMESTAMP: AmqpType.TIMESTAMP,
        SparkType.TIMESTAMP_NTZ: AmqpType.TIMESTAMP,
    }
)

_BITS = {SparkType.TINYINT: 8, SparkType.SMALLINT: 16, SparkType.INT: 32, SparkType.BIGINT: 64}


class ColumnType(NamedTuple):
    """A Spark type with its parameters: precision and scale of a DECIMAL, collation of a string."""

    kind: SparkType
    precision: int = 0
    scale: int = 0
    collation: str = "UTF8_BINARY"

    @property
    def is_text(self) -> bool:
        """Return True for STRING, CHAR and VARCHAR."""
        return self.kind in (SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR)

    def __str__(self) -> str:
        if self.kind is SparkType.DECIMAL:
            return f"DECIMAL({self.precision},{self.scale})"
        if self.collation != "UTF8_BINARY":
            return f"{self.kind.value} COLLATE {self.collation}"
        return str(self.kind.value)


BOOLEAN = ColumnType(SparkType.BOOLEAN)
SMALLINT = ColumnType(SparkType.SMALLINT)
BIGINT = ColumnType(SparkType.BIGINT)
DOUBLE = ColumnType(SparkType.DOUBLE)
STRING = ColumnType(SparkType.STRING)
BINARY = ColumnType(SparkType.BINARY)
TIMESTAMP = ColumnType(SparkType.TIMESTAMP)
VARIANT = ColumnType(SparkType.VARIANT)


class Key(NamedTuple):
    """A step of a path that SQL writes in brackets: a key of a map, or a field of a struct.

    A struct's field needs brackets if Spark could mistake the struct for a table: ``shipment.color`` may be the column
    ``color`` of a table ``shipment``, but ``shipment['color']`` never is.
    """

    name: str

    def __str__(self) -> str:
        return self.name


class Entry(NamedTuple):
    """A step of a path to the last entry of an array of structs whose field ``key`` equals ``name``.

    If ``first``, the step goes to the first such entry instead.
    """

    key: str
    name: str
    first: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """A step of a path to the array element whose index is the lambda parameter ``variable``."""

    variable: str

    def __post_init__(self) -> None:
        if not (self.variable.isascii() and self.variable.isidentifier()):
            raise ValueError(f"{self.variable!r} is no name of a variable")


#: A Spark type as data: its SQL name, ``("MAP", key, value)``, ``("ARRAY", element)`` or
#: ``("STRUCT", (name, type), …)``.
SqlType = str | tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class AsType:
    """A step of a path that casts the value before it to ``type``.

    The constructor raises ``ValueError`` for an invalid type, because the type is written into the SQL unquoted.
    """

    type: SqlType

    def __post_init__(self) -> None:
        # Imported in the function to save start-up time: few columns are cast.
        from transpiler.compiler.ir.type_checks import check_sql_type

        check_sql_type(self.type)


#: The path from a row to a value: the name of a column, then steps into structs, maps and arrays, and casts.
Path = tuple[str | Key | Entry | Element | AsType, ...]


def path_text(path: Path) -> str:
    """Return ``path`` as text for users, without casts: ``meta.color``, ``attributes['color']``."""
    first, *steps = path
    return str(first) + "".join(
        f".{step}" if isinstance(step, str) else f"[{step.name!r}]"
        for step in steps
        if isinstance(step, str | Key | Entry)
    )
