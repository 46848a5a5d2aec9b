"""Counts of messages that a selector does not match, by the parts that decide."""

from __future__ import annotations

from collections import Counter

from transpiler import Message, parse_selector
from transpiler.base.diagnostics import one_line
from transpiler.language.selector.dialects import find_dialect
from transpiler.reference.receiving import Receiver
from transpiler.tools.explanation.explanation import explain_tree


class Reasons:
    """The numbers of messages that a selector does not match, by the parts that decide and their verdicts."""

    def __init__(self, selector: str, dialect: str, receiver: Receiver) -> None:
        self._text, self._dialect = selector, find_dialect(dialect)
        self._tree, self._receiver = parse_selector(selector, dialect), receiver
        self._messages = self._matched = 0
        self._counts: Counter[str] = Counter()

    def add(self, message: Message) -> bool:
        """Count a message; return True if it matches."""
        explained = explain_tree(self._tree, self._text, message, self._dialect, self._receiver)
        self._messages += 1
        if explained.matches:
            self._matched += 1
            return True
        verdicts = {True: "is TRUE", False: "is FALSE", None: "is unknown"}
        parts = dict.fromkeys(
            f"{one_line(part.text)} {'throws' if part.thrown is not None else verdicts[part.verdict]}"
            for part in explained.deciding
        )
        self._counts[" and ".join(parts) or explained.reason] += 1
        return False

    def __str__(self) -> str:
        if not self._messages:
            return "no message was read"
        few = self._messages == 1
        lines = [f"{self._matched:,} of {self._messages:,} {'message matches' if few else 'messages match'}"]
        width = max((len(f"{count:,}") for count in self._counts.values()), default=0)
        return "\n".join(lines + [f"  {count:>{width},}  {part}" for part, count in self._counts.most_common()])
