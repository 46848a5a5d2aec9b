"""Answers about a topology: its picture, and the path of one message through it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from playground.session.messages import MessageProblem, read_message, refuse_deep_json
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source
from transpiler.message.message import Message
from transpiler.tools.explanation.routes import BindingExplanation, RouteExplanation, explain_route
from transpiler.tools.topology_report.diagram_languages import Graph, dot_text
from transpiler.tools.topology_report.findings import report
from transpiler.tools.topology_report.labels import exchange_title
from transpiler.tools.topology_report.picture import build_graph
from transpiler.topology.files import parse_topology, vhosts_of
from transpiler.topology.model import Topology

#: The name by which errors refer to the topology's text.
_NAME = "topology"

#: Maximum number of nodes in a picture. In a larger topology, similar nodes are drawn as one group, because the picture
#: has only a part of the page.
MAX_NODES = 80

#: Maximum number of bindings under one heading; the answer contains the number of the remaining bindings.
MAX_BINDINGS = 20

_YAML_HINT = "turn it into JSON: selector-sql topology FILE --format json"

#: Graphviz attributes of nodes and edges, with a font whose widths Graphviz knows. The style sheet sets the colours.
_NODE = ', fontname="Arial", fontsize=11, margin="0.2,0.1"'
_EDGE = ', fontname="Arial", fontsize=9, arrowsize=0.7'


def topology(text: str, vhost: str | None = None) -> dict[str, Any]:
    """Return the picture of a topology in Graphviz's language, its exchanges, and the problems in it.

    If the topology cannot be read, ``dot`` is None and ``findings`` state the reason. Otherwise ``findings`` are about
    entries that the importer did not understand.
    """
    vhosts: list[str] = []
    try:
        refuse_deep_json(text, Source(text, _NAME))
        vhosts = vhosts_of(text, _NAME)
        read, graph = _read(text, _chosen(vhost, vhosts))
    except MessageProblem as problem:
        return {"dot": None, "vhosts": [], "findings": [_rendered(problem.diagnostic)]}
    except TranspilerError as error:
        return {"dot": None, "vhosts": vhosts, "findings": [_rendered(one) for one in error.diagnostics]}
    exchanges = [
        {"name": exchange.name, "title": exchange_title(exchange.name), "type": exchange.type}
        for exchange in read.exchange_by_name.values()
        if exchange.name == "" or exchange.name in read.bindings_by_source or exchange in read.exchanges
    ]
    return {
        "dot": dot_text(graph, _NODE, _EDGE),
        "counts": repr(read).removeprefix("Topology(").removesuffix(")"),
        "grouped": graph.grouped,
        "vhosts": vhosts,
        "default_exchange": read.default_exchange,
        "exchanges": exchanges,
        "findings": [_rendered(one) for one in read.findings],
        "report": str(report(read)),
    }


def publish(
    text: str, exchange: str, routing_key: str, message: str, vhost: str | None = None, nearest: int = 5
) -> dict[str, Any]:
    """Return the queues that a message reaches, the reason, and the nodes and arrows of the picture on its path.

    If ``routing_key`` is empty and the message has a subject, the subject is the routing key. ``problem`` is the
    diagnostic about an invalid topology or message, or None.
    """
    try:
        refuse_deep_json(text, Source(text, _NAME))
        read, graph = _read(text, _chosen(vhost, vhosts_of(text, _NAME)))
        published = read_message(message)
        keys = [routing_key] if routing_key or not _subject(published) else None
        route = explain_route(read, published, exchange, keys, nearest=nearest)
    except MessageProblem as problem:
        return {"problem": problem.diagnostic.to_dict()}
    except TranspilerError as error:
        return {"problem": error.diagnostics[0].to_dict()}
    return {
        "problem": None,
        "headline": route.headline,
        "queues": list(route.routed.queues),
        "possible_queues": list(route.routed.possible_queues),
        "outcome": route.routed.outcome,
        "note": route.note,
        "took": _bindings(route.took),
        "possible": _bindings(route.possible),
        "nearly": _bindings(route.nearly),
        "others": route.others,
        **_path(read, graph, route, exchange),
    }


def _subject(message: Message) -> str | None:
    return None if message.properties is None else message.properties.subject


def _chosen(vhost: str | None, vhosts: list[str]) -> str | None:
    """Return ``vhost`` if the file has this virtual host; otherwise the first of several virtual hosts.

    Return None if there are fewer than two, because no choice is needed.
    """
    if vhost in vhosts:
        return vhost
    return vhosts[0] if len(vhosts) > 1 else None


@lru_cache(maxsize=4)
def _read(text: str, vhost: str | None) -> tuple[Topology, Graph]:
    read = parse_topology(text, _NAME, vhost=vhost)
    return read, build_graph(read, max_nodes=MAX_NODES)


def _bindings(bindings: Iterable[BindingExplanation]) -> dict[str, Any]:
    listed = list(bindings)
    rows = [
        {
            "exchange": exchange_title(one.source),
            "target": one.target,
            "text": "; ".join(one.lacks) if one.lacks else one.asks,
        }
        for one in listed[:MAX_BINDINGS]
    ]
    return {"rows": rows, "more": len(listed) - len(rows)}


def _path(topology: Topology, graph: Graph, route: RouteExplanation, exchange: str) -> dict[str, Any]:
    """Return the nodes (by id) and arrows (by the ids of their ends) that the message passed, or may have passed."""
    ids: dict[tuple[str, str], str] = {(node.kind, name): node.id for node in graph.nodes for name in node.names}
    visited = {visit.exchange.name for visit in route.visits}
    nodes = {("exchange", exchange_title(name)) for name in {*visited, exchange}}
    nodes |= {("queue", name) for name in route.routed.queues}
    arrows = {_arrow(one) for one in route.took} | {
        (("exchange", visit.exchange.name), (alternate.type, alternate.name), True)
        for visit in route.visits
        if (alternate := topology.alternate(visit.exchange)) is not None
        and (not any(visit.matched) or route.routed.outcome == "alternate")
        and (alternate.name in visited if alternate.type == "exchange" else alternate.name in route.routed.queues)
    }
    maybe = {_arrow(one) for one in route.possible}

    def drawn(pairs: Iterable[tuple[tuple[str, str], tuple[str, str], bool]]) -> list[list[Any]]:
        ends = ((ids.get(_titled(source)), ids.get(_titled(target)), alternate) for source, target, alternate in pairs)
        return sorted([source, target, alternate] for source, target, alternate in ends if source and target)

    return {
        "nodes": sorted(ids[node] for node in nodes if node in ids),
        "arrows": drawn(arrows),
        "possible_nodes": sorted(ids["queue", name] for name in route.routed.possible_queues if ("queue", name) in ids),
        "possible_arrows": drawn(maybe),
    }


def _arrow(one: BindingExplanation) -> tuple[tuple[str, str], tuple[str, str], bool]:
    binding = one.binding
    return ("exchange", binding.source), (binding.destination_type, binding.destination), False


def _titled(node: tuple[str, str]) -> tuple[str, str]:
    return (node[0], exchange_title(node[1])) if node[0] == "exchange" else node


def _rendered(finding: Diagnostic) -> dict[str, Any]:
    if finding.code == "topology.yaml":
        # The browser has no PyYAML, so the hint to install it would not help.
        finding = replace(finding, message="this is not JSON, and the page reads no YAML", hint=_YAML_HINT)
    return {**finding.to_dict(), "rendered": finding.render()}
