"""Definitions of RabbitMQ in several files, which the broker imports one after the other, as one export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from transpiler.base.documents.entries import Entry, refuse

#: The separator between the name of a file and the path in the file.
IN_FILE = ": "


@dataclass(frozen=True)
class Definitions(Entry):
    """An export of definitions; ``paths`` contains the path of each object in each list of the export."""

    paths: Mapping[str, list[str]] = field(default_factory=dict)

    def items(self, name: str) -> Iterator[tuple[Any, str]]:
        """Yield the objects in the list ``name``, each with its path."""
        return zip(self.data.get(name, ()), self.paths.get(name, ()), strict=True)


def merged_definitions(files: Mapping[str, Any]) -> Definitions:
    """Return the definitions in ``files`` (content by file name, in order) merged into one export.

    Lists of objects are concatenated. For any other member, the value in the first file that has it applies.
    """
    data: dict[str, Any] = {}
    paths: dict[str, list[str]] = {}
    for name, plain in files.items():
        entry = Entry.of(plain, f"{name}{IN_FILE}")
        for member, value in entry.data.items():
            if not isinstance(value, list | tuple):
                data.setdefault(member, value)
                continue
            listed = data.setdefault(member, [])
            if not isinstance(listed, list):
                refuse("topology.type", f"{name}{IN_FILE}{member}", "another file has no array here")
            listed += value
            paths.setdefault(member, []).extend(f"{name}{IN_FILE}{member}[{place}]" for place in range(len(value)))
    return Definitions(data, "", paths)
