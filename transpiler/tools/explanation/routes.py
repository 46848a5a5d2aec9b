"""Explain the route of a message: the bindings that took it, and why the nearest other bindings did not take it.

The reference router decides which bindings match; ``binding_facts`` finds out why the other bindings do not match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from transpiler.base import html
from transpiler.base.arguments import check_count
from transpiler.base.diagnostics import clipped, did_you_mean
from transpiler.message.message import Message, MessageLike
from transpiler.reference.conditions import matches_words
from transpiler.reference.exchange_walk import Visit
from transpiler.reference.route import trace
from transpiler.reference.route_path import Step, follow
from transpiler.reference.routed import Routed, Traced
from transpiler.tools.explanation.binding_facts import Lack, binding_text, lacks
from transpiler.tools.explanation.passed_over import Written, exclusive_diverts, note_of_send, passed_over
from transpiler.tools.explanation.wording import value_text
from transpiler.topology.binding_slips import slip_of
from transpiler.topology.choices import choice_of, leaves_open
from transpiler.topology.model import Topology
from transpiler.topology.receivers import PublishOptions, read_settings
from transpiler.topology.records import DEFAULT_EXCHANGE, DIVERT_ARGUMENT, Binding
from transpiler.topology.targets import TargetType

#: ``_MAX_TEXT`` is the maximum length of the text of a target, in characters. ``_MAX_SENT`` applies instead if the
#: message was sent to a JMS destination. ``_MAX_LINES`` is the maximum number of bindings listed under a heading.
_MAX_TEXT, _MAX_SENT, _MAX_LINES = 50, 100, 20


@dataclass(frozen=True, slots=True)
class BindingExplanation:
    """A binding that was evaluated for a message, and the reasons why it did not take the message.

    ``asks`` is the binding's condition as text. ``source`` is the exchange or JMS destination where the binding begins,
    ``end`` the queue, exchange or destination to which it leads, and ``target`` is ``end`` as text for users. ``lacks``
    are the reasons, empty if the binding took the message. The more the message would have to change to be taken, the
    higher is ``distance``.
    """

    binding: Binding
    asks: str
    source: str
    end: str
    target: str
    lacks: tuple[str, ...] = ()
    distance: float = 0.0

    @property
    def divert(self) -> str | None:
        """Return the name of the divert that the binding implements; None if the binding is not part of a divert."""
        return self.binding.text(DIVERT_ARGUMENT)

    def is_case_of(self, other: BindingExplanation) -> bool:
        """Return True if both bindings come from the same binding of a JMS broker's file."""
        return (self.source, self.end, self.divert) == (other.source, other.end, other.divert)

    def to_dict(self) -> dict[str, Any]:
        """Return the binding, and why it did not take the message, as an object for JSON."""
        kind = "exchange" if self.binding.destination_type == "exchange" else "queue"
        return {
            "exchange": self.source,
            "to": {kind: self.end},
            **({"queue": self.end} if kind == "queue" else {}),
            **({"divert": self.divert} if self.divert is not None else {}),
            "asks": self.asks,
            **({"lacks": list(self.lacks)} if self.lacks else {}),
        }


@dataclass(frozen=True, slots=True)
class StepExplanation:
    """A step of a message along a link of its queue, such as dead-lettering, and the route from there, explained.

    ``route`` is None if the message is not routed again after this step.
    """

    step: Step
    route: RouteExplanation | None

    def to_dict(self) -> dict[str, Any]:
        """Return the step, with the route from there as ``why``, as an object for JSON."""
        return self.step.to_dict() | ({"why": self.route.to_dict()} if self.route is not None else {})


@dataclass(frozen=True, slots=True)
class RouteExplanation:
    """The route of one message, and the bindings that took it or did not take it.

    ``routed`` contains the queues, ``took`` the bindings that took the message, and ``possible`` those that may take
    it, because for example their exchange chooses by a hash or at random. ``nearly`` contains the nearest of the
    bindings that did not take it, and ``others`` is the number of the rest. ``note`` is a reason apart from bindings
    why the message reached no queue, else None.
    """

    routed: Routed
    keys: tuple[str | None, ...]
    took: tuple[BindingExplanation, ...]
    nearly: tuple[BindingExplanation, ...]
    others: int
    note: str | None = None
    visits: tuple[Visit, ...] = field(default=(), repr=False)
    possible: tuple[BindingExplanation, ...] = ()
    #: True if the message was sent to a destination of a JMS broker.
    sent: bool = False
    #: The steps of the message onward from its queues; empty unless requested.
    path: tuple[StepExplanation, ...] = ()

    @property
    def headline(self) -> str:
        """Return the exchange, the key, the queues and the outcome in one line."""
        exchange = self.routed.exchange
        named = "the relay" if exchange is None else f"exchange {exchange}" if exchange else "the default exchange"
        if self.sent:
            named = f"destination {exchange}"
        shown = [value_text(key) for key in self.keys if key is not None and not self.sent]
        keys = "" if self.sent else f", key {', '.join(shown)}" if shown else ", no key" if exchange is not None else ""
        return f"{named}{keys} → {self.routed.reached}"

    def __str__(self) -> str:
        lines = [self.headline, *self._body()]
        if self.path:
            lines.append("  goes on")
        for one in self.path:
            lines.append(f"    {one.step}")
            lines += [f"    {line}" for line in (one.route._body() if one.route is not None else ())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html.heading(self.headline) + html.code("\n".join(str(self).splitlines()[1:]))

    @property
    def way(self) -> str:
        """Return lines of text: the headline, the diverts that took the message, and its next steps from the queues."""
        lines = [self.headline, *self.diverted]
        for one in self.path:
            lines += [f"  {one.step}", *(one.route.diverted if one.route is not None else ())]
        return "\n".join(lines)

    @property
    def diverted(self) -> list[str]:
        """Return a line for each divert of a JMS broker that took the message."""
        listed = dict.fromkeys((one.divert, one.source, one.target) for one in self.took if one.divert is not None)
        return [f"  divert {divert}: {source} → {target}" for divert, source, target in listed]

    def _body(self) -> list[str]:
        lines = [f"  {self.note}"] if self.note is not None else []
        several = len({visit.exchange.name for visit in self.visits}) > 1
        if self.sent:
            several = len({one.source for one in (*self.took, *self.possible, *self.nearly)}) > 1
        headed = (("took it", self.took), ("may take it", self.possible), ("nearly took it", self.nearly))
        for heading, bindings in headed:
            if not bindings:
                continue
            most = _MAX_SENT if self.sent else _MAX_TEXT
            targets = [
                clipped(f"{one.source} → {one.target}" if several else one.target, most)
                for one in bindings[:_MAX_LINES]
            ]
            width = max(map(len, targets))
            lines.append(f"  {heading}")
            for target, one in zip(targets, bindings, strict=False):
                remark = one.asks
                if one.lacks:
                    named = "" if one.divert is None else f"divert {one.divert}: "
                    remark = named + "; ".join(one.lacks)
                lines.append(f"    {target:<{width}}  {remark}")
            if len(bindings) > len(targets):
                lines.append(f"    and {len(bindings) - len(targets):,} more")
        if self.others:
            lines.append(f"  {self.others:,} other binding{'s are' if self.others > 1 else ' is'} further off")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the route and the bindings as an object for JSON."""
        return {
            "exchange": self.routed.exchange,
            "keys": list(self.keys),
            **self.routed.to_dict(),
            "took": [one.to_dict() for one in self.took],
            **({"possible": [one.to_dict() for one in self.possible]} if self.possible else {}),
            "nearly": [one.to_dict() for one in self.nearly],
            "others": self.others,
            **({"note": self.note} if self.note is not None else {}),
            **({"path": [one.to_dict() for one in self.path]} if self.path else {}),
        }


def explain_route(
    topology: Topology,
    message: MessageLike,
    exchange: str | None = None,
    routing_keys: Sequence[str | None] | None = None,
    *,
    nearest: int = 5,
    path: bool = False,
    **options: Unpack[PublishOptions],
) -> RouteExplanation:
    """Explain where ``message`` goes, and why the nearest other bindings did not take it.

    Args:
        topology: The exchanges, bindings and queues, as ``read_topology`` returns them.
        message: A ``Message``, or a dict of plain properties or of message JSON.
        exchange: The exchange or destination, as for ``publish``.
        routing_keys: The routing keys; None for the message's subject.
        nearest: Maximum number of explained bindings among those that did not take the message.
        path: Whether to explain also where the message goes next from its queues.
        address: A Qpid address that the message is sent to, as for ``publish``.
        publish_to: ``"exchange"``, or ``"to"`` for the anonymous relay, as for ``publish``.
        routing_type: For Artemis ``"ANYCAST"`` or ``"MULTICAST"``.
        publisher: The settings that decide the outcome of a message that reaches no queue.

    Raises:
        TopologyError: As ``publish``.
        ValueError: As ``publish``.
    """
    check_count("nearest", nearest, "bindings")
    settings = read_settings("explain_route", PublishOptions, options)
    traced = trace(topology, message, exchange, routing_keys, settings)
    explained = _explained(traced, nearest)
    if not path:
        return explained
    return replace(explained, path=tuple(_explained_step(step, nearest) for step in follow(traced).steps))


def _explained_step(step: Step, nearest: int) -> StepExplanation:
    traced = step.traced
    if traced is None or not traced.visits:
        return StepExplanation(step, None)
    # A note is about the client that published the message, so a step that leads on from a queue has none.
    return StepExplanation(step, replace(_explained(traced, nearest), note=None))


def _explained(traced: Traced, nearest: int) -> RouteExplanation:
    topology, message = traced.topology, traced.message
    sent = topology.rules.addressing.names_destinations
    written = Written(topology) if sent else None
    took: list[BindingExplanation] = []
    missed: list[BindingExplanation] = []
    possible: list[BindingExplanation] = []
    for visit, perhaps in (*((one, False) for one in traced.visits), *((one, True) for one in traced.possible_visits)):
        choice = choice_of(topology, visit.exchange)
        if choice is not None and not choice.by_match:
            possible += (_binding(topology, binding, visit, written) for binding in choice.bindings)
        bindings = topology.bindings_by_source.get(visit.exchange.name, ()) if visit.matched else ()
        matched = [binding for binding, is_match in zip(bindings, visit.matched, strict=False) if is_match]
        perhaps |= choice is not None and choice.by_match and leaves_open(topology, choice, matched)
        for binding, is_match in zip(bindings, visit.matched, strict=True):
            if sent and not _has_destination(topology, binding):
                if written is not None and not is_match and _is_at(topology, binding, visit):
                    lacking = lacks(topology, binding, visit, message)
                    missed += _as_written(topology, binding, visit, written, lacking)
                continue
            if is_match:
                (possible if perhaps else took).append(_binding(topology, binding, visit, written))
            elif not sent or _is_at(topology, binding, visit):
                missed.append(_binding(topology, binding, visit, written, lacks(topology, binding, visit, message)))
    if sent:
        # List a divert or queue once, even if several bindings implement the divert or lead to the queue.
        took, possible, missed = (_once(listed) for listed in (took, possible, missed))
        took = _without_ends(took) if topology.rules.addressing.queues_are_addresses else took
        missed = [one for one in missed if not any(map(one.is_case_of, (*took, *possible)))]
        possible = [one for one in _unless_diverted(traced, took, possible) if one not in took]
        missed += _passed_over(traced, took, [*possible, *missed])
        took, possible = _as_settled(traced.routed, took, possible)
    missed.sort(key=lambda one: one.distance)
    keys = traced.visits[0].keys if traced.visits else ()
    is_asked = bool(took or missed or possible)
    note = note_of_send(traced, is_asked) if sent else _note(topology, message, traced.routed, keys)
    shown = tuple(missed[:nearest])
    others = len(missed) - len(shown)
    return RouteExplanation(traced.routed, keys, tuple(took), shown, others, note, traced.visits, tuple(possible), sent)


def _as_settled(
    routed: Routed, took: list[BindingExplanation], possible: list[BindingExplanation]
) -> tuple[list[BindingExplanation], list[BindingExplanation]]:
    """Return ``took`` and ``possible``, corrected by the outcome of the send.

    ``took`` are the bindings that took the message, ``possible`` those that may have taken it. If the send is rejected,
    no binding took the message. If the send may fail, a binding to a queue that then gets nothing is only possible.
    """
    if routed.outcome == "rejected":
        return [], []
    without_queue = [one for one in took if one.binding.destination_type != "exchange" and one.end not in routed.queues]
    also = [one for one in without_queue if one.end in routed.possible_queues]
    return [one for one in took if one not in without_queue], [*possible, *also]


def _binding(
    topology: Topology, binding: Binding, visit: Visit, written: Written | None, lacking: Sequence[Lack] = ()
) -> BindingExplanation:
    asks = binding_text(topology, binding, None if written is None else written.selector(binding))
    source, end = _ends(topology, binding, visit)
    target = _target(topology, binding.destination_type, end)
    texts, distance = tuple(lack.text for lack in lacking), sum(lack.distance for lack in lacking)
    slip = slip_of(topology, binding)
    if slip is not None and texts:
        texts = (*texts, slip.reason)
    elif slip is not None and slip.is_wide:
        asks = f"{asks}: {slip.reason}"
    return BindingExplanation(binding, asks, source, end, target, texts, distance)


def _as_written(
    topology: Topology, binding: Binding, visit: Visit, written: Written, lacking: Sequence[Lack]
) -> Iterator[BindingExplanation]:
    """Yield an explanation for each binding of a JMS broker's file from which the internal ``binding`` was made.

    An internal binding is one with which the topology routes. ``lacking`` has the reasons why it did not take the
    message.
    """
    source, texts = _ends(topology, binding, visit)[0], tuple(lack.text for lack in lacking)
    for one in written.of(binding):
        asks = binding_text(topology, binding, written.selector(binding))
        target = _target(topology, one.destination_type, one.destination)
        yield BindingExplanation(one, asks, source, one.destination, target, texts, sum(o.distance for o in lacking))


def _target(topology: Topology, kind: TargetType, end: str) -> str:
    """Return ``end``, the name of a queue or exchange to which a binding leads, as text for users.

    ``kind`` says which of the two it is.
    """
    return topology.rules.addressing.label(end) if kind == "exchange" else end


def _once(listed: Iterable[BindingExplanation]) -> list[BindingExplanation]:
    return [*{(one.source, one.end, one.asks, one.lacks): one for one in listed}.values()]


def _without_ends(took: list[BindingExplanation]) -> list[BindingExplanation]:
    """Return ``took`` without bindings from a destination to itself, if another binding led to the destination.

    Such bindings are internal: the topology of ActiveMQ uses them to deliver from a destination to the queue of its
    name.
    """
    leading = [one for one in took if one.source != one.end]
    ends = {one.end for one in leading} - {one.source for one in leading}
    return [one for one in took if one.source != one.end or one.source not in ends]


def _is_at(topology: Topology, binding: Binding, visit: Visit) -> bool:
    """Return True if ``binding`` of a JMS broker belongs to the address that the message reached in ``visit``."""
    topic = topology.rules.topic
    return topology.exchange_by_name[binding.source].kind.ignores_key or any(
        matches_words(topic.pattern(binding.key), topic.words(key)) for key in visit.keys
    )


def _passed_over(
    traced: Traced, took: Sequence[BindingExplanation], others: Sequence[BindingExplanation]
) -> Iterator[BindingExplanation]:
    """Yield the bindings at the addresses of the message that were not evaluated, each with the reason.

    ``took`` and ``others`` are the bindings that were evaluated.
    """
    exclusive = _exclusive(traced, took)
    reached = {(one.source, one.end) for one in (*took, *others)}
    for source, binding, reason in passed_over(traced, reached, exclusive):
        target = _target(traced.topology, binding.destination_type, binding.destination)
        yield BindingExplanation(binding, "any message", source, binding.destination, target, (reason,), 0.75)


def _exclusive(traced: Traced, listed: Sequence[BindingExplanation]) -> dict[str, str]:
    """Return for each address the names of its exclusive diverts among the bindings ``listed``, as text."""
    diverts = dict.fromkeys((one.source, one.divert) for one in listed if one.divert is not None)
    return exclusive_diverts(traced.topology, [*diverts])


def _unless_diverted(
    traced: Traced, took: Sequence[BindingExplanation], possible: Sequence[BindingExplanation]
) -> Iterator[BindingExplanation]:
    """Yield ``possible`` with a note on each binding that gets the message only if no exclusive divert takes it first.

    The divert is among ``took`` or ``possible``.
    """
    exclusive = _exclusive(traced, [*took, *possible])
    diverts = {one.divert for one in possible if _exclusive(traced, [one])}
    for one in possible:
        is_last = one.source in exclusive and (one.divert is None or one.divert not in diverts)
        yield (
            replace(one, asks=f"{one.asks}, unless the exclusive divert {exclusive[one.source]} takes it")
            if is_last
            else one
        )


def _ends(topology: Topology, binding: Binding, visit: Visit) -> tuple[str, str]:
    """Return the exchange or destination that the message reached, and the one to which ``binding`` leads."""
    entered, addressing = visit.exchange.entered, topology.rules.addressing
    if entered is None:
        return binding.source, binding.destination
    key, onward = visit.keys[0] or "", topology.replacement_key(binding)
    source = addressing.destination(entered, key)
    if onward is not None:
        to = topology.exchange_by_name[binding.destination].entered
        assert to is not None
        return source, addressing.destination(to, onward)
    return source, addressing.own_queue(key) if binding.destination_type == "own-queue" else binding.destination


def _has_destination(topology: Topology, binding: Binding) -> bool:
    """Return False if ``binding`` is only an internal step at a destination, and leads to no queue or destination."""
    if binding.destination_type != "exchange":
        return binding.destination_type != "outcome"
    return topology.replacement_key(binding) is not None


def _note(topology: Topology, message: Message, routed: Routed, keys: tuple[str | None, ...]) -> str | None:
    """Return why the message reached no queue, if the reason is not its bindings: a missing exchange, for example.

    The result is None if the bindings are the reason.
    """
    name = routed.exchange
    if routed.outcome == "no-exchange":
        near = did_you_mean(str(name), topology.exchange_by_name)
        return f"there is no exchange called {value_text(name)}" + (f"; {near}" if near else "")
    if name is None:
        to = message.properties.to if message.properties is not None else None
        return "the message has no field to" if to is None else f"its field to, {value_text(to)}, leads nowhere"
    if topology.exchange_by_name[name].internal:
        return f"the exchange {name} is internal: only other exchanges publish to it"
    if name == DEFAULT_EXCHANGE and not routed.queues:
        named = [key for key in keys if key]
        if not named:
            return "the default exchange delivers to the queue that the key names, and the message has no key"
        near = did_you_mean(named[0], sorted(topology.queue_names))
        return f"no queue is called {value_text(named[0])}" + (f"; {near}" if near else "")
    if not topology.bindings_by_source.get(name) and not routed.queues:
        if topology.exchange_by_name[name].is_unknown:
            return f"it is not known what the exchange {name} does with a message"
        return f"the exchange {name} has no bindings"
    return None
