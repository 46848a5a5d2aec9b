"""Cases in which this project and a broker disagree. A failing test prints them in a readable form."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable

import pytest

from transpiler import Message
from transpiler.message.types import TRUTH_TEXT

#: Maximum number of cases that a failure prints, and maximum length of a message in characters.
_MAX_LISTED, _WIDTH = 20, 400


class Parted:
    """The cases with different results, by key."""

    def __init__(self) -> None:
        self.cases: dict[Hashable, str] = {}

    def add(self, key: Hashable, selector: str, message: Message | object, broker: object, here: object) -> None:
        """Add a case: the selector or binding, the message, the broker's result, and the result of this project."""
        shown = message.to_dict() if isinstance(message, Message) else message
        text = json.dumps(shown, ensure_ascii=False, default=str)
        text = text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"
        lines = (str(key), f"  selector  {selector}", f"  message   {text}")
        self.cases.setdefault(
            key, "\n".join((*lines, f"  broker    {verdict_text(broker)}", f"  here      {verdict_text(here)}"))
        )

    def check(self, known: Collection[Hashable] = ()) -> None:
        """Fail unless the cases are exactly those with the keys ``known``. Print each new case."""
        __tracebackhide__ = True
        new = [text for key, text in self.cases.items() if key not in known]
        gone = [str(key) for key in known if key not in self.cases]
        if new or gone:
            lines = [f"cases apart: {len(new)}", *new[:_MAX_LISTED]]
            lines += [f"and {len(new) - _MAX_LISTED} more"] if len(new) > _MAX_LISTED else []
            lines += [f"known cases that agree now: {len(gone)}", *gone[:_MAX_LISTED]] if gone else []
            pytest.fail("\n".join(lines), pytrace=False)


def verdict_text(verdict: object) -> str:
    """Return ``verdict`` as text: the name of a truth value, or a text such as an error."""
    return TRUTH_TEXT[verdict] if isinstance(verdict, bool | None) else str(verdict)
