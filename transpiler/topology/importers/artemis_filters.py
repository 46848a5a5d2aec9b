"""Conditions on the messages of an Artemis broker: its own filters, and the selectors of clients.

A client's selector is rewritten to the broker's names, and the broker's own filters are not: a JMS name is a header
field in a client's selector and an application property in a filter. So each text keeps its dialect.
"""

from __future__ import annotations

from typing import NamedTuple

from transpiler.base.errors import TranspilerError
from transpiler.language.selector import ast
from transpiler.language.selector.broker_dialects import ARTEMIS, ARTEMIS_CORE
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_tree


class Condition(NamedTuple):
    """A filter of the broker, or a client's selector, with its dialect."""

    text: str
    dialect: Dialect

    @classmethod
    def of(cls, text: str | None, dialect: Dialect) -> Condition | None:
        """Return the condition with ``text``; None if ``text`` is None."""
        return None if text is None else cls(text, dialect)

    @property
    def dialect_name(self) -> str | None:
        """The name of the dialect; None if the text has the same meaning in the dialect of the broker's own filters."""
        return None if self.dialect is ARTEMIS_CORE or _reads_alike(self.text) else self.dialect.name


def both_of(first: Condition, second: Condition) -> Condition | None:
    """Return the conjunction of two conditions; None if no dialect has the same meaning for both of them."""
    dialects = [each.dialect for each in (first, second) if not _reads_alike(each.text)]
    if len(set(dialects)) > 1:
        return None
    return Condition(f"({first.text}) AND ({second.text})", dialects[0] if dialects else ARTEMIS_CORE)


def _reads_alike(text: str) -> bool:
    """Return True if ``text`` means the same whether it is read as a filter of the broker or as a client's selector."""
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
