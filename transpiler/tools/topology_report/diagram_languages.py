"""A graph of nodes and arrows as text of a language for diagrams: Mermaid's and Graphviz's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from transpiler.base.diagnostics import printable

#: Signs of Markdown to Mermaid: of emphasis, and at the beginning of a list, a rule, a heading or code. The last
#: character of each is written as a code.
_MARKDOWN = re.compile(r"(?<![^\W_])_(?=.*_(?![^\W_]))|^[-= ]|^[0-9]{1,9}[.)]|\bwww\.", re.MULTILINE)


@dataclass(frozen=True)
class Node:
    """An exchange, a queue, another broker, or a group of one kind; ``names`` are the names that it stands for.

    ``several`` is what nodes like it are called.
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
    """The bindings between two nodes, or an alternate or links, which are drawn alike.

    ``sources`` of a group's nodes have an arrow of the kind.
    """

    source: str
    target: str
    label: str
    alternate: bool = False
    bindings: int = 1
    sources: int = 1


@dataclass(frozen=True)
class Graph:
    """Nodes and arrows; ``grouped`` where nodes stand for several exchanges or queues."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    grouped: bool = False


def mermaid_text(graph: Graph) -> str:
    """Return a graph in Mermaid's language."""
    lines = ["flowchart LR"]
    for node in graph.nodes:
        text = _in_mermaid(node.title) + (f"<br/><small>{_in_mermaid(node.detail)}</small>" if node.detail else "")
        lines.append(f'  {node.id}{{{{"{text}"}}}}' if node.kind == "exchange" else f'  {node.id}["{text}"]')
    for arrow in graph.arrows:
        line = "-.->" if arrow.alternate else "-->"
        label = f'|"{_in_mermaid(arrow.label)}"|' if arrow.label else ""
        lines.append(f"  {arrow.source} {line}{label} {arrow.target}")
    return "\n".join(lines) + "\n"


def _in_mermaid(text: str) -> str:
    """Text in quotes: letters, digits and a few signs as they are, all else as Mermaid's entity codes."""
    # A code of a control or bidirectional character would act on the reader of the picture.
    text = printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    marks = {found.end() - 1 for found in _MARKDOWN.finditer(text)}
    return "".join(
        "<br/>"
        if character == "\n"
        else character
        if place not in marks and (character.isalnum() or character in " .,:=_-()…")
        else f"#{ord(character)};"
        for place, character in enumerate(text)
    )


def dot_text(graph: Graph, node_style: str = "", edge_style: str = "", exchange_style: str = "") -> str:
    """Return a graph in Graphviz's language, with more attributes for all nodes, edges or exchanges."""
    columns = _columns(graph)
    lines = [
        "digraph topology {",
        # Unconnected parts stand side by side; a label in one of them needs an arrow of two ranks, so these are narrow.
        "  rankdir=LR; pack=true; ranksep=0.2; nodesep=0.1;",
        # Graphviz knows how wide this font's letters are, and takes any other one for a narrow one.
        f'  node [fontname="Helvetica"{node_style}];',
        f'  edge [fontname="Helvetica"{edge_style}];',
    ]
    for node in graph.nodes:
        text = node.title + (f"\n{node.detail}" if node.detail else "")
        shape = f"hexagon{exchange_style}" if node.kind == "exchange" else "box"
        lines.append(f"  {node.id} [shape={shape}, label={_in_dot(text)}];")
    for arrow in graph.arrows:
        style = ", style=dashed" if arrow.alternate else ""
        # Edges of dead letters are not to bury the routes.
        style += ", weight=0" if arrow.alternate else ""
        length = 2 * columns.get(arrow.target, 1)
        lines.append(f"  {arrow.source} -> {arrow.target} [label={_in_dot(arrow.label)}, minlen={length}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _columns(graph: Graph) -> dict[str, int]:
    """Return the column, from 1, of each node that one arrow leads to and none leaves.

    Many ends of one source stand in several columns, so that the picture is not a strip.
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
        target: place % max(1, round(sqrt(len(targets)) / 2)) + 1
        for targets in ends.values()
        for place, target in enumerate(targets)
    }


def _in_dot(text: str) -> str:
    # Graphviz hands characters on to SVG, which has none that control, and reads HTML's entities in a label.
    text = printable(text.replace("\r\n", "\n").replace("\r", "\n")).replace("&", "&amp;")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
