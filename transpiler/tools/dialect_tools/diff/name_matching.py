"""Matching of names that mean the same destination in two topologies: by a given mapping, and by the brokers' syntax.

ActiveMQ's ``queue://a.>`` is Artemis' address ``a.#``, with an anycast queue of that name. Results use the names of
the new topology, NEW.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from transpiler.topology.addressing import KINDS, QUEUE_KIND, RoutingType, kind_and_name
from transpiler.topology.model import Topology
from transpiler.topology.records import (
    DIALECT_ARGUMENT,
    DIVERT_ARGUMENT,
    ROUTING_TYPE_ARGUMENT,
    Alternate,
    Binding,
    Link,
)

#: Binding arguments that only Artemis has, and that do not affect where a message goes.
_OF_ARTEMIS = frozenset({DIVERT_ARGUMENT, DIALECT_ARGUMENT, ROUTING_TYPE_ARGUMENT})

#: The target of a send: a destination or exchange, and the message's routing type, or None if it has no routing type.
Send = tuple[str, RoutingType | None]


@dataclass(frozen=True)
class Names:
    """A translator from the names of exchanges and queues in the old topology (OLD) to those in the new topology (NEW).

    ``given`` contains the names that the user mapped.
    """

    old: Topology
    new: Topology
    given: Mapping[str, str]

    @property
    def across(self) -> bool:
        """True if one broker is ActiveMQ and the other is Artemis."""
        old, new = self.old.rules.addressing, self.new.rules.addressing
        return old != new and old.names_destinations and new.names_destinations

    def renamed(self, shown_old: Topology, shown_new: Topology) -> tuple[Topology, Topology]:
        """Return both topologies in comparable form: ``shown_old`` with the new names, and ``shown_new``.

        Between ActiveMQ and Artemis, addresses that only Artemis has are removed.
        """
        if self.across:
            shown_old, shown_new = _without_own_addresses(shown_old), _without_own_addresses(shown_new)
        known = {*shown_new.queue_names, *shown_new.exchange_by_name}
        names = self._mapping((*shown_old.exchange_by_name, *shown_old.queue_names), known)
        return (_with_names(shown_old, names) if names else shown_old), shown_new

    def plain(self, topology: Topology) -> Topology:
        """Return ``topology`` without the binding arguments that only Artemis has, if only one broker is Artemis."""
        if not self.across:
            return topology

        def binding(one: Binding) -> Binding:
            kept = {name: value for name, value in one.arguments.items() if name not in _OF_ARTEMIS}
            return replace(one, arguments=kept) if len(kept) < len(one.arguments) else one

        return _replaced(topology, binding, lambda link: link)

    def _mapping(self, names: Iterable[str], known: set[str]) -> dict[str, str]:
        """Return a mapping from each of ``names`` that changes to its new name, preferably a name in ``known``.

        A name is omitted, and so keeps its old name, if an earlier name already has the same new name.
        """
        mapping: dict[str, str] = {}
        taken: set[str] = set()
        for name in dict.fromkeys(names):
            changed = self.of(name, known)
            if changed not in taken:
                mapping[name] = changed
            taken.add(mapping.get(name, name))
        return {name: changed for name, changed in mapping.items() if name != changed}

    def of(self, name: str, known: Iterable[str] = ()) -> str:
        """Return the name in the new topology (NEW) for ``name``, the name in the old topology (OLD).

        If there are several candidates, prefer a name in ``known``.
        """
        if name in self.given:
            return self.given[name]
        kind, bare = kind_and_name(name)
        new = self.new.rules.addressing
        if bare in self.given:
            given = self.given[bare]
            return given if "://" in given else new.of_kind(kind or QUEUE_KIND, given)[0]
        kinds = self.old.rules.addressing.kinds(name) if self.across else ()
        if not kinds:
            return name
        before = self.old.rules.topic.syntax.many_words
        bare = _words(bare, before, self.new.rules.characters[2:] or before)
        named = [new.of_kind(one, bare)[0] for one in kinds]
        return next((one for one in named if one in known), named[0])

    def send(self, name: str, routing_type: str | None = None) -> tuple[str, str | None]:
        """Return the destination and routing type with which a client sends to NEW what it sent to ``name`` in OLD.

        OLD and NEW are the old and the new topology. ``routing_type`` is the message's routing type in OLD.
        """
        old = self.old.rules.addressing
        if not self.across or (old.routing_types and name in self.given):
            return self.of(name), routing_type
        kind = next(iter(old.kinds(name, routing_type)), QUEUE_KIND)
        return self.new.rules.addressing.of_kind(kind, kind_and_name(self.of(name))[1])

    def sends(self, name: str) -> list[tuple[Send, Send]]:
        """Return the ways in which a client can send a message to the destination ``name`` of the new topology (NEW).

        Each item is a pair: the same send in the old topology, and in the new one.
        """
        back = {of: old for old, of in self.given.items()}
        before = back.get(name, name)
        if not self.across:
            types = self.old.rules.addressing.routing_types or self.new.rules.addressing.routing_types
            return [((before, kind), (name, kind)) for kind in (*types, None)]
        sends: list[tuple[Send, Send]] = []
        own = kind_and_name(name)[0]
        for kind in [own] if own else [*KINDS]:
            ends = [
                topology.rules.addressing.of_kind(kind, kind_and_name(given)[1])
                for topology, given in ((self.old, before), (self.new, name))
            ]
            sends.append((ends[0], ends[1]))
        return sends


def _words(name: str, any_words: str, other: str) -> str:
    """Return ``name`` with the multi-word wildcard ``any_words`` at its end replaced by ``other``: ``a.>`` → ``a.#``.

    A name that does not end with this wildcard is returned unchanged.
    """
    return name[: -len(any_words)] + other if name == any_words or name.endswith(f".{any_words}") else name


def _with_names(topology: Topology, names: Mapping[str, str]) -> Topology:
    def name(of: str) -> str:
        return names.get(of, of)

    def alternate(of: Alternate | None) -> Alternate | None:
        return of and replace(of, name=name(of.name))

    readers = topology.readers
    return _replaced(
        topology,
        lambda binding: replace(binding, source=name(binding.source), destination=name(binding.destination)),
        lambda link: replace(
            link,
            source=link.source and name(link.source),
            destination=link.destination and name(link.destination),
        ),
        exchanges=tuple(
            replace(one, name=name(one.name), alternate=alternate(one.alternate)) for one in topology.exchanges
        ),
        queues=tuple(replace(one, name=name(one.name), alternate=alternate(one.alternate)) for one in topology.queues),
        readers=None if readers is None else frozenset(map(name, readers)),
    )


def _without_own_addresses(topology: Topology) -> Topology:
    """Return ``topology`` without each address whose only binding leads to the queue with the address's own name.

    Only Artemis has such addresses, so they would appear as differences from ActiveMQ.
    """
    own = {
        exchange.name
        for exchange in topology.exchanges
        if exchange.alternate is None
        and [
            (one.destination_type, one.destination, one.arguments.keys() <= _OF_ARTEMIS)
            for one in topology.bindings_by_source.get(exchange.name, ())
        ]
        == [("queue", exchange.name, True)]
    }

    def binding(one: Binding) -> Binding:
        return replace(one, destination_type="queue") if one.destination in own else one

    def link(one: Link) -> Link:
        return replace(one, destination_type="queue") if one.destination in own else one

    kept = replace(topology, bindings=tuple(one for one in topology.bindings if one.source not in own))
    return _replaced(kept, binding, link, exchanges=tuple(one for one in topology.exchanges if one.name not in own))


def _replaced(
    topology: Topology, binding: Callable[[Binding], Binding], link: Callable[[Link], Link], **more: object
) -> Topology:
    changed: dict[str, object] = {
        "bindings": tuple(map(binding, topology.bindings)),
        "links": tuple(map(link, topology.links)),
        "default_exchange": "",
        **more,
    }
    return replace(topology, **changed)  # type: ignore[arg-type]
