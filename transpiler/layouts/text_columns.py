"""Application properties as text in columns of their own, as those of CSV, under a policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transpiler import ir
from transpiler.ir.column_types import STRING
from transpiler.layouts.rows import text_of
from transpiler.layouts.stored import Stored, stored_value
from transpiler.layouts.text_types import TextTypes
from transpiler.message.types import AmqpType, AmqpValue


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Columns of text, each a property of its name."""

    columns: tuple[str, ...]
    types: TextTypes

    def stored(self, name: str) -> Stored | None:
        """The text of the column, by the policy of that name."""
        return self.types.of(name).stored(ir.Column((name,), STRING)) if name in self.columns else None

    def plain(self, name: str) -> Stored | None:
        """The text of the column."""
        return stored_value(AmqpType.STRING, ir.Column((name,), STRING)) if name in self.columns else None

    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.columns

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The texts of a row by their policies."""
        texts = {name: text_of(row.get(name), (name,)) for name in self.columns}
        values = {name: self.types.of(name).read(text) for name, text in texts.items() if text is not None}
        return {name: value for name, value in values.items() if value is not None}

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One text."""
        text = text_of(row.get(name), (name,))
        return None if text is None else AmqpValue(AmqpType.STRING, text)
