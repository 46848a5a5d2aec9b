"""A topology as text of a language for diagrams: Mermaid or Graphviz."""

from __future__ import annotations

from math import sqrt
from typing import Literal

from transpiler.diagnostics import printable
from transpiler.topology.model import Topology
from transpiler.topology.report.picture_graph import Graph, build_graph
from transpiler.topology.report.summary import Summary

Format = Literal["mermaid", "dot"]


def draw(topology: Topology, form: Format, summary: Summary | None = None) -> str:
    """Return the picture as text: exchanges, queues, and an arrow for the bindings between two of them.

    A picture of ``graph.MAX_NODES`` nodes or more has groups of alike ones.
    """
    graph = build_graph(topology, summary)
    return _mermaid(graph) if form == "mermaid" else dot_text(graph)


def _mermaid(graph: Graph) -> str:
    lines = ["flowchart LR"]
    for node in graph.nodes:
        text = _mermaid_text(node.title) + (f"<br/><small>{_mermaid_text(node.detail)}</small>" if node.detail else "")
        lines.append(f'  {node.id}{{{{"{text}"}}}}' if node.kind == "exchange" else f'  {node.id}["{text}"]')
    for arrow in graph.arrows:
        line = "-.->" if arrow.alternate else "-->"
        label = f'|"{_mermaid_text(arrow.label)}"|' if arrow.label else ""
        lines.append(f"  {arrow.source} {line}{label} {arrow.target}")
    return "\n".join(lines) + "\n"


def _mermaid_text(text: str) -> str:
    """Text in quotes: letters, digits and a few signs as they are, all else as Mermaid's entity codes."""
    return "".join(
        character
        if character.isalnum() or character in " .,:=_-()…"
        else "<br/>"
        if character == "\n"
        else f"#{ord(character)};"
        for character in text
    )


def dot_text(graph: Graph, node_style: str = "", edge_style: str = "", exchange_style: str = "") -> str:
    """Return a graph in Graphviz's language, with more attributes for all nodes, edges or exchanges."""
    columns = _columns(graph)
    lines = [
        "digraph topology {",
        # Unconnected parts stand side by side; a label in one of them needs an arrow of two ranks, so these are narrow.
        "  rankdir=LR; pack=true; ranksep=0.2; nodesep=0.1;",
        f'  node [fontname="sans-serif"{node_style}];',
        f'  edge [fontname="sans-serif"{edge_style}];',
    ]
    for node in graph.nodes:
        text = node.title + (f"\n{node.detail}" if node.detail else "")
        shape = f"hexagon{exchange_style}" if node.kind == "exchange" else "box"
        lines.append(f"  {node.id} [shape={shape}, label={_dot_text(text)}];")
    for arrow in graph.arrows:
        style = ", style=dashed" if arrow.alternate else ""
        length = 2 * columns.get(arrow.target, 1)
        lines.append(f"  {arrow.source} -> {arrow.target} [label={_dot_text(arrow.label)}, minlen={length}{style}];")
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


def _dot_text(text: str) -> str:
    # Graphviz hands characters on to SVG, which has none that control.
    text = printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
