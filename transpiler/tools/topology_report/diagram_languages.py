"""A graph of nodes and arrows, written in a diagram language: Mermaid's or Graphviz's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from transpiler.base.diagnostics import printable

#: Characters that Mermaid treats as Markdown: an underscore for emphasis, the beginning of a list, rule, heading or
#: code, and web addresses. In a name, the last character of each match is written as an entity code.
_MARKDOWN = re.compile(r"(?<![^\W_])_(?=.*_(?![^\W_]))|^[-= ]|^[0-9]{1,9}[.)]|\bwww\.", re.MULTILINE)


@dataclass(frozen=True)
class Node:
    """A node of the diagram: an exchange, a queue, another broker, or a group of one of these kinds.

    ``names`` are the names of the elements in the node. ``several`` is the plural noun for a group of such nodes.
    """

    id: str
    kind: Literal["exchange", "queue", "broker"]
    title: str
    detail: str
    names: tuple[str, ...] = ()
    type: str = ""
    messages: int | None = None
    several: str = "queues"


@dataclass(frozen=True)
class Arrow:
    """An arrow from the node ``source`` to the node ``target``, which stands for one or several bindings or links.

    ``bindings`` is the number of bindings. ``alternate`` is True for a dashed arrow, which stands for an alternate
    exchange or for links instead. If the node ``source`` is a group, ``sources`` is the number of its members with such
    an arrow.
    """

    source: str
    target: str
    label: str
    alternate: bool = False
    bindings: int = 1
    sources: int = 1


@dataclass(frozen=True)
class Box:
    """A frame around the nodes of one topology, with its name. ``members`` contains the ids of these nodes."""

    id: str
    title: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """A diagram as nodes and arrows. ``grouped`` is True if some nodes stand for several exchanges or queues.

    If the graph has several topologies, ``boxes`` has a frame for each of them, and every node is in one frame.
    """

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    grouped: bool = False
    boxes: tuple[Box, ...] = ()


def joined(graphs: Sequence[tuple[str, Graph]]) -> Graph:
    """Return one graph with the nodes of several, each graph in a box with its title."""
    boxes, nodes, arrows = [], [], []
    for number, (title, graph) in enumerate(graphs):
        prefix = f"t{number}"
        # Graphviz draws a box only if it contains a node, so add one.
        shown = graph.nodes or (Node("b0", "broker", "no exchange and no queue", ""),)
        renamed = [replace(node, id=f"{prefix}{node.id}") for node in shown]
        boxes.append(Box(prefix, title, tuple(node.id for node in renamed)))
        nodes += renamed
        arrows += [replace(one, source=prefix + one.source, target=prefix + one.target) for one in graph.arrows]
    return Graph(tuple(nodes), tuple(arrows), any(graph.grouped for _, graph in graphs), tuple(boxes))


def mermaid_text(graph: Graph) -> str:
    """Return ``graph`` in Mermaid's language."""
    lines = ["flowchart LR"]
    drawn: dict[str, str] = {}
    for node in graph.nodes:
        text = _in_mermaid(node.title) + (f"<br/><small>{_in_mermaid(node.detail)}</small>" if node.detail else "")
        drawn[node.id] = f'{node.id}{{{{"{text}"}}}}' if node.kind == "exchange" else f'{node.id}["{text}"]'
    lines += _boxed(graph, drawn, lambda box: f'subgraph {box.id}["{_in_mermaid(box.title)}"]', "end")
    for arrow in graph.arrows:
        line = "-.->" if arrow.alternate else "-->"
        label = f'|"{_in_mermaid(arrow.label)}"|' if arrow.label else ""
        lines.append(f"  {arrow.source} {line}{label} {arrow.target}")
    return "\n".join(lines) + "\n"


def _boxed(graph: Graph, drawn: Mapping[str, str], begin: Callable[[Box], str], end: str) -> Iterator[str]:
    """Yield the lines for the nodes of ``graph``, each box between the lines ``begin(box)`` and ``end``.

    ``drawn`` contains the line of each node, by the node's id.
    """
    if not graph.boxes:
        yield from (f"  {line}" for line in drawn.values())
    for box in graph.boxes:
        yield f"  {begin(box)}"
        yield from (f"    {drawn[member]}" for member in box.members)
        yield f"  {end}"


def _in_mermaid(text: str) -> str:
    """Return ``text`` for quotes in Mermaid. Characters with a meaning in Mermaid become entity codes."""
    # Mermaid decodes entity codes, so control and bidirectional characters must be replaced, not only written as such
    # codes.
    text = printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    marks = {found.end() - 1 for found in _MARKDOWN.finditer(text)}
    return "".join(
        "<br/>"
        if character == "\n"
        else character
        if index not in marks and (character.isalnum() or character in " .,:=_-()…")
        else f"#{ord(character)};"
        for index, character in enumerate(text)
    )


def dot_text(
    graph: Graph, node_style: str = "", edge_style: str = "", exchange_style: str = "", box_style: str = ""
) -> str:
    """Return ``graph`` in Graphviz's language; the styles are attributes of all nodes, edges, exchanges or boxes."""
    columns = _columns(graph)
    lines = [
        "digraph topology {",
        # The option ``pack`` draws unconnected parts side by side. The distance between ranks is small, because an
        # arrow with a label takes the space of two ranks.
        "  rankdir=LR; pack=true; ranksep=0.2; nodesep=0.1;",
        # Graphviz knows the widths of the letters of this font. For an unknown font, it assumes letters that are too
        # narrow.
        f'  node [fontname="Helvetica"{node_style}];',
        f'  edge [fontname="Helvetica"{edge_style}];',
    ]
    drawn: dict[str, str] = {}
    for node in graph.nodes:
        text = node.title + (f"\n{node.detail}" if node.detail else "")
        shape = f"hexagon{exchange_style}" if node.kind == "exchange" else "box"
        drawn[node.id] = f"{node.id} [shape={shape}, label={_in_dot(text)}];"
    # For Graphviz, a subgraph is a frame only if its name begins with "cluster".
    lines += _boxed(
        graph, drawn, lambda box: f"subgraph cluster_{box.id} {{ {box_style}label={_in_dot(box.title)};", "}"
    )
    for arrow in graph.arrows:
        style = ", style=dashed" if arrow.alternate else ""
        # Graphviz places the ends of an edge with weight 0 without regard to the length of the edge. So only bindings
        # determine the layout, and not alternate exchanges and dead letters.
        style += ", weight=0" if arrow.alternate else ""
        length = 2 * columns.get(arrow.target, 1)
        lines.append(f"  {arrow.source} -> {arrow.target} [label={_in_dot(arrow.label)}, minlen={length}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _columns(graph: Graph) -> dict[str, int]:
    """Return the column, counted from 1, of each node with exactly one incoming arrow and no outgoing arrow.

    Many such nodes with the same source would form a long strip, so they are spread over several columns.
    """
    sources = {arrow.source for arrow in graph.arrows}
    sources_of: dict[str, list[str]] = {}
    for arrow in graph.arrows:
        sources_of.setdefault(arrow.target, []).append(arrow.source)
    ends: dict[str, list[str]] = {}
    for target, found in sources_of.items():
        if len(found) == 1 and target not in sources:
            ends.setdefault(found[0], []).append(target)
    return {
        target: index % max(1, round(sqrt(len(targets)) / 2)) + 1
        for targets in ends.values()
        for index, target in enumerate(targets)
    }


def _in_dot(text: str) -> str:
    # Graphviz decodes HTML entities, so escape "&". It copies all other characters to the SVG, so replace control
    # characters, which SVG forbids.
    text = printable(text.replace("\r\n", "\n").replace("\r", "\n")).replace("&", "&amp;")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
