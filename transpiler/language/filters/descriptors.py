"""The descriptors of filters: one table for decoding, encoding and advertising.

A symbol identifies one row. A numeric code means the first row that has the code; if two documents assign the same code
to two kinds of filters, ``other_descriptor_of_code`` returns the second kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from transpiler.language.filters.kinds import (
    AndFilter,
    ApplicationPropertiesFilter,
    DirectBinding,
    Filter,
    HeadersBinding,
    JmsSelector,
    NoLocal,
    NotFilter,
    OrFilter,
    PropertiesFilter,
    SqlFilter,
    TopicBinding,
)

#: The domain of the descriptors that Apache defines: the upper 32 bits of their numeric codes.
APACHE = 0x0000468C << 32


class Payload(Enum):
    """The AMQP type of a filter's payload (the value after the descriptor), by its name in the type system."""

    STRING = "string"
    MAP = "map"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A row of the table of filters: symbol, numeric code, the filter's class, and the capability that peers advertise.

    ``kind`` is None if this library knows the descriptor but does not implement the filter.
    """

    symbol: str
    code: int
    kind: type[Filter] | None
    payload: Payload
    capability: str
    source: str

    @property
    def code_text(self) -> str:
        """The numeric code as the documents write it, such as ``0x0000468C:0x00000004``."""
        return code_text(self.code)


_LEGACY = "APACHE.ORG:LEGACY_AMQP_EXCHANGE_FILTERS"
_JMS = "APACHE.ORG:JMS_FILTERS"
_LOGIC = "APACHE.ORG:LOGIC_FILTERS"
_PROPERTIES = "AMQP_FILTEX_PROP_V1_0"
_SQL = "AMQP_FILTEX_SQL_V1_0"
_DOCUMENT = "Apache AMQP filters"
_OLDER = "apache-filters.xml"
_FILTEX = "AMQP Filter Expressions 1.0"

DESCRIPTORS: tuple[Descriptor, ...] = (
    Descriptor(
        "apache.org:legacy-amqp-direct-binding:string",
        APACHE,
        DirectBinding,
        Payload.STRING,
        _LEGACY,
        f"{_DOCUMENT} 1.1",
    ),
    Descriptor(
        "apache.org:legacy-amqp-topic-binding:string",
        APACHE + 1,
        TopicBinding,
        Payload.STRING,
        _LEGACY,
        f"{_DOCUMENT} 1.2",
    ),
    Descriptor(
        "apache.org:legacy-amqp-headers-binding:map",
        APACHE + 2,
        HeadersBinding,
        Payload.MAP,
        _LEGACY,
        f"{_DOCUMENT} 1.3",
    ),
    Descriptor("apache.org:jms-no-local-filter:list", APACHE + 3, NoLocal, Payload.LIST, _JMS, f"{_DOCUMENT} 2.1"),
    Descriptor("apache.org:no-local-filter:list", APACHE + 3, NoLocal, Payload.LIST, "APACHE.ORG:NO_LOCAL", _OLDER),
    Descriptor(
        "apache.org:jms-selector-filter:string", APACHE + 4, JmsSelector, Payload.STRING, _JMS, f"{_DOCUMENT} 2.2"
    ),
    Descriptor(
        "apache.org:selector-filter:string", APACHE + 4, JmsSelector, Payload.STRING, "APACHE.ORG:SELECTOR", _OLDER
    ),
    Descriptor("apache.org:or-filter:list", APACHE + 5, OrFilter, Payload.LIST, _LOGIC, f"{_DOCUMENT} 3.1"),
    Descriptor("apache.org:xquery-filter:string", APACHE + 5, None, Payload.STRING, "", "Qpid C++ broker"),
    Descriptor("apache.org:and-filter:list", APACHE + 6, AndFilter, Payload.LIST, _LOGIC, f"{_DOCUMENT} 3.2"),
    Descriptor("apache.org:not-filter:list", APACHE + 7, NotFilter, Payload.LIST, _LOGIC, f"{_DOCUMENT} 3.3"),
    Descriptor("amqp:properties-filter", 0x173, PropertiesFilter, Payload.MAP, _PROPERTIES, f"{_FILTEX} 4.2.4"),
    Descriptor(
        "amqp:application-properties-filter",
        0x174,
        ApplicationPropertiesFilter,
        Payload.MAP,
        _PROPERTIES,
        f"{_FILTEX} 4.2.5",
    ),
    Descriptor("amqp:sql-filter", 0x120, SqlFilter, Payload.STRING, _SQL, _FILTEX),
)

BY_SYMBOL: Mapping[str, Descriptor] = MappingProxyType({row.symbol: row for row in DESCRIPTORS})
BY_CODE: Mapping[int, Descriptor] = MappingProxyType({row.code: row for row in reversed(DESCRIPTORS)})
BY_KIND: Mapping[type[Filter], Descriptor] = MappingProxyType(
    {row.kind: row for row in reversed(DESCRIPTORS) if row.kind is not None}
)


def find_descriptor(name: str | int) -> Descriptor | None:
    """Return the descriptor with the symbol or numeric code ``name``; None if no document defines it."""
    return BY_SYMBOL.get(name) if isinstance(name, str) else BY_CODE.get(name)


def other_descriptor_of_code(code: int) -> Descriptor | None:
    """Return another row with ``code`` if two documents give one code to different filters; else None."""
    chosen = BY_CODE.get(code)
    return next((row for row in DESCRIPTORS if chosen and row.code == code and row.kind is not chosen.kind), None)


def code_text(code: int) -> str:
    """Return the numeric code as the documents write it: domain and number, both in hexadecimal."""
    return f"0x{code >> 32:08X}:0x{code & 0xFFFFFFFF:08X}"


def read_code(text: str) -> int | None:
    """Parse a numeric code such as ``0x0000468C:0x00000004`` or ``0x120``; return None for any other text."""
    parts = text.split(":")
    if len(parts) > 2 or not all(part[:2].lower() == "0x" and 2 < len(part) <= 18 for part in parts):
        return None
    try:
        numbers = [int(part, 16) for part in parts]
    except ValueError:
        return None
    if len(numbers) == 1:
        return numbers[0]
    return (numbers[0] << 32) + numbers[1] if max(numbers) < 2**32 else None
