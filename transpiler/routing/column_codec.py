"""Columnar codec of plain data: dataclasses, named tuples, enumerations and the containers of Python, as buffers.

The values at one place of a structure are one column, as in Parquet: a million rows of constants are a dozen buffers,
which Python reads and writes in bulk. A field of a class is a column by its name, so nothing here knows any class.

Invariants: ``decode(*encode(value)) == value``; decoding makes objects of no class but this package's data classes,
and of those only with exactly the fields that they had when they were encoded. Functions are no data and are refused.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cache, partial
from importlib import import_module
from itertools import accumulate, chain, islice, pairwise, repeat
from operator import attrgetter
from types import MappingProxyType
from typing import Any

#: Values of which each distinct one is kept once, if there are so many values for each at least.
_REPEATS = 4

#: Values of which the first are looked at to see whether they repeat.
_LOOKED_AT = 1_000

#: Items of a tuple up to which each place is a column; a longer one is a list.
_WIDEST = 32

#: Marks that may separate the texts of one buffer.
_SEPARATORS = "\x00\x01\x02\n\x1f\ue000\ue001"

#: The type codes of ``array`` for integers, from the narrowest on.
_WIDTHS = "bhiq"

#: What the header says about a column: its kind, the number of its buffer, and the columns that it is made of.
Header = dict[str, Any]


def encode(value: object) -> tuple[Header, list[bytes]]:
    """Return the header of a value, which is JSON, and its buffers. ``TypeError`` for what is no plain data."""
    encoder = _Encoder()
    root = encoder.column([value])
    return {"classes": encoder.classes, "root": root, "order": sys.byteorder}, encoder.buffers


def decode(header: Header, buffers: Sequence[bytes | memoryview]) -> Any:
    """Return the value. ``ValueError`` where its classes are others now, or the data are damaged."""
    try:
        for name, names in header["classes"].items():
            if list(_names(_class(name))) != names:
                raise ValueError(f"{name} has other fields here")
        decoder = _Decoder(buffers, header["order"] != sys.byteorder)
        [value] = decoder.column(header["root"], 1)
    except (KeyError, IndexError, TypeError, AttributeError, ImportError, UnicodeDecodeError) as error:
        raise ValueError(f"the data are damaged: {type(error).__name__}: {error}") from None
    return value


def encode_block(value: object) -> bytes:
    """Return a value as one piece: the length of its header in four bytes, the header, and the buffers."""
    header, buffers = encode(value)
    text = json.dumps([header, list(map(len, buffers))], separators=(",", ":")).encode()
    return b"".join([len(text).to_bytes(4, "big"), text, *buffers])


def decode_block(block: bytes | memoryview) -> Any:
    """Return the value of a block. ``ValueError`` as ``decode``."""
    data = memoryview(block)
    start = 4 + int.from_bytes(data[:4], "big")
    header, lengths = json.loads(bytes(data[4:start]))
    return decode(header, [data[at:end] for at, end in pairwise(accumulate(lengths, initial=start))])


def _names(data_class: type) -> tuple[str, ...]:
    """Return the names of the fields of a data class, a named tuple, or the members of an enumeration."""
    if issubclass(data_class, Enum):
        return tuple(data_class.__members__)
    if is_dataclass(data_class):
        return tuple(field.name for field in fields(data_class) if field.init)
    named: tuple[str, ...] = data_class._fields  # type: ignore[attr-defined]
    return named


@cache
def _class(name: str) -> type:
    """Return the class of a name, which is data: no other is ever called."""
    module, _, path = name.partition(":")
    if not module.startswith("transpiler."):
        raise ValueError(f"{name} is no class of this package")
    named: Any = import_module(module)
    for part in path.split("."):
        named = getattr(named, part)
    if not isinstance(named, type) or not _is_data(named):
        raise ValueError(f"{name} is no data class")
    return named


def _is_data(kind: type) -> bool:
    return is_dataclass(kind) or issubclass(kind, Enum) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


class _Encoder:
    def __init__(self) -> None:
        self.buffers: list[bytes] = []
        self.classes: dict[str, list[str]] = {}

    def column(self, values: Sequence[Any]) -> Header:
        kinds = set(map(type, values))
        if len(kinds) != 1:
            return self._union(values, kinds) if kinds else {"kind": "none"}
        [kind] = kinds
        if kind is type(None):
            return {"kind": "none"}
        if len(values) > 1 and kind in _REPEATABLE and (repeated := self._repeated(values)) is not None:
            return repeated
        if kind in _SIMPLE:
            return _SIMPLE[kind](self, values)
        if kind is tuple:
            return self._tuples(values)
        if kind in (list, frozenset, set):
            return self._lists(kind.__name__, values)
        if kind in (dict, MappingProxyType):
            return self._dicts(kind.__name__, values)
        if not _is_data(kind):
            raise TypeError(f"a {kind.__module__}.{kind.__qualname__} is no plain data")
        return self._objects(kind, values)

    def _buffer(self, data: bytes) -> int:
        self.buffers.append(data)
        return len(self.buffers) - 1

    def _repeated(self, values: Sequence[Any]) -> Header | None:
        """Each distinct value once, where few are."""
        if len(set(islice(values, _LOOKED_AT))) * _REPEATS > min(len(values), _LOOKED_AT):
            return None
        codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
        # 0.0 equals -0.0, and NaN nothing.
        if len(codes) * _REPEATS > len(values) or any(value != value or value == 0.0 for value in codes):
            return None
        return {
            "kind": "repeated",
            "count": len(codes),
            "codes": self._integers(list(map(codes.__getitem__, values))) if len(codes) > 1 else None,
            "values": _SIMPLE[type(values[0])](self, list(codes)),
        }

    def _integers(self, values: Sequence[int]) -> Header:
        for width in _WIDTHS:
            try:
                return {"kind": "integer", "width": width, "buffer": self._buffer(array(width, values).tobytes())}
            except OverflowError:
                continue
        return {"kind": "long", "texts": self._texts(list(map(str, values)))}

    def _floats(self, values: Sequence[float]) -> Header:
        return {"kind": "float", "buffer": self._buffer(array("d", values).tobytes())}

    def _decimals(self, values: Sequence[Decimal]) -> Header:
        return {"kind": "decimal", "texts": self._texts(list(map(str, values)))}

    def _booleans(self, values: Sequence[bool]) -> Header:
        return {"kind": "boolean", "buffer": self._buffer(bytes(values))}

    def _texts(self, values: Sequence[str]) -> Header:
        joined = "".join(values)
        separator = next((mark for mark in _SEPARATORS if mark not in joined), None)
        if separator is not None:
            data = separator.join(values).encode("utf-8", "surrogatepass")
            return {"kind": "text", "separator": separator, "buffer": self._buffer(data)}
        return {"kind": "texts", "bytes": self._bytes([text.encode("utf-8", "surrogatepass") for text in values])}

    def _bytes(self, values: Sequence[bytes]) -> Header:
        lengths = self._integers(list(map(len, values)))
        return {"kind": "bytes", "lengths": lengths, "buffer": self._buffer(b"".join(values))}

    def _tuples(self, values: Sequence[tuple[Any, ...]]) -> Header:
        lengths = set(map(len, values))
        if len(lengths) > 1 or max(lengths) > _WIDEST:
            return self._lists("tuple", values)
        return {"kind": "row", "columns": [self.column(column) for column in zip(*values, strict=True)]}

    def _lists(self, kind: str, values: Sequence[Iterable[Any]]) -> Header:
        items = list(chain.from_iterable(values))
        lengths = self.column(list(map(len, values)))  # type: ignore[arg-type]
        return {"kind": kind, "lengths": lengths, "count": len(items), "items": self.column(items)}

    def _dicts(self, kind: str, values: Sequence[Mapping[Any, Any]]) -> Header:
        keys = list(chain.from_iterable(values))
        items = list(chain.from_iterable(value.values() for value in values))
        lengths = self.column(list(map(len, values)))
        columns = {"keys": self.column(keys), "items": self.column(items)}
        return {"kind": kind, "lengths": lengths, "count": len(keys), **columns}

    def _objects(self, kind: type, values: Sequence[Any]) -> Header:
        name, names = f"{kind.__module__}:{kind.__qualname__}", _names(kind)
        if _class(name) is not kind:
            raise TypeError(f"{name} is another class")
        self.classes[name] = list(names)
        if issubclass(kind, Enum):
            return {"kind": "enum", "class": name, "names": self.column([value.name for value in values])}
        if issubclass(kind, tuple):
            columns: Iterable[Sequence[Any]] = zip(*values, strict=True)
        else:
            columns = (list(map(attrgetter(field), values)) for field in names)
        return {"kind": "object", "class": name, "columns": [self.column(column) for column in columns]}

    def _union(self, values: Sequence[Any], kinds: set[type]) -> Header:
        ordered = sorted(kinds, key=lambda kind: (kind.__module__, kind.__qualname__))
        codes = {kind: code for code, kind in enumerate(ordered)}
        parts: list[list[Any]] = [[] for _ in ordered]
        for value in values:
            parts[codes[type(value)]].append(value)
        return {
            "kind": "union",
            "codes": self._integers([codes[type(value)] for value in values]),
            "counts": list(map(len, parts)),
            "columns": list(map(self.column, parts)),
        }


_SIMPLE: dict[type, Callable[[_Encoder, Sequence[Any]], Header]] = {
    bool: _Encoder._booleans,
    int: _Encoder._integers,
    float: _Encoder._floats,
    Decimal: _Encoder._decimals,
    str: _Encoder._texts,
    bytes: _Encoder._bytes,
}
_REPEATABLE = frozenset({int, str, float})


class _Decoder:
    def __init__(self, buffers: Sequence[bytes | memoryview], swapped: bool) -> None:
        self._buffers = buffers
        self._swapped = swapped

    def column(self, header: Header, count: int) -> list[Any]:
        """Return the values of a column."""
        values = self._values(header, count)
        if len(values) != count:
            raise ValueError(f"the data are damaged: a column has {len(values)} values for {count}")
        return values

    def _values(self, header: Header, count: int) -> list[Any]:
        match header["kind"]:
            case "none":
                return [None] * count
            case "boolean":
                return list(map(bool, self._buffers[header["buffer"]]))
            case "integer":
                return self._array(header["width"], header["buffer"])
            case "long":
                return list(map(int, self.column(header["texts"], count)))
            case "decimal":
                return list(map(Decimal, self.column(header["texts"], count)))
            case "float":
                return self._array("d", header["buffer"])
            case "text":
                return self._text(header["buffer"]).split(header["separator"]) if count else []
            case "texts":
                return [data.decode("utf-8", "surrogatepass") for data in self.column(header["bytes"], count)]
            case "bytes":
                data = iter(bytes(self._buffers[header["buffer"]]))
                return [bytes(islice(data, length)) for length in self.column(header["lengths"], count)]
            case "repeated":
                values = self.column(header["values"], header["count"])
                return values * count if header["codes"] is None else self._chosen(values, header["codes"], count)
            case "row":
                columns = [self.column(column, count) for column in header["columns"]]
                return list(zip(*columns, strict=True)) if columns else [()] * count
            case "list" | "tuple" | "set" | "frozenset" | "dict" | "mappingproxy":
                return self._containers(header, count)
            case "enum":
                members = _class(header["class"]).__members__  # type: ignore[attr-defined]
                return [members[name] for name in self.column(header["names"], count)]
            case "object":
                columns = [self.column(column, count) for column in header["columns"]]
                return self._objects(_class(header["class"]), columns, count)
            case "union":
                parts = [iter(self.column(*pair)) for pair in zip(header["columns"], header["counts"], strict=True)]
                return [next(parts[code]) for code in self.column(header["codes"], count)]
            case kind:
                raise ValueError(f"the data are damaged: a column of kind {kind!r}")

    def _text(self, buffer: int) -> str:
        return str(self._buffers[buffer], "utf-8", "surrogatepass")

    def _array(self, width: str, buffer: int) -> list[Any]:
        values = array(width)
        values.frombytes(self._buffers[buffer])
        if self._swapped:
            values.byteswap()
        return values.tolist()

    def _chosen(self, values: list[Any], codes: Header, count: int) -> list[Any]:
        return list(map(values.__getitem__, self.column(codes, count)))

    def _containers(self, header: Header, count: int) -> list[Any]:
        lengths = self.column(header["lengths"], count)
        if sum(lengths) != header["count"]:
            raise ValueError("the data are damaged: lengths do not add up")
        kind = header["kind"]
        if kind in ("dict", "mappingproxy"):
            keys, items = self.column(header["keys"], header["count"]), self.column(header["items"], header["count"])
            if all(map((1).__eq__, lengths)):
                made = [{key: item} for key, item in zip(keys, items, strict=True)]
            else:
                pairs = zip(keys, items, strict=True)
                made = [dict(islice(pairs, length)) for length in lengths]
            return made if kind == "dict" else list(map(MappingProxyType, made))
        items = self.column(header["items"], header["count"])
        if kind == "list" and all(map((1).__eq__, lengths)):
            return [[item] for item in items]
        parts = _parts(items, lengths)
        return list(parts) if kind == "list" else list(map({"tuple": tuple, "set": set}.get(kind, frozenset), parts))

    def _objects(self, kind: type, columns: list[list[Any]], count: int) -> list[Any]:
        rows = zip(*columns, strict=True) if columns else repeat((), count)
        if issubclass(kind, tuple):
            return list(map(partial(tuple.__new__, kind), rows))
        return [kind(*row) for row in rows]


def _parts(items: list[Any], lengths: Iterable[int]) -> Iterator[list[Any]]:
    at = 0
    for length in lengths:
        yield items[at : at + length]
        at += length
