"""Topologies of brokers, and functions on topologies that do not need Spark.

Read a topology (``read_topology``, ``topology_from_dict``), or build it from exchanges, queues and bindings. Publish a
message to it (``route_message``, ``route_path``, ``publish``, ``explain_route``), examine it (``report``, ``draw``), or
compare it with another version (``diff_topologies``), a running broker (``diff_running``) or a log (``Backtest``).
"""

from __future__ import annotations

from transpiler.reference.route import publish, route_message, route_path
from transpiler.reference.route_path import RoutePath, Step
from transpiler.reference.routed import Routed
from transpiler.tools.backtest import Backtest
from transpiler.tools.dialect_tools.diff.running_comparison import diff_running
from transpiler.tools.dialect_tools.diff.topology_changes import TopologyDiff, diff_topologies
from transpiler.tools.explanation.routes import RouteExplanation, explain_route
from transpiler.tools.topology_report.findings import TopologyReport, report
from transpiler.tools.topology_report.picture import draw
from transpiler.topology.broker_rules import QPID_CPP, QPID_JAVA, RABBITMQ, Rules
from transpiler.topology.files import parse_topology, read_topology, topology_from_dict
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Publisher
from transpiler.topology.records import Alternate, Binding, Exchange, Link, Queue

__all__ = [
    "QPID_CPP",
    "QPID_JAVA",
    "RABBITMQ",
    "Alternate",
    "Backtest",
    "Binding",
    "Exchange",
    "Link",
    "Publisher",
    "Queue",
    "RouteExplanation",
    "RoutePath",
    "Routed",
    "Rules",
    "Step",
    "Topology",
    "TopologyDiff",
    "TopologyReport",
    "diff_running",
    "diff_topologies",
    "draw",
    "explain_route",
    "parse_topology",
    "publish",
    "read_topology",
    "report",
    "route_message",
    "route_path",
    "topology_from_dict",
    "topology_to_dict",
]
