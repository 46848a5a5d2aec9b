"""Build the topology of a JMS broker for display: addresses or destinations, and their diverts and queues.

The exchanges that route are cases: they differ by routing type, by the queues and diverts that have already taken the
message, and by the path of the message. In the topology for display, each address or destination is a single exchange,
and each binding is an element of the file: a queue, a divert, or a target of a virtual destination, with its original
selector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Unpack

from transpiler.topology.broker_rules import Rules
from transpiler.topology.exchange_types import UNKNOWN
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Link, Marks, Queue, arguments_of
from transpiler.topology.targets import Target, TargetType

#: Texts for users about when a message follows a binding: ``ONE_OF`` if the binding is chosen among several,
#: ``PERHAPS`` if it is unknown, ``OTHERWISE`` if nothing else takes the message, ``MIRRORED`` for a copy.
ONE_OF, PERHAPS, OTHERWISE, MIRRORED = "one of", "perhaps", "otherwise", "mirrored"

#: Text for users: the queue of a virtual topic gets messages only if it has a consumer.
UNREAD = "only with a consumer"


@dataclass(slots=True)
class DisplayBuilder:
    """A builder of the topology for display, with the bindings and links added so far.

    ``addresses`` are the addresses to include even without bindings. ``unknown`` are the names of queues and exchanges
    that the file does not describe.
    """

    bindings: dict[object, Binding] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    addresses: dict[str, None] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)

    def bind(
        self,
        source: str,
        target: Target,
        selector: str | None = None,
        location: str = "",
        **marks: Unpack[Marks],
    ) -> None:
        """Add a binding from an address to a queue or to another address, unless the same binding exists."""
        arguments = arguments_of(selector, marks)
        identity = source, target, tuple(arguments.items())
        self.bindings.setdefault(identity, Binding(source, target.name, "", arguments, target.type, location))

    def link(self, link: Link, to: Target) -> None:
        """Add ``link``, a link of the topology that routes messages, with ``to`` as its target for display."""
        kinds = link.source_type, to.type
        self.links.append(
            Link(link.kind, link.when, link.source, to.name, *kinds, path=link.path, affixes=link.affixes)
        )

    @property
    def ends(self) -> list[tuple[TargetType, str]]:
        """The kind and name of each queue and exchange that was added so far."""
        ends: list[tuple[TargetType, str]] = [("exchange", name) for name in self.addresses]
        ends += [("exchange", binding.source) for binding in self.bindings.values()]
        ends += [(binding.destination_type, binding.destination) for binding in self.bindings.values()]
        return ends + [end for link in self.links for end in link.ends]

    def topology(self, rules: Rules, queues: Iterable[Queue], readers: frozenset[str] | None) -> Topology:
        """Return the topology, with a record for each queue and exchange that a binding or a link names."""
        sources = {binding.source for binding in self.bindings.values()}
        ends = self.ends
        by_name: Mapping[str, Queue] = {queue.name: queue for queue in queues}
        made = dict.fromkeys(name for kind, name in ends if kind == "queue" and name not in by_name)
        by_name = {**by_name, **{name: Queue(name, declared=name not in self.unknown) for name in made}}
        exchanges = dict.fromkeys(name for kind, name in ends if kind == "exchange")
        return Topology(
            rules,
            tuple(Exchange(name, UNKNOWN if name in self.unknown - sources else "fanout") for name in exchanges),
            tuple(by_name.values()),
            tuple(self.bindings.values()),
            links=tuple(dict.fromkeys(self.links)),
            readers=readers,
        )
