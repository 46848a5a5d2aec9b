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
    """The queues and outcomes (``ends``) to which a part of the topology leads a message.

    ``certain`` is True if the message reaches some queue or outcome there, whatever exchanges choose at random or by a
    hash. ``ends`` may lack that queue or outcome, because choices are not always followed.
    """

    ends: Ends = frozenset()
    certain: bool = False

    def also(self, other: _Reached) -> _Reached:
        """Return the union of this object and ``other``, which belongs to another part of the topology."""
        return _Reached(self.ends | other.ends, self.certain or other.certain)


#: A generator that follows a message through a part of the topology. It yields the generator of each smaller part,
#: receives what the message reaches there by ``send``, and finally returns all that the message reaches. So the
#: traversal needs no recursion.
_Walk = Generator["_Walk", _Reached, _Reached]


class Visit(NamedTuple):
    """An exchange that a message reached, with the message's routing keys there.

    ``matched`` says for each binding of the exchange whether the message matches it, in the order of
    ``Topology.bindings_by_source``. It is empty for the default exchange, and for an exchange that chooses a binding
    without regard to matches.
    """

    exchange: Exchange
    keys: tuple[str | None, ...]
    matched: tuple[bool, ...]


class ExchangeWalk:
    """The route of one message through a topology, from exchange to exchange.

    If ``alternates`` is False, alternate exchanges are not followed. Some exchanges choose one of their bindings by a
    hash or at random: the route ends there or, if ``chosen`` is True, follows every binding that such an exchange can
    choose.
    """

    def __init__(self, topology: Topology, message: Message, *, alternates: bool = True, chosen: bool = False) -> None:
        self.topology = topology
        self.message = message
        self.used_alternates = False
        self.used_choices = False
        #: True if an exchange chose, and all its choices are queues, so that the message certainly reaches a queue.
        self.chose_queue = False
        #: True if the message reached an exchange that the topology's file only mentions, so that its bindings are
        #: unknown.
        self.came_to_unknown = False
        self.visits: dict[tuple[str, Keys], Visit] = {}
        #: For each (exchange, routing keys) that the message reached, the next ones. It is filled only if the broker
        #: treats a cycle of exchanges as an error.
        self.onward: dict[tuple[str, Keys], list[tuple[str, Keys]]] = {}
        self._alternates = alternates
        self._chosen = chosen
        #: The (exchange, routing keys) on the message's path up to the current exchange.
        self._path: set[tuple[str, Keys]] = set()
        self._known: dict[tuple[str, Keys], tuple[_Reached, bool]] = {}
        #: The number of times that the message reached an exchange that chooses one of its bindings.
        self._chose_here = 0
        self._shortened = 0

    def ends(self, exchange: Exchange, keys: Keys) -> Ends:
        """Return the queues and outcomes that the message reaches from ``exchange`` with the routing keys ``keys``."""
        # Use a stack instead of recursion, because a chain of exchanges can be longer than Python's recursion limit.
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
        """Follow the message from ``exchange``, and return the queues and outcomes that it reaches.

        If the message has been at this exchange before on the same path, return nothing, because the cycle adds
        nothing.
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
        # The message goes to the alternate exchange if it reached no queue or outcome. If an exchange on its way chose
        # a binding, it is not known whether the message reached a queue. The alternate exchange is then only possible,
        # and followed only if ``chosen`` is set.
        left = not reached.certain and (self._chosen or not is_open)
        if not matched if self.topology.rules.alternate_on_no_match else left:
            reached = reached.also((yield from self._alternate(exchange, keys)))
        if not self.topology.rules.alternate_on_no_match:
            # With ``alternate_on_no_match``, whether the alternate exchange is used depends only on the exchange's own
            # bindings, not on the path. So one visit is enough, and the exchange stays on the path.
            self._path.remove(here)
        if self._shortened == shortened:
            # The result is incomplete if a part of the route ended at an exchange that was already on the path.
            # Otherwise it is the same on every path, so cache it.
            self._known[here] = reached, is_open
        return reached

    def _bound(self, exchange: Exchange, keys: Keys) -> Generator[_Walk, _Reached, tuple[_Reached, bool]]:
        if exchange.name == DEFAULT_EXCHANGE:
            # The Qpid Broker-J book, on the default exchange: "All queues are automatically bound to it upon their
            # creation using the queue name as the binding key."
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
        """Follow all of ``bindings``, and return the queues and outcomes that the message reaches through them."""
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
        """Follow the bindings that ``exchange`` can choose, if ``chosen`` is True; otherwise follow none of them."""
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
        """True if a cycle leads the message back to an exchange with the same keys, which is an error at the broker."""
        try:
            TopologicalSorter(self.onward).prepare()
        except CycleError:
            return True
        return False

    def _names_queue(self, key: str) -> bool:
        return key in self.topology.queue_names and not self.topology.rules.is_direct_reply(key)

    def _alternate(self, exchange: Exchange, keys: Keys) -> _Walk:
        # The Qpid Broker-J book: "If ... an alternate binding has been set on the exchange, the message is routed to
        # the alternate."
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
