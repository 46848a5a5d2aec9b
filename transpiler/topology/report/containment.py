"""Containment of bindings: one binding takes every message that another one takes.

Both bindings are of one exchange. The key, the headers, the query and the selector of a binding are one formula, and
``analysis`` says whether the one formula holds wherever the other does. Only what is proved counts, so the answer False
means "not known".
"""

from __future__ import annotations

from transpiler.analysis.binding_conditions import binding_formula
from transpiler.analysis.contained_conditions import Candidate
from transpiler.topology.broker_rules import TAKING_ALL
from transpiler.topology.choices import is_choosing
from transpiler.topology.model import Binding, Topology


def candidate(topology: Topology, binding: Binding) -> Candidate:
    """Return the condition of a binding."""
    return Candidate(lambda conditions: binding_formula(conditions, topology, binding))


def contains(topology: Topology, outer: Binding, inner: Binding) -> bool:
    """Return True if ``outer`` takes every message that ``inner`` takes, to the same place and under the same key."""
    return may_contain(topology, outer, inner) and candidate(topology, outer).contains(candidate(topology, inner))


def may_contain(topology: Topology, outer: Binding, inner: Binding) -> bool:
    """Return False for bindings that differ in their ends or in the key of what they hand on."""
    if (outer.source, outer.destination_type, outer.destination) != (
        inner.source,
        inner.destination_type,
        inner.destination,
    ) or topology.replacement_key(outer) != topology.replacement_key(inner):
        return False
    if topology.rules.destinations is not None and outer.path == inner.path != "":
        # They are cases of one element of a JMS broker's file, which differ in where the message came from.
        return False
    exchange = topology.exchange_by_name[outer.source]
    if is_choosing(exchange):
        # Its bindings share the messages out.
        return False
    return exchange.type in ("topic", "headers", *TAKING_ALL) or outer.key == inner.key
