"""No certain statement about a topology is contradicted by a brute force over messages.

The reference router routes every message of a small universe. Each sentence of a report, an answer, a path or a diff is
compared with the outcomes of the messages that it is about.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from tests.tools.topology_report.configurations import BROKERS, MESSAGES, Sent, configuration, universe
from transpiler import Message
from transpiler.base.topics import is_wild
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.parsing import parse_tree
from transpiler.message.message import as_message
from transpiler.reference.evaluate import evaluate
from transpiler.reference.route import trace
from transpiler.reference.route_path import RoutePath, Step, follow
from transpiler.reference.routed import Traced, arrive
from transpiler.tools.dialect_tools.diff import diff_topologies
from transpiler.tools.topology_report.findings import report
from transpiler.tools.topology_report.labels import Finding
from transpiler.tools.topology_report.operator_questions import losses, overlaps
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology.displayed_addresses import addresses_of, bindings_at, sample_address
from transpiler.topology.importers.known_names import Known, Unknown, with_known_names
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Publisher
from transpiler.topology.receivers import PublishSettings
from transpiler.topology.records import CHOICE_ARGUMENT, Binding, Link
from transpiler.topology.targets import Target

#: Destinations to which a message may have been sent.
_DESTINATION_FIELDS = ("queue://a", "queue://b", "topic://a", "topic://c")

_SETTINGS = settings(max_examples=size(2, 25), deadline=None)
_seeds = st.integers(0, 2**32)


class World:
    """A topology and the outcome of every message of the universe."""

    def __init__(self, topology: Topology) -> None:
        self.topology, self.displayed = topology, addresses_of(topology)
        self.sent = [*universe(topology)]

    @cached_property
    def traced(self) -> list[tuple[Sent, Traced]]:
        return [(one, trace(self.topology, one.message, **one.options)) for one in self.sent]

    @cached_property
    def paths(self) -> list[RoutePath]:
        return [follow(traced) for _, traced in self.traced]

    @cached_property
    def reached(self) -> Counter[str]:
        """The number of messages that reach, or may reach, each queue."""
        return Counter(queue for _, one in self.traced for queue in (*one.routed.queues, *one.routed.possible_queues))

    @cached_property
    def matched(self) -> Counter[int]:
        """The number of messages that match each binding, by the binding's index in the topology."""
        found: Counter[int] = Counter()
        numbers = {id(binding): number for number, binding in enumerate(self.topology.bindings)}
        for _, one in self.traced:
            for visit in one.visits:
                bindings = self.topology.bindings_by_source.get(visit.exchange.name, ())
                found.update(numbers[id(b)] for b, is_match in zip(bindings, visit.matched, strict=False) if is_match)
        return found

    def steps(self, link: Link, *, by_name: bool = True) -> Iterator[Step]:
        """Yield the steps of messages along ``link``; with ``by_name`` including those to the default exchange."""
        paths = (path for path in self.paths if by_name or path.routed.exchange)
        yield from (step for path in paths for step in path.steps if _names(step.link) == _names(link))

    def answers(self) -> list[object]:
        """Return the route of each message and its next steps, which a diff compares."""
        return [(path.routed, sorted(map(str, path.steps))) for path in self.paths]


def _names(link: Link) -> object:
    return link.kind, link.source, link.destination, link.key


def _queues(traced: Traced) -> set[str]:
    return {*traced.routed.queues, *traced.routed.possible_queues} & traced.topology.queue_names


def _at(world: World, name: str) -> Iterator[Traced]:
    """Yield the outcomes of messages that arrive at an exchange, or at an address in its displayed form."""
    topology = world.topology
    if topology.rules.addressing.has_exchanges:
        exchange = replace(topology.exchange_by_name[name], internal=False)
        for one in world.sent:
            yield arrive(topology, one.message, exchange, (one.key,), Publisher())
        return
    address = sample_address(topology, name)
    kinds: tuple[str | None, ...] = ("ANYCAST", "MULTICAST") if topology.rules.name == "artemis" else (None,)
    for kind in kinds:
        for one in world.sent[:8]:
            yield trace(topology, one.message, address, settings=PublishSettings(routing_type=kind))


def _selects(
    topology: Topology, binding: Binding, message: Message, at: str | None = None, *, perhaps: bool = False
) -> bool:
    """Return True if a binding's selector certainly selects ``message``, or with ``perhaps`` if it may select it.

    The message is at the destination ``at``, by default that of the binding.
    """
    selector = topology.selector(binding)
    if selector is None:
        return True
    dialect = find_dialect(topology.dialect(binding))
    at = binding.source if at is None else at

    def known(name: str) -> Known:
        # The broker knows the destination, which is not part of the message.
        return at if name == "JMSDestination" and at is not None else Unknown.OWN

    decided = with_known_names(selector, known, dialect)
    bound = decided.selector if perhaps or decided.certain else decided.sufficient
    if bound is None:
        return perhaps
    return evaluate(parse_tree(bound, dialect), message, dialect) is True


def _nobody_comes(world: World, finding: Finding) -> bool:
    came = {visit.exchange.name for _, one in world.traced for visit in one.visits}
    ends = {Target("exchange", step.link.destination or "") for path in world.paths for step in path.steps}
    return finding.subject not in came and Target("exchange", finding.subject) not in ends


def _nothing_reaches(world: World, finding: Finding) -> bool:
    ways = (one for sent, one in world.traced if sent.to or world.topology.rules.addressing.names_destinations)
    return not any(finding.subject in _queues(one) for one in ways)


def _all_is_lost(world: World, finding: Finding) -> bool:
    if "if no client" in finding.reason:
        return not any(map(_queues, _at(world, finding.subject)))
    # A send that creates a queue loses nothing.
    return not any(one.routed.queues or one.routed.possible_queues for one in _at(world, finding.subject))


def _is_not_there(world: World, finding: Finding) -> bool:
    if not isinstance(finding.about, Link):
        [exchange] = [one for one in world.displayed.exchanges if ("exchange", one.name) == finding.about]
        assert exchange.alternate is not None
        return exchange.alternate.name not in world.displayed.exchange_by_name
    kind, name = finding.about.ends[-1]
    return name not in (world.topology.queue_names if kind == "queue" else world.displayed.exchange_by_name)


def _letters_are_lost(world: World, finding: Finding) -> bool:
    assert isinstance(finding.about, Link)
    known = world.topology.queue_names
    # A send to a queue by its name passes no binding.
    by_name = "bindings bring" in finding.reason
    steps = world.steps(finding.about, by_name=not by_name)
    return not any({*s.routed.queues, *s.routed.possible_queues} & known for s in steps)


def _changes_nothing(world: World, finding: Finding) -> bool:
    """Return True if the topology behaves in the same way without the binding."""
    binding = finding.about
    assert isinstance(binding, Binding)
    if not world.topology.rules.addressing.has_exchanges:
        others = [
            one
            for one in world.displayed.bindings_by_source[binding.source]
            if one is not binding and one.destination == binding.destination
        ]
        # A subexpression that is not evaluated has the same result in both selectors.
        return all(
            any(_selects(world.displayed, one, sent.message, at, perhaps=perhaps) for one in others)
            for sent, at, perhaps in itertools.product(world.sent, _DESTINATION_FIELDS, (False, True))
            if _selects(world.displayed, binding, sent.message, at, perhaps=perhaps)
        )
    kept, is_gone = [], False
    for one in world.topology.bindings:
        if one == binding and not is_gone:
            is_gone = True
        else:
            kept.append(one)
    without = World(replace(world.topology, bindings=tuple(kept)))
    return [one.routed for _, one in without.traced] == [one.routed for _, one in world.traced]


def _never_holds(world: World, finding: Finding) -> bool:
    assert isinstance(finding.about, Binding)
    if not world.topology.rules.addressing.has_exchanges:
        ways = itertools.product(world.sent, _DESTINATION_FIELDS)
        return not any(_selects(world.displayed, finding.about, one.message, at, perhaps=True) for one, at in ways)
    number = next(n for n, one in enumerate(world.topology.bindings) if one == finding.about)
    return not world.matched[number]


def _got_nothing(world: World, finding: Finding) -> bool:
    assert isinstance(finding.about, Binding)
    return not world.reached[finding.about.destination]


def _ignores(world: World, finding: Finding) -> bool:
    assert isinstance(finding.about, Binding)
    named = finding.reason.partition(" at ")[2].partition(" compare ")[0] or finding.reason
    arguments = {name: value for name, value in finding.about.arguments.items() if f"{name}" not in named.split(", ")}
    bindings = tuple(
        replace(one, arguments=arguments) if one is finding.about else one for one in world.topology.bindings
    )
    without = World(replace(world.topology, bindings=bindings))
    return [one.routed for _, one in without.traced] == [one.routed for _, one in world.traced]


#: The kinds of findings of a report, each with a function that returns True if no message contradicts the finding.
HOLDS: Mapping[str, Callable[[World, Finding], bool]] = {
    "queue-without-bindings": _nothing_reaches,
    "exchange-without-way-in": _nobody_comes,
    "exchange-without-way-out": _all_is_lost,
    "missing-target": _is_not_there,
    "dead-letters-lost": _letters_are_lost,
    "duplicate-binding": _changes_nothing,
    "contained-binding": _changes_nothing,
    "never-matches": _never_holds,
    "ignored-argument": _ignores,
    "dead-binding": _got_nothing,
}


def contradicted(world: World) -> list[Finding]:
    """Return the findings of a report, with and without counts, that messages contradict."""
    counts = Counter(sent.to for sent, _ in world.traced)
    queues = Counter(queue for _, one in world.traced for queue in one.routed.queues)
    possible = Counter(queue for _, one in world.traced for queue in one.routed.possible_queues)
    found = {
        (one.kind, one.subject, one.reason): one
        for summary in (None, Summary(counts, queues, {}, possible))
        for one in report(world.displayed, summary).findings
    }
    return [one for one in found.values() if one.kind in HOLDS and not HOLDS[one.kind](world, one)]


def false_losses(world: World) -> list[Finding]:
    """Return the findings that a queue loses messages although its dead letters reach a queue."""
    wrong = []
    for finding in losses(world.displayed):
        match finding.about:
            case Link():
                held = _letters_are_lost(world, finding)
            case (_, name) if "no expiry address" in finding.reason:
                held = not any(s.queue == name and s.link.kind == "expiry" for p in world.paths for s in p.steps)
            case (_, name):
                kinds = ("dead-letter", "alternate", "expiry")
                held = not any(s.queue == name and s.link.kind in kinds for p in world.paths for s in p.steps)
            case _:
                raise AssertionError(finding)
        wrong += [] if held else [finding]
    return wrong


def false_ways(world: World) -> list[Binding]:
    """Return the unconditional forwards between destinations that some message does not take."""
    wrong = []
    topology = world.topology
    for binding in world.displayed.bindings if topology.rules.name == "activemq" else ():
        if world.displayed.selector(binding) is not None or binding.text(CHOICE_ARGUMENT) not in (None, "mirrored"):
            continue
        for sent in world.sent[: len(MESSAGES)]:
            one = trace(topology, sent.message, sample_address(world.displayed, binding.source))
            came = {
                topology.rules.addressing.destination(visit.exchange.entered, visit.keys[0] or "")
                for visit in (*one.visits, *one.possible_visits)
                if visit.exchange.entered is not None
            }
            came |= {*one.routed.queues, *one.routed.possible_queues}
            # Patterns, and the topics of mirrors of queues that the file does not name, are not destinations in the
            # topology.
            addressing = world.displayed.rules.addressing
            pattern = addressing.pattern(binding.destination, world.displayed.rules.topic).words
            is_pattern = is_wild(pattern) or any("mirrors" in visit.exchange.name for visit in one.visits)
            is_there = is_pattern or binding.destination in came
            # A send that fails reaches nothing.
            wrong += [] if is_there or one.routed.outcome in ("error", "undecided") else [binding]
    return wrong


def false_overlaps(world: World) -> list[Finding]:
    """Return the overlaps whose message does not match both bindings."""
    wrong = []
    for finding in overlaps(world.displayed):
        assert isinstance(finding.about, Binding)
        text = finding.reason.removeprefix("key ")
        displayed, _, message = text.partition(", {") if text.startswith("'") else ("", "", text)
        properties = json.loads("{" + message if displayed and message else message or "{}")
        sent = as_message(properties)
        source = finding.about.source
        if not world.topology.rules.addressing.has_exchanges:
            bindings = [*bindings_at(world.displayed, source)]
            took = sum(_selects(world.displayed, one, sent) for one in bindings)
            held = took >= 2
        else:
            exchange = replace(world.topology.exchange_by_name[source], internal=False)
            traced = arrive(world.topology, sent, exchange, (displayed.strip("'") if displayed else None,), Publisher())
            held = sum(traced.visits[0].matched) >= 2 or not traced.visits[0].matched
        wrong += [] if held else [finding]
    return wrong


@pytest.mark.parametrize("broker", BROKERS)
@given(seed=_seeds)
@_SETTINGS
def test_no_message_contradicts_a_report(broker: str, seed: int) -> None:
    world = World(configuration(broker, Random(seed)).read())
    assert contradicted(world) == []
    assert false_losses(world) == []
    assert false_ways(world) == []
    assert false_overlaps(world) == []


@pytest.mark.parametrize("broker", BROKERS)
@given(seed=_seeds)
@_SETTINGS
def test_no_message_goes_elsewhere_where_routes_are_the_same(broker: str, seed: int) -> None:
    draw = Random(seed)
    old, new = variants(broker, draw)
    found = diff_topologies(old, new)
    if found.same_routes:
        assert World(old).answers() == World(new).answers()
    for example in found.examples:
        assert (example.old, example.next_of_old) != (example.new, example.next_of_new)


def variants(broker: str, draw: Random) -> tuple[Topology, Topology]:
    """Return two topologies whose files differ in one word or not at all."""
    first = configuration(broker, draw)
    words = [("'a'", "'b'"), ("n = 1", "n = 2"), ("true", "false"), ('"e0"', '"e1"'), ("queue", "topic"), ("q0", "q1")]
    before, after = draw.choice(words)
    occurrences = first.text.count(before)
    text = first.text
    if occurrences:
        parts = text.split(before)
        position = draw.randrange(occurrences) + 1
        text = before.join(parts[:position]) + after + before.join(parts[position:])
    try:
        return first.read(), replace(first, text=text).read()
    except ValueError:
        # The broker rejects the changed file.
        return first.read(), first.read()
