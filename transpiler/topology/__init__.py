"""Routing topologies: exchanges, queues, bindings and addresses, under the rules of one broker.

The package contains only objects and readers. ``reference.route`` defines the routing of a message; no module of this
package knows a dialect's grammar, a layout or SQL. An exchange that routes each message to one of its bindings, by a
hash or at random, is kept with all candidates; the choice itself is never computed (``choices``).
"""

from __future__ import annotations

from transpiler.topology.broker_rules import QPID_CPP, QPID_JAVA, RABBITMQ, Rules
from transpiler.topology.files import parse_topology, read_topology, topology_from_dict
from transpiler.topology.importers.native_format import topology_to_dict
from transpiler.topology.model import Topology
from transpiler.topology.records import Alternate, Binding, Exchange, Queue

__all__ = [
    "QPID_CPP",
    "QPID_JAVA",
    "RABBITMQ",
    "Alternate",
    "Binding",
    "Exchange",
    "Queue",
    "Rules",
    "Topology",
    "parse_topology",
    "read_topology",
    "topology_from_dict",
    "topology_to_dict",
]
