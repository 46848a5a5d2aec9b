"""Conditions on the messages of an Artemis broker: its own filters, and the selectors of clients.

A client's selector is rewritten to the broker's names, so that a name of JMS means a header field in the one and an
application property in the other: each text keeps its dialect.
"""

from __future__ import annotations

from typing import NamedTuple

from transpiler.base.errors import TranspilerError
from transpiler.language.selector import ast
from transpiler.language.selector.broker_dialects import ARTEMIS, ARTEMIS_CORE
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_tree


class Condition(NamedTuple):
    """A selector with its dialect."""

    text: str
    dialect: Dialect

    @classmethod
    def of(cls, text: str | None, dialect: Dialect) -> Condition | None:
        """Return the condition of a text; None where there is none."""
        return None if text is None else cls(text, dialect)

    @property
    def told(self) -> str | None:
        """The dialect's name, where it has to be told; None for that of the broker's own filters."""
        return None if self.dialect is ARTEMIS_CORE or _reads_alike(self.text) else self.dialect.name


def both_of(first: Condition, second: Condition) -> Condition | None:
    """Return the conjunction of two conditions; None where no dialect reads both of them as they are meant."""
    dialects = [each.dialect for each in (first, second) if not _reads_alike(each.text)]
    if len(set(dialects)) > 1:
        return None
    return Condition(f"({first.text}) AND ({second.text})", dialects[0] if dialects else ARTEMIS_CORE)


def _reads_alike(text: str) -> bool:
    """Return True if a text means the same to the broker and to a client."""
    try:
        tree = parse_tree(text, ARTEMIS)
    except TranspilerError:
        return False
    rewritten = {word for word, _ in ARTEMIS.fields.rewritten}
    return not any(
        (isinstance(node, ast.Identifier) and node.name.startswith("JMS"))
        or (isinstance(node, ast.StringLiteral) and node.value in rewritten)
        for node in (ast.walk(tree) if tree is not None else ())
    )
