"""The child fields of a tree's node classes, found by their annotations, so that no tree walker lists them by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import NamedTuple


class Part(NamedTuple):
    """A child field of a node: its name, the type of the child nodes, and whether it contains a tuple of them."""

    name: str
    type: str
    several: bool


def parts_of(kinds: Iterable[type], *types: str) -> dict[type, tuple[Part, ...]]:
    """For each node class in ``kinds``, return the fields that contain child nodes, in the order of the fields.

    A field contains child nodes if its annotation is one of ``types``, as a text, or ``tuple[T, ...]`` or ``T | None``
    of such a type. A class that is not a dataclass has no such fields.
    """
    forms: dict[str, tuple[str, bool]] = {}
    for name in types:
        forms |= {name: (name, False), f"{name} | None": (name, False), f"tuple[{name}, ...]": (name, True)}
    return {
        kind: tuple(Part(item.name, *forms[str(item.type)]) for item in fields(kind) if str(item.type) in forms)
        if is_dataclass(kind)
        else ()
        for kind in kinds
    }
