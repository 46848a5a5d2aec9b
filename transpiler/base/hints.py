"""Hints that keep the options and layouts that they propose as data, so that a command can spell these as its options.

The text of a hint has Python's spelling, such as ``missing='null'`` or ``stores.variant('tags', json=True)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from transpiler.base.diagnostics import OptionFix


class Verbatim(str):
    """Python source, such as ``df.schema``, as the value of an option in a hint; its ``repr`` has no quotes."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class StoreCall:
    """A call of a function of ``stores`` in a hint, as Python source: its name, its column or None, its options."""

    function: str
    column: str | None
    options: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        column = [] if self.column is None else [repr(self.column)]
        return f"stores.{self.function}({', '.join([*column, *_named(self.options)])})"

    def with_options(self, **options: object) -> StoreCall:
        """Return the call with ``options`` added to its options."""
        return StoreCall(self.function, self.column, {**self.options, **options})

    @property
    def fix(self) -> OptionFix:
        """The fix of a diagnostic that proposes to use the layout returned by this call."""
        return OptionFix("layout", repr(self))


@dataclass(frozen=True, slots=True)
class Setting:
    """A keyword argument in a hint, such as ``headers={'JMSType': 'kind'}``.

    The value may be a ``StoreCall``, or a mapping of names to ``StoreCall``s. If ``of_schema`` is True, the argument is
    an option of ``infer_layout``, and the hint shows ``infer_layout(df, headers=…)``.
    """

    name: str
    value: object
    of_schema: bool = False

    def __repr__(self) -> str:
        [written] = _named({self.name: self.value})
        return f"infer_layout(df, {written})" if self.of_schema else written

    @property
    def fix(self) -> OptionFix:
        """The fix of a diagnostic that proposes this keyword argument."""
        return OptionFix(self.name, repr(self.value))


class Hint(str):
    """The text of a hint, which also keeps its ``parts``: strings, and the calls and settings that it proposes.

    String methods return a plain ``str`` without parts.
    """

    parts: tuple[str | StoreCall | Setting, ...]

    def __new__(cls, *parts: str | StoreCall | Setting) -> Hint:
        """Join ``parts`` into one hint. If one of ``parts`` is a hint, it is replaced by its own parts."""
        hint = super().__new__(cls, "".join(map(str, parts)))
        hint.parts = tuple(chain.from_iterable(part.parts if isinstance(part, Hint) else (part,) for part in parts))
        return hint

    def __reduce__(self) -> tuple[type[Hint], tuple[str | StoreCall | Setting, ...]]:
        return Hint, self.parts


def joined(hints: Iterable[str]) -> Hint:
    """Join ``hints`` into one hint, separated by semicolons."""
    separated = chain.from_iterable(("; ", hint) for hint in hints)
    next(separated, None)
    return Hint(*separated)


def _named(options: Mapping[str, object]) -> list[str]:
    return [f"{name}={value!r}" for name, value in options.items()]
