"""Hints that keep the options and layouts that they propose as data, so that a command can spell them in its own way.

As text a hint has Python's spelling, ``missing='null'`` or ``stores.variant('tags', json=True)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from transpiler.base.diagnostics import OptionFix


class Verbatim(str):
    """Python code in the place of a value: ``df.schema``."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class StoreCall:
    """A call of a function of ``stores``: its name, the column that it is given or None, and its options."""

    function: str
    column: str | None
    options: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        column = [] if self.column is None else [repr(self.column)]
        return f"stores.{self.function}({', '.join([*column, *_named(self.options)])})"

    def with_options(self, **options: object) -> StoreCall:
        """Return the call with more options."""
        return StoreCall(self.function, self.column, {**self.options, **options})

    @property
    def fix(self) -> OptionFix:
        """The layout as the remedy of a finding."""
        return OptionFix("layout", repr(self))


@dataclass(frozen=True, slots=True)
class Setting:
    """An argument by its name: ``headers={'JMSType': 'kind'}``; a value may be a ``StoreCall`` or a mapping to one.

    ``of_schema`` if it is an option of the layout that a DataFrame's schema shows: ``infer_layout(df, headers=…)``.
    """

    name: str
    value: object
    of_schema: bool = False

    def __repr__(self) -> str:
        [written] = _named({self.name: self.value})
        return f"infer_layout(df, {written})" if self.of_schema else written

    @property
    def fix(self) -> OptionFix:
        """The argument as the remedy of a finding."""
        return OptionFix(self.name, repr(self.value))


class Hint(str):
    """The text of a hint that keeps its parts: texts, and what it proposes. Text that is made of it has none."""

    parts: tuple[str | StoreCall | Setting, ...]

    def __new__(cls, *parts: str | StoreCall | Setting) -> Hint:
        """Join the parts; those of a hint among them are its own."""
        hint = super().__new__(cls, "".join(map(str, parts)))
        hint.parts = tuple(chain.from_iterable(part.parts if isinstance(part, Hint) else (part,) for part in parts))
        return hint

    def __reduce__(self) -> tuple[type[Hint], tuple[str | StoreCall | Setting, ...]]:
        return Hint, self.parts


def joined(hints: Iterable[str]) -> Hint:
    """Return several hints as one."""
    separated = chain.from_iterable(("; ", hint) for hint in hints)
    next(separated, None)
    return Hint(*separated)


def _named(options: Mapping[str, object]) -> list[str]:
    return [f"{name}={value!r}" for name, value in options.items()]
