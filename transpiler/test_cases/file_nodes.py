"""Values of a file with their places in its text, and errors that point there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from transpiler.diagnostics import did_you_mean, nearest
from transpiler.errors import TranspilerError
from transpiler.source import Source, Span

#: Values in a file, each alias counted as what it stands for, and levels.
MAX_VALUES, MAX_DEPTH = 200_000, 50


class CaseFileError(TranspilerError):
    """A file of test cases cannot be read; the span is the place of what is wrong."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the span of its text.

    A mapping has nodes by their keys, and the nodes of the keys in ``keys``; a sequence is a tuple of nodes.
    """

    value: bool | int | float | str | tuple[Node, ...] | Mapping[str, Node] | None
    span: Span
    source: Source
    keys: Mapping[str, Node] | None = None

    def plain(self) -> Any:
        """Return the value without places."""
        match self.value:
            case tuple() as items:
                return [item.plain() for item in items]
            case Mapping() as members:
                return {name: member.plain() for name, member in members.items()}
            case scalar:
                return scalar

    @property
    def kind(self) -> str:
        """The name of the value in errors."""
        match self.value:
            case None:
                return "nothing"
            case bool():
                return f"the boolean {str(self.value).lower()}"
            case int() | float():
                return f"the number {self.value}"
            case str():
                return "text"
            case tuple():
                return "a list"
            case _:
                return "a mapping"

    def refuse(self, code: str, message: str, hint: str | None = None) -> NoReturn:
        """Raise ``CaseFileError`` at this value."""
        raise CaseFileError.at(f"cases.{code}", message, self.source, self.span, hint)

    def members(self, what: str, known: Iterable[str]) -> Mapping[str, Node]:
        """Return the members of a mapping whose keys are known; ``CaseFileError`` otherwise."""
        names = tuple(known)
        if not isinstance(self.value, Mapping):
            self.refuse("type", f"{what} is a mapping, found {self.kind}", f"its keys are {', '.join(names)}")
        for name in self.value:
            if name not in names:
                hint = did_you_mean(name, names) or f"the keys of {what} are {', '.join(names)}"
                self.key(name).refuse("key", f"{what} has no key {name!r}", hint)
        return self.value

    def key(self, name: str) -> Node:
        """Return the node of a key, or of the whole mapping."""
        return (self.keys or {}).get(name, self)

    def text(self, what: str) -> str:
        """Return a text; ``CaseFileError`` for anything else."""
        if not isinstance(self.value, str):
            self.refuse("type", f"{what} is text, found {self.kind}")
        return self.value

    def integer(self, what: str) -> int:
        """Return an integer; ``CaseFileError`` for anything else."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse("type", f"{what} is an integer, found {self.kind}")
        return self.value

    def choice(self, what: str, choices: Iterable[str]) -> str:
        """Return one of some texts; ``CaseFileError`` for anything else."""
        names = tuple(choices)
        if self.value in names and isinstance(self.value, str):
            return self.value
        shown = repr(self.value) if isinstance(self.value, str) else self.kind
        near = nearest(self.value, names) if isinstance(self.value, str) else []
        hint = f"did you mean {near[0]!r}?" if near else f"write {', '.join(names[:-1])} or {names[-1]}"
        return self.refuse("value", f"{what} cannot be {shown}", hint)
