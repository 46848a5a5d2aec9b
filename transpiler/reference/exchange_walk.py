"""The traversal of one message through exchanges, from the exchange of publication, along bindings and alternates.

Sources: the exchanges chapter of the Qpid Broker-J book, and the brokers' additions. Routing is total: no message makes
it raise, unless a regular expression exceeds a limit. A message reaches a queue only once, even if several bindings
lead to the queue.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from graphlib import CycleError, TopologicalSorter
from itertools import compress
from typing import NamedTuple

from transpiler.message.message import Message
from transpiler.reference.conditions import Keys, holds
from transpiler.topology.choices import Choice, choice_of, leaves_open
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE, Binding, Exchange
from transpiler.topology.targets import Target, TargetType

#: The queues and outcomes that a message reaches.
Ends = frozenset[Target]


class _Reached(NamedTuple):
    """The queues and outcomes (``ends``) that a message reaches in one part of a traversal.

    ``certain`` is True if the message reaches some queue or outcome whatever exchanges choose. That queue or outcome
    may be missing in ``ends``, because the traversal does not follow every choice.
    """

    ends: Ends = frozenset()
    certain: bool = False

    def also(self, other: _Reached) -> _Reached:
        """Return the union of this object and ``other``, which comes from another part of the traversal."""
        return _Reached(self.ends | other.ends, self.certain or other.certain)


#: A part of a traversal, as a generator. It yields each part that begins inside it, receives the queues and outcomes of
#: that part by ``send``, and returns all queues and outcomes. So the traversal needs no recursion.
_Walk = Generator["_Walk", _Reached, _Reached]


class Visit(NamedTuple):
    """An exchange that a message reached, with the message's routing keys at this exchange.

    ``matched`` contains, for each binding of the exchange in ``Topology.bindings_by_source``, True if the message
    matches the binding. It is empty for the default exchange, and for an exchange that chooses regardless of matches.
    """

    exchange: Exchange
    keys: tuple[str | None, ...]
    matched: tuple[bool, ...]


class ExchangeWalk:
    """The traversal of a topology by one message, from exchange to exchange.

    If ``alternates`` is False, the traversal follows only bindings, not alternate exchanges. At an exchange that
    chooses among its bindings, the traversal stops, or if ``chosen`` is True, follows every binding that can be chosen.
    """

    def __init__(self, topology: Topology, message: Message, *, alternates: bool = True, chosen: bool = False) -> None:
        self.topology = topology
        self.message = message
        self.used_alternates = False
        self.used_choices = False
        #: True if an exchange chose and each of its choices is a queue, so that the message reaches a queue.
        self.chose_queue = False
        #: True if the message reached an exchange that the file names without describing it.
        self.came_to_unknown = False
        self.visits: dict[tuple[str, Keys], Visit] = {}
        #: For each exchange with routing keys: the exchanges, with routing keys, that the message reached next. Empty
        #: unless a cycle of exchanges is an error at the broker.
        self.onward: dict[tuple[str, Keys], list[tuple[str, Keys]]] = {}
        self._alternates = alternates
        self._chosen = chosen
        #: The exchanges, with keys, on the current path of the message.
        self._path: set[tuple[str, Keys]] = set()
        self._known: dict[tuple[str, Keys], tuple[_Reached, bool]] = {}
        #: Number of times that the message reached an exchange that chooses.
        self._chose_here = 0
        self._shortened = 0

    def ends(self, exchange: Exchange, keys: Keys) -> Ends:
        """Return the queues and outcomes that the message reaches from ``exchange``, whatever the order of bindings."""
        # A path can be longer than Python's recursion limit, so the stack is explicit.
        walks: list[_Walk] = [self._through(exchange, keys)]
        reached: _Reached | None = None
        while walks:
            try:
                walks.append(walks[-1].send(reached) if reached is not None else next(walks[-1]))
                reached = None
            except StopIteration as end:
                walks.pop()
                reached = end.value
        return _Reached().ends if reached is None else reached.ends

    def _through(self, exchange: Exchange, keys: Keys) -> _Walk:
        """Follow the message from ``exchange``; return the queues and outcomes that it reaches.

        If the exchange is already on the message's path, return no queue and no outcome.
        """
        here = (exchange.name, keys)
        if here in self._path:
            self._shortened += 1
            return _Reached()
        known = self._known.get(here)
        if known is not None:
            self._chose_here += known[1]
            return known[0]
        shortened, chose = self._shortened, self._chose_here
        self._path.add(here)
        reached, matched = yield from self._bound(exchange, keys)
        is_open = self._chose_here > chose
        # The alternate exchange is followed if the message reached no queue or outcome. If an exchange further on chose
        # a binding, the message may have reached a queue, so that the alternate exchange is only possible: it is
        # followed only if ``chosen`` is set.
        left = not reached.certain and (self._chosen or not is_open)
        if not matched if self.topology.rules.alternate_on_no_match else left:
            reached = reached.also((yield from self._alternate(exchange, keys)))
        if not self.topology.rules.alternate_on_no_match:
            # Otherwise the exchange stays on the path for the rest of the traversal: whether its alternate destination
            # is used depends only on its own bindings, so one visit is enough.
            self._path.remove(here)
        if self._shortened == shortened:
            # No part of the walk ended early because its exchange was already on the path. So the result is the same on
            # every path, and is cached.
            self._known[here] = reached, is_open
        return reached

    def _bound(self, exchange: Exchange, keys: Keys) -> Generator[_Walk, _Reached, tuple[_Reached, bool]]:
        if exchange.name == DEFAULT_EXCHANGE:
            # "All queues are automatically bound to it upon their creation using the queue name as the binding key."
            named = frozenset(Target("queue", key) for key in keys if key is not None and self._names_queue(key))
            self.visits[exchange.name, keys] = Visit(exchange, keys, ())
            return _Reached(named, bool(named)), bool(named)
        choice = choice_of(self.topology, exchange) if exchange.kind.choosing is not None else None
        if choice is not None and not choice.by_match:
            self.visits[exchange.name, keys] = Visit(exchange, keys, ())
            return (yield from self._chose(exchange, choice, keys)), True
        bindings = self.topology.bindings_by_source.get(exchange.name, ())
        answers = tuple(holds(self.topology.condition(binding), self.message, keys) for binding in bindings)
        self.visits[exchange.name, keys] = Visit(exchange, keys, answers)
        if choice is not None:
            matched = tuple(binding for binding, is_match in zip(bindings, answers, strict=True) if is_match)
            if leaves_open(self.topology, choice, matched):
                return (yield from self._chose(exchange, choice._replace(bindings=matched), keys)), True
        reached = yield from self._along_all(compress(bindings, answers), keys)
        return reached, any(answers)

    def _along_all(self, bindings: Iterable[Binding], keys: Keys) -> _Walk:
        """Follow all of ``bindings``, which the message matches, and return all queues and outcomes that it reaches."""
        ends: set[Target] = set()
        certain = False
        for binding in bindings:
            found = yield from self._along(binding, keys)
            ends |= found.ends
            certain |= found.certain
        return _Reached(frozenset(ends), certain)

    def _along(self, binding: Binding, keys: Keys) -> _Walk:
        """Follow ``binding``, which the message matches, to its queue or through the next exchange."""
        if binding.destination_type != "exchange":
            return self._end(binding.destination_type, binding.destination, keys)
        replacement = self.topology.replacement_key(binding)
        onward = keys if replacement is None else (replacement,)
        self._go(binding.source, keys, binding.destination, onward)
        return (yield self._through(self.topology.exchange_by_name[binding.destination], onward))

    def _chose(self, exchange: Exchange, choice: Choice, keys: Keys) -> _Walk:
        """Follow all bindings that ``exchange`` can choose if ``chosen`` is set, otherwise no binding."""
        self.used_choices = True
        self._chose_here += 1
        self.chose_queue |= choice.reaches_queue
        self.came_to_unknown |= exchange.is_unknown
        reached = _Reached()
        if self._chosen:
            reached = yield from self._along_all(choice.bindings, keys)
            if not choice.total and not choice.by_match:
                reached = reached.also((yield from self._alternate(exchange, keys)))
        return reached._replace(certain=choice.reaches_queue)

    def _end(self, kind: TargetType, name: str, keys: Keys) -> _Reached:
        if kind == "own-queue":
            kind, name = "queue", self.topology.rules.addressing.own_queue(keys[0] or "")
        return _Reached(frozenset({Target(kind, name)}), True)

    def _go(self, source: str, keys: Keys, destination: str, onward: Keys) -> None:
        if self.topology.rules.rings_fail:
            self.onward.setdefault((source, keys), []).append((destination, onward))

    @property
    def comes_back(self) -> bool:
        """True if the message came back to an exchange with the same keys, and the broker treats this as an error."""
        try:
            TopologicalSorter(self.onward).prepare()
        except CycleError:
            return True
        return False

    def _names_queue(self, key: str) -> bool:
        return key in self.topology.queue_names and not self.topology.rules.is_direct_reply(key)

    def _alternate(self, exchange: Exchange, keys: Keys) -> _Walk:
        # "If ... an alternate binding has been set on the exchange, the message is routed to the alternate."
        alternate = self.topology.alternate(exchange) if self._alternates else None
        if alternate is None:
            return _Reached()
        self.used_alternates = True
        if alternate.type != "exchange":
            return self._end(alternate.type, alternate.name, keys)
        self._go(exchange.name, keys, alternate.name, keys)
        next_exchange = self.topology.exchange_by_name[alternate.name]
        if self.topology.rules.alternates_chain:
            return (yield self._through(next_exchange, keys))
        reached, _ = yield from self._bound(next_exchange, keys)
        return reached


def subject_of(message: Message) -> str | None:
    """Return the subject of the message, which is its own routing key; None if the message has no subject."""
    return message.properties.subject if message.properties is not None else None
