"""The topology for display of an Artemis broker: addresses with their queues, diverts and dead-letter addresses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from transpiler.base.topics import is_wild
from transpiler.topology.addressing import FULLY_QUALIFIED
from transpiler.topology.importers.artemis_addresses import Addresses
from transpiler.topology.importers.artemis_config import AddressBinding
from transpiler.topology.importers.display_builder import ONE_OF, PERHAPS, DisplayBuilder
from transpiler.topology.model import Topology
from transpiler.topology.records import OF_BROKERS, Link, Queue
from transpiler.topology.targets import Target


def displayed_addresses(
    addresses: Addresses,
    queues: Iterable[Queue],
    links: Sequence[Link],
    made: Mapping[str, str],
    consumed: Collection[str] | None,
    readers: frozenset[str] | None,
    *,
    knows_queues: bool,
    knows_file: bool,
) -> Topology:
    """Return the topology for reports and diagrams, in which each exchange is an address of the broker.

    ``queues`` and ``links`` are those of the topology that routes messages. ``made`` maps each queue that the broker
    creates at a dead-letter address to the queue's filter. ``consumed`` are the queues with consumers; None if
    consumers are unknown.
    """
    open_addresses = (
        [] if knows_queues else [addresses.name(one) or "" for one in addresses.without_queues("MULTICAST")]
    )
    builder = DisplayBuilder(addresses=dict.fromkeys(addresses.declared), unknown=set(open_addresses))
    groups: dict[object, list[AddressBinding]] = {}
    for binding in addresses.bindings:
        group = binding.name if binding.exclusive else (binding.routing_name, binding.words)
        groups.setdefault(group, []).append(binding)
    for bindings in groups.values():
        for binding in bindings:
            _bind(builder, binding, ONE_OF if len(bindings) > 1 else None, consumed)
    for setting in addresses.settings:
        if setting["send-to-dla-on-no-route"] and setting["dead-letter-address"]:
            when = "no queue of the address took it"
            link = Link("dead-letter", when, setting["match"], None, source_type="exchange")
            builder.link(link, Target("exchange", setting["dead-letter-address"]))
    for reader in addresses.readers:
        builder.bind(reader.address, Target("queue", reader.name), None, reader.location, choice=PERHAPS)
    for link in links:
        if link.source_type == "own-queue":
            _link_of_made_queue(builder, link, addresses)
            continue
        if link.destination is None:
            builder.links.append(link)
        elif link.destination_type == "queue":
            builder.link(link, Target("queue", link.destination or ""))
        else:
            builder.link(link, Target("exchange", link.key or ""))
    for to_address, to_queue in pairwise(builder.links):
        selector = made.get(to_queue.destination or "") if to_queue.destination_type == "queue" else None
        if selector is not None:
            # The broker creates this queue at a dead-letter address, so bind the address to it. In ``links``, the link
            # to the address comes directly before the link to its queue.
            builder.bind(to_address.destination or "", Target("queue", to_queue.destination or ""), selector)
    if not knows_file:
        builder.unknown |= {name for kind, name in builder.ends if kind == "exchange"}
    return builder.topology(addresses.rules, queues, readers)


def _link_of_made_queue(builder: DisplayBuilder, link: Link, addresses: Addresses) -> None:
    """If ``link`` leads from one undeclared queue to another broker, add the queue and the link to the diagram."""
    words = addresses.rules.topic.pattern(link.pattern or "")
    if link.kind in OF_BROKERS and not is_wild(words):
        name = addresses.rules.topic.syntax.text(words)
        builder.unknown.add(name)
        builder.links.append(replace(link, source=name, source_type="queue", pattern=None))


def _bind(
    builder: DisplayBuilder, binding: AddressBinding, choice: str | None, consumed: Collection[str] | None
) -> None:
    if binding.is_divert:
        for forward in binding.forwards:
            target = Target("exchange", forward.partition(FULLY_QUALIFIED)[0])
            builder.bind(
                binding.address,
                target,
                binding.filter,
                binding.location,
                choice=choice,
                divert=binding.name,
                exclusive=binding.exclusive,
            )
        return
    if binding.needs_consumer and consumed is not None and binding.name not in consumed:
        return
    if binding.needs_consumer and consumed is None:
        choice = PERHAPS
    target = Target("queue", binding.name)
    builder.bind(binding.address, target, binding.filter, binding.location, choice=choice, routing_type=binding.type)
