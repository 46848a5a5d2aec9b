"""Builds the exchanges of a topology whose broker has no exchanges: names, bindings, and bindings that lead nowhere.

A binding takes a message that matches it, even if the binding leads nowhere; messages that no binding of an exchange
takes go to its alternate. So a decision between cases is a chain of exchanges, each with the next as its alternate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Unpack

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.topics import MANY_WORDS
from transpiler.language.binding_rules import TopicRules
from transpiler.topology.exchange_types import ExchangeType
from transpiler.topology.records import (
    DIALECT_ARGUMENT,
    SELECTOR_ARGUMENT,
    Alternate,
    Binding,
    Exchange,
    Marks,
    arguments_of,
)
from transpiler.topology.targets import Entered, Target

#: The name of the added exchange without bindings, which leads a message to no queue.
_NOWHERE = "nowhere"

#: Maximum number of bindings up to which the builder adds separate exchanges for each path of a message, to evaluate
#: filters whose result depends on the path.
MAX_BINDINGS = 20_000


def too_many_ways(name: str) -> Diagnostic:
    """Return a warning that the topology is too large to evaluate filters on ``name`` for each path of a message.

    Such filters read a header that the broker changes when it forwards a message, so its value depends on the path.
    """
    message = (
        f"filters that read {name} distinguish more paths of a message than are computed, so some of them may match"
    )
    hint = f"their answers are possible from {MAX_BINDINGS:,} bindings on"
    return Diagnostic("limit.ways", "warning", message, hint=hint)


@dataclass(slots=True)
class ExchangeBuilder:
    """A builder of exchanges and bindings. ``topic`` contains the broker's rules for keys."""

    topic: TopicRules
    exchanges: dict[str, Exchange] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)
    #: For each name that was already used, the last number that was appended to it.
    numbers: dict[str, int] = field(default_factory=dict)
    #: A description of the messages that reach the exchanges which the importer is adding now.
    entered: Entered | None = None
    #: ``_open`` contains the exchanges from which a message may reach no target. ``_unless`` maps an exchange to the
    #: exchange that ``otherwise`` has added for it.
    _open: set[str] = field(default_factory=set)
    _unless: dict[str, str] = field(default_factory=dict)
    #: For each exchange that tests whether a queue or divert takes a message, the name of this queue or divert.
    _tested: dict[str, str] = field(default_factory=dict)

    def exchange(
        self, name: str, kind: ExchangeType = "topic", alternate: Target | None = None, reason: str = ""
    ) -> str:
        """Add an internal exchange, at which no sender's message can enter.

        If the exchange chooses among its bindings, ``reason`` says for users what is not known. Return its name:
        ``name``, with a number if this name is already used.
        """
        free = name
        while free in self.exchanges:
            number = self.numbers[name] = self.numbers.get(name, 1) + 1
            free = f"{name} {number}"
        free_alternate = self._alternate(free, alternate)
        self.exchanges[free] = Exchange(free, kind, free_alternate, internal=True, entered=self.entered, reason=reason)
        return free

    def entrance(self, name: str, entered: Entered, *, entry: bool) -> None:
        """Add an exchange at which messages enter: from senders if ``entry`` is True, else only forwarded messages."""
        self.exchanges[name] = Exchange(name, "topic", internal=not entry, entered=entered)

    @property
    def any_key(self) -> str:
        """The binding key that matches every message."""
        return self.topic.key((MANY_WORDS,))

    @property
    def is_full(self) -> bool:
        """True if there are too many bindings to add exchanges for further paths of messages."""
        return len(self.bindings) > MAX_BINDINGS

    def _alternate(self, name: str, target: Target | None) -> Alternate | None:
        if target is None:
            return None
        if target.key is None:
            return Alternate(target.name, target.type)
        # A message keeps its routing key on the way to an alternate destination. To replace the key, the alternate
        # destination is an added exchange whose binding replaces it.
        return Alternate(self.fanout(f"{name}, then", [target]))

    def fanout(self, name: str, targets: Iterable[Target]) -> str:
        """Add an exchange that sends every message to all ``targets``; return its name."""
        name = self.exchange(name, "fanout")
        for target in targets:
            self.bind(name, "", target)
        return name

    def set_alternate(self, name: str, alternate: str) -> None:
        """Set the alternate destination of the exchange ``name``, which gets the messages that no binding takes."""
        self.exchanges[name] = replace(self.exchanges[name], alternate=Alternate(alternate))

    def perhaps(self, name: str, target: Target, reason: str, location: str = "", **marks: Unpack[Marks]) -> Target:
        """Add an exchange that may or may not send a message to ``target``; return this exchange as a target.

        ``reason`` says for users on what that depends.
        """
        maybe = self.exchange(name, "maybe", reason=reason)
        self.bind(maybe, self.any_key, target, None, location, **marks)
        return Target("exchange", maybe)

    def undecided(
        self,
        name: str,
        source: str,
        target: Target,
        reason: str,
        sufficient: str | None = None,
        location: str = "",
        **marks: Unpack[Marks],
    ) -> Target:
        """Return the target for messages from ``source`` to which a selector applies whose result is not always known.

        Messages that match the selector ``sufficient`` go to ``target``. Every other message may go to ``target``. If
        it does not, and no other binding of ``source`` certainly takes the message, it goes to the alternate
        destination of ``source``. If ``sufficient`` is None, no message certainly goes to ``target``.
        """
        way = self.perhaps(name, target, reason, location, **marks)
        otherwise = self.otherwise(source)
        if otherwise is not None:
            self.bind(way.name, self.any_key, otherwise)
        if sufficient is None:
            self._open.add(way.name)
            return way
        certain = self.exchange(f"{name} or surely", alternate=way)
        self.bind(certain, self.any_key, target, sufficient, location, **marks)
        self._open.add(certain)
        return Target("exchange", certain)

    def otherwise(self, source: str) -> Target | None:
        """Return the target for messages that matched a binding of ``source``, but that its destination did not take.

        Such a message counts as unrouted at ``source``. The target leads it to the alternate destination of ``source``,
        unless another binding of ``source`` certainly takes it. Return None if ``source`` has no alternate destination.
        """
        alternate = self.exchanges[source].alternate
        if alternate is None:
            return None
        if source not in self._unless:
            target = Target(alternate.type, alternate.name)
            self._unless[source] = self.exchange(f"{source}, unless taken", alternate=target)
        return Target("exchange", self._unless[source])

    def record_recipient_test(self, exchange: str, recipient: str) -> None:
        """Record that ``exchange`` tests whether the queue or divert ``recipient`` takes a message.

        A binding to ``exchange`` therefore does not mean that the message is taken.
        """
        self._tested[exchange] = recipient

    def finish(self) -> None:
        """Complete the exchanges that ``otherwise`` has added; call this after all bindings are added.

        Messages that a binding of the source certainly takes must not go to its alternate.
        """
        by_source: dict[str, list[Binding]] = {}
        for binding in self.bindings if self._unless else ():
            by_source.setdefault(binding.source, []).append(binding)
        for source, unless in self._unless.items():
            taken: dict[tuple[str, str | None, str | None], None] = {}
            asking: set[str] = set()
            for binding in by_source.get(source, ()):
                if binding.destination in self._tested:
                    asking.add(self._tested[binding.destination])
                    continue
                is_open = binding.destination in self._open
                asking |= {binding.destination} if is_open else set()
                # An exchange in ``_open`` may let a message pass to no target, so only a match of its own bindings is
                # certain.
                for one in by_source[binding.destination] if is_open else [binding]:
                    if self.exchanges[one.source].type != "maybe":
                        taken[binding.key, one.text(SELECTOR_ARGUMENT), one.text(DIALECT_ARGUMENT)] = None
            for key, selector, dialect in taken:
                self.bind(unless, key, None, selector, dialect=dialect)
            if len(asking) > 1 and any(name in asking for name in self._tested.values()):
                alternate = self.exchanges[unless].alternate
                assert alternate is not None
                reason = f"what else gets the message if none of {', '.join(sorted(asking))} takes it"
                way = self.perhaps(f"{unless}, perhaps", Target(alternate.type, alternate.name), reason)
                self.set_alternate(unless, way.name)

    def bind(
        self,
        source: str,
        key: str,
        target: Target | None,
        selector: str | None = None,
        location: str = "",
        **marks: Unpack[Marks],
    ) -> None:
        """Add a binding. If ``target`` is None, the binding takes messages and leads nowhere."""
        if target is None:
            if _NOWHERE not in self.exchanges:
                self.exchanges[_NOWHERE] = Exchange(_NOWHERE, "fanout", internal=True)
            target = Target("exchange", _NOWHERE)
        arguments = arguments_of(selector, marks, target.key)
        self.bindings.append(Binding(source, target.name, key, arguments, target.type, location))
