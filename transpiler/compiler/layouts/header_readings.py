"""Readings: conversions of stored values to header fields (an integer, a text, a delivery mode, a flag or a time).

A field has its name in JMS or in a broker. A reading converts a value of any stored type to the value of the AMQP
field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Protocol

from transpiler.base.comparison import Comparison
from transpiler.base.times import iso_time
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BINARY, BOOLEAN, STRING, TIMESTAMP, ColumnType, SparkType
from transpiler.compiler.layouts.named_fields import FIELDS
from transpiler.compiler.layouts.rows import read_base64
from transpiler.compiler.layouts.spark_texts import cast_text, fits_pattern, iso_rewriting, read_time
from transpiler.compiler.layouts.stored import (
    NOTHING,
    Stored,
    StoredValue,
    stored_alternatives,
    stored_in_choice,
    stored_value,
)
from transpiler.message.header_fields import DELIVERY_MODES
from transpiler.message.types import AmqpType, AmqpValue, TypeClass


class Reading(Protocol):
    """A conversion from the stored value of a header field to the value of the AMQP field.

    There is one subclass for each type of value, and each converts in SQL (``stored``) and in Python (``read``).
    """

    def stored(self, raw: Stored) -> Stored:
        """Return the field's value in SQL; ``raw`` is the stored value."""
        ...

    def read(self, raw: AmqpValue) -> bool | int | str | None:
        """Return the field's value in Python; None if ``raw`` cannot be converted."""
        ...


def _one_value(amqp: AmqpType, parts: list[StoredValue]) -> Stored:
    """Merge ``parts`` into stored content of the one type ``amqp``: in each row, the first part that has a value."""
    if not parts:
        return NOTHING
    value = ir.first_of([ir.guarded(part.guard, part.value) for part in parts])
    if len(parts) == 1 and parts[0].guard != ir.TRUE:
        return stored_alternatives([StoredValue((amqp,), parts[0].value, parts[0].guard)], absent=ir.IsNull(value))
    return stored_value(amqp, value)


def _of(raw: Stored, *classes: TypeClass) -> list[StoredValue]:
    """Return the values of ``raw`` whose type is in one of ``classes``.

    A column or key may hold a value of another type in each row, so ``raw`` lists one value for each type.
    """
    return [item for item in raw.values if ir.type_class(item.value.type) in classes]


def _where(parts: list[StoredValue], operator: Comparison, constant: int | str) -> list[StoredValue]:
    """Return the values ``parts``, each present only in rows in which its comparison with ``constant`` holds."""
    return [
        part._replace(guard=ir.all_of(part.guard, ir.Compare(operator, part.value, ir.constant(constant))))
        for part in parts
    ]


def _integer_of(raw: Stored) -> list[StoredValue]:
    """Return the alternative values of ``raw`` that are integers, and those that are texts, cast to integers."""
    return [
        item if ir.type_class(item.value.type) is TypeClass.INTEGER else item._replace(value=_cast(item.value, BIGINT))
        for item in _of(raw, TypeClass.INTEGER, TypeClass.STRING)
    ]


def _cast(text: ir.Value, column_type: ColumnType) -> ir.Value:
    return ir.Apply(ir.Function.TRY_CAST, (text,), column_type)


def _read_integer(raw: AmqpValue) -> int | None:
    if isinstance(raw.value, str):
        number = cast_text(raw.value, SparkType.BIGINT)
        return number if isinstance(number, int) else None
    return raw.value if isinstance(raw.value, int) and not isinstance(raw.value, bool) else None


@dataclass(frozen=True, slots=True)
class Integer:
    """The conversion of a stored integer, or of text that spells an integer.

    A number less than ``least`` counts as absent; None sets no limit.
    """

    least: int | None = None

    def stored(self, raw: Stored) -> Stored:
        """Return ``raw`` converted to an integer, for SQL."""
        parts = _integer_of(raw)
        return _one_value(AmqpType.LONG, parts if self.least is None else _where(parts, Comparison.GE, self.least))

    def read(self, raw: AmqpValue) -> int | None:
        """Return ``raw`` converted to an integer; None if it cannot be converted."""
        number = _read_integer(raw)
        return None if number is None or (self.least is not None and number < self.least) else number


@dataclass(frozen=True, slots=True)
class Text:
    """The conversion of a stored string. If ``blank_is_none``, an empty string counts as absent."""

    blank_is_none: bool = False

    def stored(self, raw: Stored) -> Stored:
        """Return ``raw`` converted to a string, for SQL."""
        parts = _of(raw, TypeClass.STRING)
        return _one_value(AmqpType.STRING, _where(parts, Comparison.NE, "") if self.blank_is_none else parts)

    def read(self, raw: AmqpValue) -> str | None:
        """Return ``raw`` converted to a string; None if it cannot be converted."""
        return raw.value if isinstance(raw.value, str) and (raw.value or not self.blank_is_none) else None


@dataclass(frozen=True, slots=True)
class Base64Text:
    """The conversion of a string whose UTF-8 bytes are stored in base64."""

    def stored(self, raw: Stored) -> Stored:
        """Return ``raw`` converted to a string, for SQL."""
        texts = _of(raw, TypeClass.STRING)
        return _one_value(AmqpType.STRING, [item._replace(value=self._decoded(item.value)) for item in texts])

    def _decoded(self, text: ir.Value) -> ir.Value:
        octets = ir.Apply(ir.Function.FROM_BASE64, (text,), BINARY)
        return ir.Apply(ir.Function.TEXT_OF_BYTES, (octets,), STRING)

    def read(self, raw: AmqpValue) -> str | None:
        """Return the string in ``raw``; None if it is not base64. Bytes that are not UTF-8 become U+FFFD."""
        octets = read_base64(str(raw.value))
        return None if octets is None else octets.decode("utf-8", "replace")


#: The number of the delivery mode in JMS, AMQP 0-8 to 0-10 and MQTT bridges, by whether the message is durable.
_MODE_NUMBERS = {True: 2, False: 1}


@dataclass(frozen=True, slots=True)
class Mode:
    """The conversion of a delivery mode: 1 or 2 as number or text, a name such as PERSISTENT, or True for durable.

    If ``named_only``, a text is valid only if it is a name.
    """

    named_only: bool = False

    def stored(self, raw: Stored) -> Stored:
        """Return a boolean in SQL that is TRUE for a durable message."""
        choices = [
            (ir.all_of(item.guard, test), durable)
            for item in raw.values
            for durable in (True, False)
            if (test := self._test(item.value, durable)) is not None
        ]
        return stored_in_choice(raw, choices)

    def _test(self, value: ir.Value, durable: bool) -> ir.Predicate | None:
        match ir.type_class(value.type):
            case TypeClass.BOOLEAN:
                return ir.IsTrue(value, negated=not durable)
            case TypeClass.INTEGER:
                return ir.Compare(Comparison.EQ, value, ir.constant(_MODE_NUMBERS[durable]))
            case TypeClass.STRING:
                words = [DELIVERY_MODES[durable], *([] if self.named_only else [str(_MODE_NUMBERS[durable])])]
                if len(words) == 1:
                    return ir.Compare(Comparison.EQ, value, ir.constant(words[0]))
                return ir.In(value, tuple(ir.Constant(word, STRING) for word in words))
            case _:
                return None

    def read(self, raw: AmqpValue) -> bool | None:
        """Return True for a durable message; None if ``raw`` is not a delivery mode."""
        for durable, number in _MODE_NUMBERS.items():
            texts = (DELIVERY_MODES[durable], *(() if self.named_only else (str(number),)))
            if raw.value is durable or raw.value in texts or (raw.value == number and not isinstance(raw.value, bool)):
                return durable
        return None


@dataclass(frozen=True, slots=True)
class Flag:
    """The conversion of a stored boolean, or of text that spells a boolean."""

    def stored(self, raw: Stored) -> Stored:
        """Return ``raw`` converted to a boolean, for SQL."""
        texts = [item._replace(value=_cast(item.value, BOOLEAN)) for item in _of(raw, TypeClass.STRING)]
        return _one_value(AmqpType.BOOLEAN, _of(raw, TypeClass.BOOLEAN) + texts)

    def read(self, raw: AmqpValue) -> bool | None:
        """Return ``raw`` converted to a boolean; None if it cannot be converted."""
        value = cast_text(raw.value, SparkType.BOOLEAN) if isinstance(raw.value, str) else raw.value
        return value if isinstance(value, bool) else None


class TimeUnit(Enum):
    """The unit of a time that is stored as a number since the epoch."""

    MILLISECONDS = "ms"
    SECONDS = "s"


@dataclass(frozen=True, slots=True)
class Time:
    """The conversion of a time: a TIMESTAMP, a number in ``unit``, or text that fits the Java date ``pattern``.

    Text without a time zone is a time in ``zone``.
    """

    unit: TimeUnit = TimeUnit.MILLISECONDS
    pattern: str | None = None
    zone: str = "UTC"
    #: True if the text may contain U+202F (a narrow no-break space) where ``pattern`` has a space.
    narrow_spaces: bool = False
    #: True if the type of the column is not known: it may be a TIMESTAMP or a number.
    unbound: bool = False

    def stored(self, raw: Stored) -> Stored:
        """Return ``raw`` converted to milliseconds since the epoch, for SQL."""
        if self.unbound:
            [item] = raw.values
            return stored_value(AmqpType.TIMESTAMP, ir.Apply(ir.Function.MILLISECONDS_OF_ANY, (item.value,), BIGINT))
        if self.pattern is not None:
            texts = [item._replace(value=self._parsed(item.value)) for item in _of(raw, TypeClass.STRING)]
            return _one_value(AmqpType.TIMESTAMP, texts)
        parts = _integer_of(raw)
        if self.unit is TimeUnit.SECONDS:
            thousand = ir.constant(1000)
            parts = [
                part
                if part.types == (AmqpType.TIMESTAMP,)
                else part._replace(value=ir.Apply(ir.Function.MULTIPLY, (part.value, thousand), BIGINT))
                for part in parts
            ]
        return _one_value(AmqpType.TIMESTAMP, parts)

    def _parsed(self, text: ir.Value) -> ir.Value:
        assert self.pattern is not None
        if self.narrow_spaces:
            text = ir.Apply(ir.Function.BLANKS_WIDENED, (text,), STRING)
        return ir.Apply(ir.Function.MILLISECONDS, (_time_in(text, self.pattern, self.zone),), BIGINT)

    def read(self, raw: AmqpValue) -> int | None:
        """Return ``raw`` converted to milliseconds since the epoch; None if it cannot be converted."""
        if self.pattern is not None:
            text = str(raw.value).replace("\u202f", " ") if self.narrow_spaces else str(raw.value)
            return read_time(text, self.pattern, self.zone) if isinstance(raw.value, str) else None
        if self.unbound and isinstance(raw.value, str):
            # In a row that was read from JSON, a TIMESTAMP is text.
            return iso_time(raw.value)
        number = _read_integer(raw)
        seconds = self.unit is TimeUnit.SECONDS and raw.type is not AmqpType.TIMESTAMP
        return number * 1000 if number is not None and seconds else number


#: The Java date patterns of ISO 8601 dates and times, with and without a time zone.
_ISO = (
    "yyyy-MM-dd'T'HH:mm[:ss[.SSSSSS]]XXX",
    "yyyy-MM-dd'T'HH:mm[:ss[.SSSSSS]]",
    "yyyy-MM-dd HH:mm[:ss[.SSSSSS]]XXX",
    "yyyy-MM-dd HH:mm[:ss[.SSSSSS]]",
    "yyyy-MM-dd",
)


@dataclass(frozen=True, slots=True)
class TimeText:
    """The conversion of text to a time: milliseconds since the epoch, or ISO 8601, in UTC if it has no time zone."""

    def stored(self, raw: Stored) -> Stored:
        """Return ``raw`` converted to milliseconds since the epoch, for SQL."""
        parts = [*_integer_of(raw), *(item for pattern in _ISO for item in Time(pattern=pattern).stored(raw).values)]
        return _one_value(AmqpType.TIMESTAMP, parts)

    def read(self, raw: AmqpValue) -> int | None:
        """Return ``raw`` converted to milliseconds since the epoch; None if it cannot be converted."""
        times = (_read_integer(raw), *(Time(pattern=pattern).read(raw) for pattern in _ISO))
        return next((time for time in times if time is not None), None)


def _time_in(text: ir.Value, pattern: str, zone: str) -> ir.Value:
    """Return SQL that parses ``text`` by the date-time ``pattern`` to a TIMESTAMP; NULL if it does not fit.

    The result must not depend on ``spark.sql.legacy.timeParserPolicy`` or ``spark.sql.timestampType``. So if possible,
    ``text`` is rewritten to ISO 8601 and cast. Otherwise Spark parses it by ``pattern``, after a regular expression and
    the function that returns NULL for other text have tested that it fits.
    """
    rewriting = iso_rewriting(pattern)
    if rewriting is not None:
        replacement = rewriting.replacement if rewriting.has_zone else f"{rewriting.replacement} {zone}"
        parts = (text, ir.constant(rewriting.expression), ir.constant(replacement))
        written = ir.Apply(ir.Function.REPLACE, parts, STRING)
        if rewriting.has_gaps:
            gaps = ir.constant("(?<=[ :])(?=[:. ])"), ir.constant("0")
            written = ir.Apply(ir.Function.REPLACE, (written, *gaps), STRING)
        return ir.Apply(ir.Function.ISO_TIME, (written,), TIMESTAMP)
    fits = ir.Matches(text, fits_pattern(pattern))
    has_zone = any("X" in part for part in pattern.split("'")[::2])
    if not has_zone:
        text, pattern = ir.Apply(ir.Function.CONCATENATE, (text, ir.constant(" +00")), STRING), f"{pattern} X"
    arguments = (text, ir.constant(pattern))
    is_time = ir.IsNull(ir.Apply(ir.Function.TRY_READ_TIME, arguments, TIMESTAMP), negated=True)
    time = ir.Apply(ir.Function.READ_TIME, arguments, TIMESTAMP)
    if not has_zone and zone not in ("UTC", "Z"):
        time = ir.Apply(ir.Function.TIME_IN_ZONE, (time, ir.constant(zone)), TIMESTAMP)
    return ir.guarded(ir.all_of(fits, is_time), time)


#: The usual conversion of each header field, used unless the store or the user chooses another one.
READINGS: Mapping[str, Reading] = MappingProxyType(
    {
        **dict.fromkeys(FIELDS, Text()),
        "JMSPriority": Integer(),
        "JMSDeliveryMode": Mode(),
        "JMSRedelivered": Flag(),
        "JMSXDeliveryCount": Integer(),
        "JMS_AMQP_TTL": Integer(),
        "JMSTimestamp": Time(),
        "JMSExpiration": Time(),
        "JMSXGroupSeq": Integer(),
    }
)
