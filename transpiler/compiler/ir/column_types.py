"""Spark's column types and the paths from a row to a value, as data and without Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from transpiler.base.identity_enum import IdentityEnum
from transpiler.message.types import AmqpType


class SparkType(IdentityEnum):
    """The Spark types that have an AMQP counterpart, or that hold values which have one, by their SQL names."""

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
    #: A VARIANT's array of integers.
    INT_ARRAY = "ARRAY<INT>"

    @property
    def bits(self) -> int | None:
        """The width of an integer type; None for the others."""
        return _BITS.get(self)


#: The AMQP type of the values in a column, by its Spark type.
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
    """One step of a path: the value of a map at a key, or a field of a struct, written in brackets.

    A field is written so if the struct may be taken for a table: ``shipment['color']`` is never the column ``color`` of
    a table ``shipment``, as ``shipment.color`` is.
    """

    name: str

    def __str__(self) -> str:
        return self.name


class Entry(NamedTuple):
    """One step of a path: the last or the first struct of an array whose field ``key`` is a name."""

    key: str
    name: str
    first: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """Step of a path: the array element whose index is a lambda's variable."""

    variable: str

    def __post_init__(self) -> None:
        if not (self.variable.isascii() and self.variable.isidentifier()):
            raise ValueError(f"{self.variable!r} is no name of a variable")


#: A Spark type as data: its name in SQL, or ``("MAP", key, value)``, ``("ARRAY", element)``, and
#: ``("STRUCT", (name, type), …)``.
SqlType = str | tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class AsType:
    """One step of a path: the value before it, cast to a type.

    ``ValueError`` for what is no type: it would be SQL of its own.
    """

    type: SqlType

    def __post_init__(self) -> None:
        # Few columns are cast.
        from transpiler.compiler.ir.type_checks import check_sql_type

        check_sql_type(self.type)


#: From a row to a value: the name of a column, then fields of structs, keys of maps, entries and elements of arrays,
#: and casts of what they lead to.
Path = tuple[str | Key | Entry | Element | AsType, ...]


def path_text(path: Path) -> str:
    """Return a path in the user's words, without casts: ``meta.color``, ``attributes['color']``."""
    first, *steps = path
    return str(first) + "".join(
        f".{step}" if isinstance(step, str) else f"[{step.name!r}]"
        for step in steps
        if isinstance(step, str | Key | Entry)
    )
