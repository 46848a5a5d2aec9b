"""Selectors of a JMS broker with what is known at a hop in the place of names, as a text of constants."""

from __future__ import annotations

from collections.abc import Callable, Set
from enum import Enum
from functools import lru_cache

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_tree


class Unknown(Enum):
    """Values of names that are no constants."""

    #: The message's own property of that name.
    OWN = "own"
    #: Some value.
    SOME = "some"
    #: Some value, or none.
    PERHAPS = "perhaps"


#: A constant, None where there is no value, or what is known of it.
Known = str | int | None | Unknown

#: A name that is null in every message: a literal NULL is no operand.
_NULL = "JMSDestination"


def reads_names(selector: str | None, names: Set[str], dialect: Dialect) -> bool:
    """Return True if a selector reads one of some names."""
    if selector is None or not any(name in selector for name in names):
        return False
    tree = _parsed(selector, dialect)
    return tree is not None and any(isinstance(node, ast.Identifier) and node.name in names for node in ast.walk(tree))


def with_known_names(selector: str, value: Callable[[str], Known], dialect: Dialect) -> tuple[str | None, bool]:
    """Return a selector with the values of names in their place; None, False where it depends on an unknown one."""
    tree = _parsed(selector, dialect)
    edits: list[tuple[int, int, str]] = []
    decided: set[int] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.IsNull) and isinstance(node.operand, ast.Identifier):
            known = value(node.operand.name)
            if known not in (Unknown.OWN, Unknown.PERHAPS):
                decided.add(node.operand.span.start)
                edits.append(
                    (node.span.start, node.span.end, "TRUE" if (known is None) is not node.negated else "FALSE")
                )
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Identifier) and node.span.start not in decided:
            known = value(node.name)
            if known is Unknown.OWN:
                continue
            if isinstance(known, Unknown):
                return None, False
            edits.append((node.span.start, node.span.end, _literal(known)))
    for start, end, text in sorted(edits, reverse=True):
        selector = selector[:start] + text + selector[end:]
    return selector, True


def _literal(value: str | int | None) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return _NULL if value is None else str(value)


@lru_cache(maxsize=1024)
def _parsed(selector: str, dialect: Dialect) -> ast.Expression | None:
    return parse_tree(selector, dialect)
