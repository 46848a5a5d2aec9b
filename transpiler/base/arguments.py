"""Checks of the arguments of public functions: a mistake is answered with what was expected and what to write.

An unknown choice is a ``TranspilerError``; a value of another type is a ``TypeError``, since no text of a user made it.
"""

from __future__ import annotations

from collections.abc import Iterable

from transpiler.base.diagnostics import nearest
from transpiler.base.errors import TranspilerError


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise ``TranspilerError`` with the nearest choice for a value that is none of them."""
    listed = tuple(choices)
    if value in listed:
        return
    near = nearest(value, listed) if isinstance(value, str) else []
    shown = f"{', '.join(listed[:-1])} or {listed[-1]}" if len(listed) > 1 else listed[0]
    hint = f"did you mean {near[0]!r}?" if near else None
    raise TranspilerError.at("argument.choice", f"{name} is {shown}, not {value!r}", hint=hint)


def check_selector(selector: object) -> None:
    """Raise ``TypeError`` for a selector that is no text."""
    if not isinstance(selector, str):
        raise unexpected("selector", "text", selector, "'' selects every message" if selector is None else None)


def unexpected(name: str, expected: str, value: object, hint: str | None = None) -> TypeError:
    """Return the error of an argument that has another type than expected."""
    kind = "None" if value is None else f"a value of type {type(value).__name__}"
    return TypeError(f"{name}: expected {expected}, found {kind}{'' if hint is None else f' ({hint})'}")
