"""Addresses of a JMS broker for people: pictures and reports are of the topology that its importer has kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from transpiler.base.topics import AnyWord, is_wild
from transpiler.language.selector.dialects import DIALECTS
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.addressing import PlacePattern
from transpiler.topology.importers.artemis_addresses import matched_earlier, matches_later
from transpiler.topology.importers.known_names import Known, Unknown, with_known_names
from transpiler.topology.importers.shown_builder import MIRRORED
from transpiler.topology.model import Topology
from transpiler.topology.records import CHOICE_ARGUMENT, SELECTOR_ARGUMENT, Binding, Link


def addresses_of(topology: Topology, *, matching: bool = True) -> Topology:
    """Return the addresses of a JMS broker's topology; another topology as it is.

    With ``matching`` an address leads to the wildcard addresses that match it.
    """
    if topology.shown is None:
        return topology
    shown = replace(topology.shown, findings=topology.findings, settings=topology.settings)
    return replace(shown, bindings=(*shown.bindings, *_matching(shown))) if matching else shown


def _matching(topology: Topology) -> Iterator[Binding]:
    """Yield bindings from addresses to the wildcard addresses that match them; mirrors are shown at each queue."""
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
    """Return True if a pattern of an address matches one, by whichever was made first."""
    taking, asked = _pattern(topology, pattern), _pattern(topology, name)
    if taking.kind != asked.kind or not is_wild(taking.words):
        return False
    return matches_later(taking.words, asked.words) or asked.words in matched_earlier(taking.words, [asked.words])


def _pattern(topology: Topology, name: str) -> PlacePattern:
    return topology.rules.addressing.pattern(name, topology.rules.topic)


def _is_pattern(topology: Topology, name: str) -> bool:
    return is_wild(_pattern(topology, name).words)


def surely_selecting(topology: Topology, binding: Binding) -> Binding | None:
    """Return a binding that takes only what this one surely takes of the messages sent to its address.

    None where it takes none for sure. Where the address is a pattern, what a filter reads of it is not known.
    """
    if binding.text(CHOICE_ARGUMENT) not in (None, MIRRORED):
        return None
    selector, places = topology.selector(binding), topology.rules.addressing.place_names
    if selector is None or not places:
        return binding
    place = None if _is_pattern(topology, binding.source) else binding.source
    known: Known = Unknown.SOME if place is None else place

    def value(name: str) -> Known:
        return known if name in places else Unknown.OWN

    decided = with_known_names(selector, value, DIALECTS[topology.dialect(binding)])
    sure = decided.selector if decided.certain else decided.sure
    if sure is None:
        return None
    return replace(binding, arguments={**binding.arguments, SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, sure)})


def bindings_at(topology: Topology, name: str) -> Iterator[Binding]:
    """Yield the bindings of an address that is shown, and of the wildcard addresses that match it."""
    for source, bindings in topology.bindings_by_source.items():
        if source == name or _matches(topology, source, name):
            yield from bindings


def links_at(topology: Topology, name: str) -> Iterator[Link]:
    """Yield the links that lead on from an address that is shown, and from the patterns of addresses that match it."""
    for link in topology.links:
        source = link.source if link.source_type == "exchange" else None
        if source is not None and (source == name or _matches(topology, source, name)):
            yield link


def counts_of(topology: Topology, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of messages by the addresses that are shown: those of wildcards, too, that match one.

    A message to a list counts for each destination of it, and one to a queue of an address for the address.
    """
    shown: dict[str, int] = {}
    wild = [name for name in topology.exchange_by_name if name and _is_pattern(topology, name)]
    named = ((place, count) for name, count in counts.items() for place in topology.rules.addressing.places(name))
    for name, count in named:
        for one in (name, *(pattern for pattern in wild if _matches(topology, pattern, name))):
            shown[one] = shown.get(one, 0) + count
    return shown


def sample_address(topology: Topology, pattern: str) -> str:
    """Return an address that a pattern of an address matches."""
    kind, pattern_words = _pattern(topology, pattern)
    words = ["x" if isinstance(word, AnyWord) else word for word in pattern_words]
    return kind + topology.rules.topic.syntax.text(words)
