"""The documents of a JSON or YAML file as plain values, and the locations of errors that name a path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.documents.jsontext import MAX_VALUES, JsonTextError, load_json, without_comments
from transpiler.base.documents.located_values import Node, Origin
from transpiler.base.documents.value_locations import locations_in_json, locations_in_node
from transpiler.base.documents.yaml_text import yaml_documents
from transpiler.base.errors import TopologyError
from transpiler.base.source import Source, Span


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file. ``data`` is its value if it is JSON, ``node`` if it is YAML.

    Both are None for an empty document.
    """

    source: Source
    data: Any = None
    node: Node | None = None
    is_json: bool = False

    def plain(self) -> Any:
        """Return the document's value; raise ``TopologyError`` for a YAML word that is ambiguous, such as ``no``."""
        return self.data if self.node is None else self.node.plain()

    def as_read(self) -> Any:
        """Return the document's value, with ambiguous YAML words such as ``no`` as text.

        It is used to recognise the kind of document.
        """
        return self.data if self.node is None else self.node.as_read()

    @property
    def location(self) -> str:
        """The text ``:line:column`` of the document's beginning; "" for JSON, which has one document in each file."""
        if self.node is None:
            return ""
        line, column = self.source.position(self.node.span.start)
        return f":{line}:{column}"

    def locations(self, paths: Iterable[str]) -> dict[str, Span]:
        """Return the location of each path; for a path that does not exist, that of the innermost value around it."""
        wanted = set(paths)
        if not wanted:
            return {}
        if self.node is not None:
            return locations_in_node(self.node, wanted)
        return locations_in_json(without_comments(self.source.text), wanted) if self.is_json else {}

    def located(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return ``diagnostics`` with this document as their source, and with the location of their ``path`` in it."""
        listed = tuple(diagnostics)
        locations = self.locations(each.path for each in listed if each.path is not None)
        return tuple(self._located(each, locations) for each in listed)

    def _located(self, diagnostic: Diagnostic, locations: dict[str, Span]) -> Diagnostic:
        span = None if diagnostic.path is None else locations.get(diagnostic.path)
        if diagnostic.source is None:
            return replace(diagnostic, source=self.source, span=span)
        if diagnostic.source is self.source or diagnostic.source.name.startswith(f"{self.source.name}:"):
            return diagnostic
        # The diagnostic points into a text inside the file, such as a selector, whose source is named after its path.
        # Put the file's name and location before this name.
        name = self.source.name
        if span is not None:
            line, column = self.source.position(span.start)
            name = f"{name}:{line}:{column}"
        return replace(diagnostic, source=Source(diagnostic.source.text, f"{name}: {diagnostic.source.name}"))


def load_documents(source: Source) -> list[Document]:
    """Return the documents of ``source``, JSON or YAML by the suffix of its name; raise ``TopologyError`` if invalid.

    If the name has no suffix, the text is JSON if it is empty or begins with a brace or bracket.
    """
    suffix = PurePath(source.name).suffix.lower()
    is_json = suffix != "" or source.text.lstrip()[:1] in ("{", "[", "")
    if suffix in (".yaml", ".yml") or not is_json:
        nodes = yaml_documents(Origin(source, TopologyError, "topology"))
        return [Document(source, node=node) for node in nodes] or [Document(source)]
    try:
        # A topology has at least eight characters for each value, even if all names have one letter. Reject a text with
        # more values before parsing it, because Python's objects would need many times its size in memory.
        data = load_json(without_comments(source.text), most=max(MAX_VALUES, len(source.text) // 6))
    except JsonTextError as error:
        raise TopologyError.at("topology.json", error.message, source, error.span) from None
    return [Document(source, data, is_json=True)]
