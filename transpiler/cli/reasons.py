"""Counts of the messages that a selector does not match, grouped by the deciding subexpressions."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from transpiler import Message, parse_selector
from transpiler.base.diagnostics import one_line
from transpiler.language.selector.dialects import find_dialect
from transpiler.message.receiver import Receiver
from transpiler.message.types import Truth
from transpiler.tools.explanation.explanation import explain_tree

#: Version number of the JSON form of ``Reasons``.
VERSION = 1

_VERDICTS = {True: "is TRUE", False: "is FALSE", None: "is unknown"}


class _Part(NamedTuple):
    """A subexpression that decides why a selector rejects a message, as one line of text, with its result.

    ``throws`` is True if the broker throws an exception when it evaluates the subexpression.
    """

    text: str
    verdict: Truth
    throws: bool

    def __str__(self) -> str:
        return f"{self.text} {'throws' if self.throws else _VERDICTS[self.verdict]}"


class Reasons:
    """Counts of the messages that a selector rejects, grouped by the deciding subexpressions and their results."""

    def __init__(self, selector: str, dialect: str, receiver: Receiver) -> None:
        self._text, self._dialect = selector, find_dialect(dialect)
        self._tree, self._receiver = parse_selector(selector, dialect), receiver
        self._messages = self._matched = 0
        self._counts: Counter[tuple[_Part, ...]] = Counter()

    def add(self, message: Message) -> bool:
        """Count ``message``; return True if it matches the selector."""
        explained = explain_tree(self._tree, self._text, message, self._dialect, self._receiver)
        self._messages += 1
        if explained.matches:
            self._matched += 1
            return True
        deciding = [_Part(one_line(part.text), part.verdict, part.thrown is not None) for part in explained.deciding]
        parts = deciding or [_Part(one_line(self._text), explained.verdict, explained.thrown is not None)]
        self._counts[tuple(dict.fromkeys(parts))] += 1
        return False

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "version": VERSION,
            "selector": self._text,
            "dialect": self._dialect.name,
            "messages": self._messages,
            "matched": self._matched,
            "reasons": [
                {"parts": [part._asdict() for part in parts], "messages": count}
                for parts, count in self._counts.most_common()
            ],
        }

    def __str__(self) -> str:
        if not self._messages:
            return "no message was read"
        few = self._messages == 1
        lines = [f"{self._matched:,} of {self._messages:,} {'message matches' if few else 'messages match'}"]
        width = max((len(f"{count:,}") for count in self._counts.values()), default=0)
        counted = ((count, " and ".join(map(str, parts))) for parts, count in self._counts.most_common())
        return "\n".join(lines + [f"  {count:>{width},}  {text}" for count, text in counted])
