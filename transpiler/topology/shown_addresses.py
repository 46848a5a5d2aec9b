"""Addresses of a JMS broker as the exchanges of a topology for people: pictures and reports are of these.

The exchanges that route are cases: they differ by routing type, by what has taken a message already, and by who was
asked before. Here an address, or a destination, is one exchange; its bindings are what leads from it to queues, and by
diverts and virtual destinations to other addresses. A queue of ActiveMQ is a destination itself; it is one of these
only where something else than the queue is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.broker_rules import Destinations
from transpiler.topology.destinations import (
    ACTIVEMQ_PATTERNS,
    FULLY_QUALIFIED,
    artemis_characters,
    destination_name,
    is_sent_wildcard,
    names_queue,
    own_prefix,
)
from transpiler.topology.importers.artemis_addresses import Words, is_wild, matched_earlier, matches_later
from transpiler.topology.model import (
    CHOICE_ARGUMENT,
    EXCLUSIVE_ARGUMENT,
    REPLACEMENT_ARGUMENT,
    SELECTOR_ARGUMENT,
    Arguments,
    Binding,
    Exchange,
    Link,
    Queue,
    Topology,
)
from transpiler.topology.targets import DEAD_LETTER, TargetType

#: The keys that every message matches.
_ANY = ("", "#")

#: An exchange that chooses, in a few words.
_CHOICES = {"anycast": "one of", "maybe": "perhaps"}

_OTHERWISE = ((CHOICE_ARGUMENT, AmqpValue(AmqpType.STRING, "otherwise")),)


def addresses_of(topology: Topology, *, matching: bool = True) -> Topology:
    """Return the addresses of a JMS broker's topology; another topology as it is.

    With ``matching`` an address leads to the wildcard addresses that match it.
    """
    if topology.rules.destinations is None:
        return topology
    edges = list(_Walk(topology).edges())
    unroutable = [edge for edge in edges if isinstance(edge, Link)]
    bindings = {_identity(edge): edge for edge in edges if isinstance(edge, Binding)}
    sources = dict.fromkeys(binding.source for binding in bindings.values())
    bindings = {_identity(each): each for each in (_to_queue(topology, one, sources) for one in bindings.values())}
    names = dict.fromkeys(name for each in bindings.values() for name in _exchanges(each))
    links = tuple(_shown(topology, link, names) for link in topology.links if link.source_type != "own-queue")
    links += tuple(dict.fromkeys(unroutable))
    names |= dict.fromkeys(name for link in links for kind, name in link.ends if kind == "exchange")
    queues = {queue.name: queue for queue in topology.queues}
    ends = [(each.destination_type, each.destination or "") for each in links]
    ends += [(each.destination_type, each.destination) for each in bindings.values()]
    queues |= {name: Queue(name) for kind, name in ends if kind == "queue" and name not in queues}
    made = (_of_made_queue(queues, *two) for two in pairwise(links))
    bindings |= {_identity(binding): binding for binding in made if binding is not None}
    if matching:
        bindings |= {_identity(each): each for each in _matching(topology, names, sources)}
    return Topology(
        topology.rules,
        tuple(Exchange(name, "fanout") for name in names),
        tuple(queues.values()),
        tuple(bindings.values()),
        words=topology.words,
        findings=topology.findings,
        links=links,
        readers=topology.readers,
    )


def _to_queue(topology: Topology, binding: Binding, sources: Mapping[str, None]) -> Binding:
    """Return a binding to a destination; where nothing but a queue of its name is there, to the queue."""
    is_queue = binding.destination_type == "exchange" and _is_queue(topology, binding.destination, sources)
    return replace(binding, destination_type="queue") if is_queue else binding


def _is_queue(topology: Topology, name: str, sources: Mapping[str, None]) -> bool:
    """Return True if a destination is a queue of ActiveMQ and nothing else; a send makes the queue."""
    prefix = own_prefix(topology)
    if prefix == "" or not name.startswith(prefix) or name in sources:
        return False
    words = _words(topology, name)
    return not is_wild(words) and not any(_matches(topology, source, name) for source in sources)


def _matching(topology: Topology, names: Iterable[str], sources: Iterable[str]) -> Iterator[Binding]:
    """Yield what leads from addresses to the wildcard addresses that match them."""
    wild = [name for name in sources if is_wild(_words(topology, name))]
    for name in names if wild else ():
        if not is_wild(_words(topology, name)):
            yield from (
                Binding(name, one, destination_type="exchange") for one in wild if _matches(topology, one, name)
            )


def _matches(topology: Topology, pattern: str, name: str) -> bool:
    """Return True if a pattern of an address matches one, by whichever was made first."""
    if pattern.partition("://")[0] != name.partition("://")[0] and topology.rules.destinations is Destinations.ACTIVEMQ:
        return False
    words, asked = _words(topology, pattern), _words(topology, name)
    return is_wild(words) and (matches_later(words, asked) or asked in matched_earlier(words, [asked]))


def _words(topology: Topology, name: str) -> Words:
    """Return the words of a pattern of addresses, as those of keys."""
    if topology.rules.destinations is Destinations.ACTIVEMQ:
        return tuple(ACTIVEMQ_PATTERNS.translate(name.partition("://")[2]).split("."))
    return tuple(artemis_characters(topology.words).translate(name).split("."))


def _shown(topology: Topology, link: Link, sources: Mapping[str, None]) -> Link:
    """Return a link to an address, or to the queue that is all of a destination."""
    if link.destination_type == "queue":
        return link
    name = destination_name(topology, link.destination or "", link.key or "")
    kind: TargetType = "queue" if _is_queue(topology, name, sources) else "exchange"
    return replace(link, destination=name, destination_type=kind, key=None)


def _of_made_queue(queues: Mapping[str, Queue], before: Link, link: Link) -> Binding | None:
    """Return the binding of a queue that the broker makes at a dead-letter address; the link to that comes before."""
    name = link.destination or ""
    if (
        link.destination_type != "queue"
        or before.destination is None
        or SELECTOR_ARGUMENT not in queues[name].arguments
    ):
        return None
    return Binding(before.destination, name, "", queues[name].arguments)


def counts_of(topology: Topology, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of messages by the addresses that are shown: those of wildcards, too, that match one."""
    if topology.rules.destinations is None:
        return dict(counts)
    shown: dict[str, int] = {}
    wild = [name for name in topology.exchange_by_name if name and is_wild(_words(topology, name))]
    for name, count in counts.items():
        for one in (name, *(pattern for pattern in wild if _matches(topology, pattern, name))):
            shown[one] = shown.get(one, 0) + count
    return shown


def sample_address(topology: Topology, pattern: str) -> str:
    """Return an address that a pattern of an address matches."""
    plain = ".".join("x" if word in ("*", "#") else word for word in _words(topology, pattern))
    if topology.rules.destinations is Destinations.ARTEMIS:
        return artemis_characters(topology.words).inverse.translate(plain)
    kind, separator, _ = pattern.partition("://")
    return kind + separator + ACTIVEMQ_PATTERNS.inverse.translate(plain) if separator else pattern


def _identity(binding: Binding) -> tuple[object, ...]:
    exclusive = EXCLUSIVE_ARGUMENT in binding.arguments
    return binding.source, binding.destination_type, binding.destination, binding.text(SELECTOR_ARGUMENT), exclusive


def _exchanges(binding: Binding) -> tuple[str, ...]:
    return (binding.source, binding.destination) if binding.destination_type == "exchange" else (binding.source,)


class _State(NamedTuple):
    """An exchange that the walk has come to, with the pattern, the arguments and the entry that lead there."""

    exchange: str
    pattern: str | None
    arguments: tuple[tuple[str, AmqpValue], ...]
    entry: str


class _Walk:
    """Follows bindings from the entries, with the address and the arguments that lead there."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._seen: set[_State] = set()

    def edges(self) -> Iterator[Binding | Link]:
        """Yield what leads on from addresses; a link is the way of what no queue of an address took."""
        entries = [name for name, exchange in self._topology.exchange_by_name.items() if not exchange.internal]
        waiting = [_State(name, None, (), name) for name in entries if name and not name.endswith(FULLY_QUALIFIED)]
        while waiting:
            here = waiting.pop()
            if here in self._seen:
                continue
            self._seen.add(here)
            alternate = self._topology.exchange_by_name[here.exchange].alternate
            bindings = self._topology.bindings_by_source.get(here.exchange, ())
            if alternate is not None and alternate.type == "exchange":
                arguments: tuple[tuple[str, AmqpValue], ...] = ()
                if here.pattern is not None and all(binding.key in _ANY for binding in bindings):
                    # What the selectors of a composite destination's targets refuse.
                    arguments = _OTHERWISE
                waiting.append(here._replace(exchange=alternate.name, arguments=arguments))
            unroutable = any(
                each.destination_type == "outcome" and each.destination == DEAD_LETTER.name for each in bindings
            )
            for binding in bindings:
                if not is_sent_wildcard(self._topology, binding.key):
                    yield from self._along(here, binding, waiting, unroutable)

    def _along(
        self, here: _State, binding: Binding, waiting: list[_State], unroutable: bool
    ) -> Iterator[Binding | Link]:
        topology = self._topology
        pattern = here.pattern if binding.key in _ANY else binding.key
        arguments = _both(dict(here.arguments), binding.arguments)
        key = topology.replacement_key(binding)
        if binding.destination_type == "exchange" and key is None:
            choice = _CHOICES.get(topology.exchange_by_name[binding.destination].type)
            if choice is not None:
                # Who of several gets a message is asked again by the exchange that chooses.
                arguments.pop(SELECTOR_ARGUMENT, None)
                several = {*map(_target, topology.bindings_by_source.get(binding.destination, ()))}
                if choice == "perhaps" or len(several) > 1:
                    arguments[CHOICE_ARGUMENT] = AmqpValue(AmqpType.STRING, choice)
            waiting.append(_State(binding.destination, pattern, tuple(arguments.items()), here.entry))
            return
        address = destination_name(topology, here.entry, "#" if pattern is None else pattern)
        if binding.destination_type != "exchange":
            name: str | None = binding.destination if binding.destination_type == "queue" else None
            if binding.destination_type == "own-queue" and topology.rules.destinations is Destinations.ACTIVEMQ:
                name = None if pattern is None or is_wild(pattern.split(".")) else address
            if name is not None:
                yield Binding(address, name, "", arguments, path=binding.path)
            return
        assert key is not None
        following = binding.destination
        if names_queue(following):
            key = key.partition(".")[2]
        waiting.append(_State(binding.destination, None, (), following))
        target = destination_name(topology, following, key)
        if unroutable:
            yield Link("dead-letter", "no queue of the address took it", address, target, "exchange", path=binding.path)
        else:
            yield replace(binding, source=address, destination=target, key="", arguments=arguments)


def _target(binding: Binding) -> tuple[str, str, str | None]:
    return binding.destination_type, binding.destination, binding.text(REPLACEMENT_ARGUMENT)


def _both(before: Mapping[str, AmqpValue], own: Arguments) -> dict[str, AmqpValue]:
    """Return the arguments of two bindings, one behind the other; both selectors count."""
    both = {name: value for name, value in {**before, **own}.items() if name != REPLACEMENT_ARGUMENT}
    selectors = [arguments[SELECTOR_ARGUMENT].value for arguments in (before, own) if SELECTOR_ARGUMENT in arguments]
    if len({*selectors}) > 1:
        both[SELECTOR_ARGUMENT] = AmqpValue(AmqpType.STRING, " AND ".join(f"({text!s})" for text in selectors))
    return both
