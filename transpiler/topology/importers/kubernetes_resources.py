"""Resources of Kubernetes in a file: their kinds, their names and their values.

A path in an error begins with the kind and the name of a resource, as in ``Binding/b.spec.routingKey``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from transpiler.base.documents.loading import Document
from transpiler.base.documents.located_values import Node, Origin, json_documents
from transpiler.base.errors import TopologyError


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """A resource of Kubernetes: its kind, its name and namespace, and its value."""

    kind: str
    name: str
    namespace: str
    node: Node

    @property
    def path(self) -> str:
        """The resource's kind, namespace and name, with which the paths of its values begin."""
        return "/".join(filter(None, (self.kind, self.namespace, self.name)))

    @property
    def location(self) -> str:
        """The line and column of the resource in its file."""
        line, column = self.node.source.position(self.node.span.start)
        return f"{line}:{column}"

    def at(self, *names: str) -> Node | None:
        """Return the node at a path of names; None if the path does not exist."""
        return node_at(self.node, *names)

    def listed(self, *names: str) -> tuple[Node, ...]:
        """Return the items of the list at a path of names; empty if there is no list."""
        node = self.at(*names)
        return node.value if node is not None and isinstance(node.value, tuple) else ()

    def text(self, *names: str) -> str | None:
        """Return the text at a path of names; None if it is absent or null. Raise an error for any other value."""
        node = self.at(*names)
        return None if node is None or node.value is None else node.text(".".join(names))

    def is_beside(self, other: Resource) -> bool:
        """Return True if this resource and ``other`` may be in the same namespace.

        A resource without a namespace may be in any, because often only the command that applies the file sets it.
        """
        return not (self.namespace and other.namespace) or self.namespace == other.namespace


def resources_of(document: Document) -> list[Resource]:
    """Return the Kubernetes resources in a document, with lists of resources expanded; empty for other documents."""
    data = document.as_read()
    if not isinstance(data, Mapping) or not {"apiVersion", "kind"} <= set(data):
        return []
    node = document.node
    if node is None:
        [node] = json_documents(Origin(document.source, TopologyError, "topology"))
    return list(_resources(node, "a resource"))


def _resources(node: Node, kind: str) -> Iterator[Resource]:
    named = node_at(node, "kind")
    kind = str(named.value) if named is not None else kind
    items = node_at(node, "items")
    if kind.endswith("List") and items is not None and isinstance(items.value, tuple) and items.value:
        for item in items.value:
            yield from _resources(item, kind.removesuffix("List"))
        return
    name, namespace = (node_at(node, "metadata", each) for each in ("name", "namespace"))
    yield Resource(
        kind, "" if name is None else str(name.value), "" if namespace is None else str(namespace.value), node
    )


def node_at(node: Node, *names: str) -> Node | None:
    """Return the node at a path of names below ``node``; None if the path does not exist."""
    for name in names:
        if not isinstance(node.value, Mapping) or name not in node.value:
            return None
        node = node.value[name]
    return node


def group_of(resource: Resource) -> str:
    """Return the API group of a resource, such as ``rabbitmq.com``."""
    version = resource.at("apiVersion")
    return str(value_of(version)).partition("/")[0]


def value_of(node: Node | None) -> Any:
    """Return the value of ``node``; None if ``node`` is None."""
    return None if node is None else node.value
