"""Addresses of a JMS broker for users: diagrams and reports use the topology for display that the importer built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from transpiler.base.topics import AnyWord, is_wild
from transpiler.language.selector.dialects import DIALECTS
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.addressing import AddressPattern
from transpiler.topology.importers.artemis_addresses import matched_earlier, matches_later
from transpiler.topology.importers.display_builder import MIRRORED
from transpiler.topology.importers.known_names import Known, Unknown, with_known_names
from transpiler.topology.model import Topology
from transpiler.topology.records import CHOICE_ARGUMENT, SELECTOR_ARGUMENT, Binding, Link


def addresses_of(topology: Topology, *, matching: bool = True) -> Topology:
    """Return a JMS broker's topology in the form for display, in which exchanges are addresses.

    Any other topology is returned unchanged. If ``matching`` is True, bindings lead from each address to the wildcard
    addresses that match it.
    """
    if topology.displayed is None:
        return topology
    displayed = replace(topology.displayed, findings=topology.findings, settings=topology.settings)
    return replace(displayed, bindings=(*displayed.bindings, *_matching(displayed))) if matching else displayed


def _matching(topology: Topology) -> Iterator[Binding]:
    """Yield a binding from each address to each wildcard address that matches it.

    Wildcard addresses of mirrors are skipped, because each queue already has a binding for its mirror.
    """
    wild = [
        name
        for name, bindings in topology.bindings_by_source.items()
        if _is_pattern(topology, name) and not all(map(_is_mirror, bindings))
    ]
    for name in (exchange.name for exchange in topology.exchanges if wild):
        if not _is_pattern(topology, name):
            yield from (
                Binding(name, one, destination_type="exchange") for one in wild if _matches(topology, one, name)
            )


def _is_mirror(binding: Binding) -> bool:
    return (binding.text(CHOICE_ARGUMENT) or "").startswith(MIRRORED)


def _matches(topology: Topology, pattern: str, name: str) -> bool:
    """Return True if the address pattern ``pattern`` can match the address ``name``.

    In Artemis, that may depend on which of the two is created first. One order in which they match is enough.
    """
    taking, asked = _pattern(topology, pattern), _pattern(topology, name)
    if taking.kind != asked.kind or not is_wild(taking.words):
        return False
    return matches_later(taking.words, asked.words) or asked.words in matched_earlier(taking.words, [asked.words])


def _pattern(topology: Topology, name: str) -> AddressPattern:
    return topology.rules.addressing.pattern(name, topology.rules.topic)


def _is_pattern(topology: Topology, name: str) -> bool:
    return is_wild(_pattern(topology, name).words)


def with_sufficient_selector(topology: Topology, binding: Binding) -> Binding | None:
    """Return ``binding`` with a selector for the messages that it certainly takes; None if there are no such messages.

    The selector of the result needs no values that are unknown before a message is sent. For example, a filter can read
    the address of a message; that is unknown if the binding's address is a pattern.
    """
    if binding.text(CHOICE_ARGUMENT) not in (None, MIRRORED):
        return None
    selector, address_names = topology.selector(binding), topology.rules.addressing.address_headers
    if selector is None or not address_names:
        return binding
    address = None if _is_pattern(topology, binding.source) else binding.source
    known: Known = Unknown.SOME if address is None else address

    def value(name: str) -> Known:
        return known if name in address_names else Unknown.OWN

    decided = with_known_names(selector, value, DIALECTS[topology.dialect(binding)])
    sufficient = decided.selector if decided.certain else decided.sufficient
    if sufficient is None:
        return None
    return replace(binding, arguments={**binding.arguments, SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, sufficient)})


def bindings_at(topology: Topology, name: str) -> Iterator[Binding]:
    """Yield the bindings of the address ``name`` in a topology for display, and of the matching wildcard addresses."""
    for source, bindings in topology.bindings_by_source.items():
        if source == name or _matches(topology, source, name):
            yield from bindings


def links_at(topology: Topology, name: str) -> Iterator[Link]:
    """Yield the links from the address ``name`` and the wildcard addresses that match it, in a topology for display."""
    for link in topology.links:
        source = link.source if link.source_type == "exchange" else None
        if source is not None and (source == name or _matches(topology, source, name)):
            yield link


def counts_of(topology: Topology, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of messages for each address in a topology for display, including matching wildcard addresses.

    A message to a list counts for each destination in the list, and a message to a queue of an address counts for the
    address.
    """
    totals: dict[str, int] = {}
    wild = [name for name in topology.exchange_by_name if name and _is_pattern(topology, name)]
    named = (
        (address, count) for name, count in counts.items() for address in topology.rules.addressing.addresses(name)
    )
    for name, count in named:
        for one in (name, *(pattern for pattern in wild if _matches(topology, pattern, name))):
            totals[one] = totals.get(one, 0) + count
    return totals


def sample_address(topology: Topology, pattern: str) -> str:
    """Return an example of an address that matches ``pattern``."""
    kind, pattern_words = _pattern(topology, pattern)
    words = ["x" if isinstance(word, AnyWord) else word for word in pattern_words]
    return kind + topology.rules.topic.syntax.text(words)
