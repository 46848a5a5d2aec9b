"""The topologies of JMS brokers grow in proportion to their files, even if filters depend on the path of a message."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from transpiler import Message
from transpiler.reference.route import publish
from transpiler.topology import parse_topology
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.importers.exchange_builder import MAX_BINDINGS
from transpiler.topology.model import Topology


def mesh_of_queues(count: int, operator: str) -> Topology:
    """Return composite queues that forward to all others, depending on the previous destination."""
    queues = ""
    for one in range(count):
        forwards = "".join(
            f"<filteredDestination queue='q{other}' selector=\"JMSDestination {operator} 'queue://q{other}'\"/>"
            for other in range(count)
            if other != one
        )
        queues += f"<compositeQueue name='q{one}'><forwardTo>{forwards}</forwardTo></compositeQueue>"
    inner = f"<virtualDestinations>{queues}</virtualDestinations>"
    inner = f"<virtualDestinationInterceptor>{inner}</virtualDestinationInterceptor>"
    inner = f"<destinationInterceptors>{inner}</destinationInterceptors>"
    return parse_topology(f"<beans><broker>{inner}</broker></beans>", "activemq.xml")


def mesh_of_diverts(count: int, operator: str) -> Topology:
    """Return diverts between all addresses, depending on the previous address."""
    return diverts([(one, other) for one in range(count) for other in range(count) if one != other], count, operator)


def chain_of_diverts(count: int, operator: str) -> Topology:
    """Return a divert from each address to one other, depending on the previous address."""
    return diverts([(one, (one * 7 + 1) % count) for one in range(count)], count, operator)


def diverts(ends: list[tuple[int, int]], count: int, operator: str) -> Topology:
    listed = "".join(
        f"<divert name='d{one}.{other}'><address>a{one}</address><forwarding-address>a{other}</forwarding-address>"
        f"<filter string=\"_AMQ_ORIG_ADDRESS {operator} 'a{other}'\"/></divert>"
        for one, other in ends
    )
    addresses = "".join(
        f"<address name='a{one}'><multicast><queue name='q{one}'/></multicast></address>" for one in range(count)
    )
    core = f"<core><diverts>{listed}</diverts><addresses>{addresses}</addresses></core>"
    return parse_topology(f"<configuration>{core}</configuration>", "broker.xml")


@pytest.mark.parametrize(
    ("shape", "count", "operator", "growth"),
    [
        # In a mesh, twice as many queues or addresses make the file four times as large.
        (mesh_of_queues, 6, "=", 4.5),
        (mesh_of_diverts, 5, "=", 5.5),
        (chain_of_diverts, 20, "=", 2.1),
        (chain_of_diverts, 20, "IS NULL OR _AMQ_ORIG_ADDRESS &lt;&gt;", 2.1),
    ],
)
def test_bindings_grow_with_the_file(
    shape: Callable[[int, str], Topology], count: int, operator: str, growth: float
) -> None:
    small, large = (shape(number, operator) for number in (count, 2 * count))
    assert len(large.bindings) <= growth * len(small.bindings)
    assert len(addresses_of(large).bindings) <= growth * len(addresses_of(small).bindings)
    assert "limit.ways" not in {finding.code for finding in (*small.findings, *large.findings)}


def test_ways_beyond_a_limit_are_possible_and_a_finding() -> None:
    topology = mesh_of_queues(30, "&lt;&gt;")
    assert len(topology.bindings) < 2 * MAX_BINDINGS
    [finding] = [each for each in topology.findings if each.code == "limit.ways"]
    assert finding.message.startswith("filters that read JMSDestination distinguish more paths of a message")
    assert publish(topology, Message(), "queue://q0").outcome in ("error", "undecided")
