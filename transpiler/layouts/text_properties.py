"""Application properties as text under a policy: in a map, in the entries of an array, or in columns of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transpiler import ir
from transpiler.ir.column_types import BINARY, STRING, Entry, Key, Path
from transpiler.layouts.rows import octets_of, struct_of, structs_of, text_of, value_at
from transpiler.layouts.stored import Stored, stored_value
from transpiler.layouts.text_types import TextTypes
from transpiler.message.types import AmqpType, AmqpValue


@dataclass(frozen=True, slots=True)
class TextProperties:
    """Text under a policy: values of a map, or of the entries of an array, as strings or as their bytes in UTF-8.

    With ``columns``, as of CSV, each of these is a property, and there is no path.
    """

    path: Path
    types: TextTypes
    binary: bool = False
    prefix: str = ""
    #: The fields of an array's structs that have the key and the value; a map has none.
    entry: tuple[str, str] | None = None
    repeated_first: bool = False
    columns: tuple[str, ...] = ()

    def _text(self, name: str) -> ir.Value:
        key = self.prefix + name
        path: Path
        if self.columns:
            path = (name,)
        elif self.entry is None:
            path = (*self.path, Key(key))
        else:
            key_field, value_field = self.entry
            path = (*self.path, Entry(key_field, key, self.repeated_first), value_field)
        if not self.binary:
            return ir.Column(path, STRING)
        return ir.Apply(ir.Function.TEXT_OF_BYTES, (ir.Column(path, BINARY),), STRING)

    def stored(self, name: str) -> Stored | None:
        """The text at the key, by the policy of that name."""
        if self.columns and name not in self.columns:
            return None
        return self.types.of(name).stored(self._text(name))

    def plain(self, name: str) -> Stored | None:
        """The text at the key; of JSON text, the value."""
        if self.columns and name not in self.columns:
            return None
        policy, text = self.types.of(name), self._text(name)
        return policy.stored(text) if policy.name == "json" else stored_value(AmqpType.STRING, text)

    def names(self) -> tuple[str, ...]:
        """The columns; empty where any name has a place."""
        return self.columns

    def _texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        value = value_at(row, self.path) if self.path else None
        pairs: list[tuple[Any, Any]] = [(name, row.get(name)) for name in self.columns]
        if self.entry is not None:
            key_field, value_field = self.entry
            structs = structs_of(value, self.path)
            pairs = [(struct.get(key_field), struct.get(value_field)) for struct in structs]
            if self.repeated_first:
                pairs.reverse()
        elif (mapping := struct_of(value, self.path)) is not None:
            pairs = list(mapping.items())
        texts = {key: self._decoded(key, text) for key, text in dict(pairs).items() if key is not None}
        return {
            key.removeprefix(self.prefix): text
            for key, text in texts.items()
            if text is not None and key.startswith(self.prefix)
        }

    def _decoded(self, key: str, value: object) -> str | None:
        path = (*self.path, Key(key))
        if not self.binary:
            return text_of(value, path)
        octets = octets_of(value, path)
        return None if octets is None else octets.decode("utf-8", "replace")

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The texts of a row by their policies."""
        values = {name: self.types.of(name).read(text) for name, text in self._texts(row).items()}
        return {name: value for name, value in values.items() if value is not None}

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One text; of JSON text, the value."""
        text, policy = self._texts(row).get(name), self.types.of(name)
        if text is None:
            return None
        return policy.read(text) if policy.name == "json" else AmqpValue(AmqpType.STRING, text)
