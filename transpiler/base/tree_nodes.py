"""The parts of a tree's nodes, found by the types of the nodes' fields, so that no walker lists the fields by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import NamedTuple


class Part(NamedTuple):
    """A field of a node that holds other nodes: the field's name, the type of those, and whether it holds several."""

    name: str
    type: str
    several: bool


def parts_of(kinds: Iterable[type], *types: str) -> dict[type, tuple[Part, ...]]:
    """Return the parts of each class of nodes: fields annotated as one of ``types``, or as a tuple of it.

    A field that may be None is a part, too. The order is that of the fields; a class that is no dataclass has no part.
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
