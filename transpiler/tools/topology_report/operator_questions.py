"""Questions of an operator about the bindings and queues of a topology.

An answer consists of ``Finding`` objects, like a report. For an overlap of bindings, the finding contains a message
that ``analysis`` found and the reference evaluator judged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, combinations

from transpiler.base.diagnostics import first_of
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.literal_scanner import without_literals
from transpiler.language.selector.parsing import parse_tree
from transpiler.language.selector.printer import print_tree
from transpiler.message.message import plain_message
from transpiler.tools.analysis.building import KEY_ANNOTATION, Conditions
from transpiler.tools.analysis.formula import NEVER, Junction
from transpiler.tools.analysis.solve import Found, Solver
from transpiler.tools.analysis.subsumption import parting_message
from transpiler.tools.topology_report.labels import Finding, binding_finding, binding_label, exchange_title
from transpiler.tools.topology_report.policies import address_settings, policies
from transpiler.tools.topology_report.retries import retries
from transpiler.tools.topology_report.ways import Ways, targets
from transpiler.topology.displayed_addresses import with_sufficient_selector
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Link
from transpiler.topology.setting import LOSS

#: ``MAX_PAIRS`` is the maximum number of pairs of bindings compared for each exchange. ``MAX_OVERLAPS`` is the maximum
#: number of overlaps that are reported.
MAX_PAIRS, MAX_OVERLAPS = 5_000, 50

#: The kinds of links that move a message which its queue rejects, lets expire or has no room for.
_LETTING_GO = ("dead-letter", "expiry", "alternate")

#: The regular expression engine with which a dialect's broker matches LIKE patterns (docs/dialects.md), if it is not
#: Java's.
_ENGINES: Mapping[str, str] = {
    "qpid-cpp": "the broker's POSIX regular expression",
    "rabbitmq-jms": "the broker's PCRE, which gives up beyond its match limit,",
}

#: The classes of tests in a selector, which do not contain further conditions.
_TESTS = (ast.Compare, ast.Between, ast.In, ast.Like, ast.IsNull)


def losses(topology: Topology) -> Iterator[Finding]:
    """Yield the queues that lose a message when it is rejected, expires or exceeds a limit."""
    lost = {id(finding.about): finding.reason for finding in targets(Ways(topology))}
    links: dict[str, list[Link]] = {}
    for link in topology.onward:
        if link.source is not None and link.source_type == "queue" and link.kind in _LETTING_GO:
            links.setdefault(link.source, []).append(link)
    # Skip queues that the broker creates for dead letters with a name such as ``DLQ.orders``. By the same rule, their
    # dead letters would go to ``DLQ.DLQ.orders``, and so on without end.
    endless = {link.destination for link in chain.from_iterable(links.values()) if link.affixes is not None}
    # Streams are not reported: a stream keeps a message even after a consumer has read or rejected it.
    of_type = {one.of: one.value for one in topology.settings if (one.kind, one.name) == ("queue", "queue-type")}
    by_itself: dict[str, list[str]] = {}
    for one in topology.settings:
        if one.kind == LOSS:
            by_itself.setdefault(one.of, []).append(one.value)
    coming_back = _coming_back(topology)
    for queue in topology.queues:
        yield from (Finding("loses", queue.name, why, ("queue", queue.name)) for why in by_itself.get(queue.name, ()))
        # The arguments of an undeclared queue are unknown, so it may have a dead-letter exchange.
        if of_type.get(queue.name) == "stream" or not queue.declared:
            continue
        own = links.get(queue.name, [])
        back = coming_back.get(queue.name, frozenset())
        if not own and (queue.name in endless or "dead-letter-address" in back):
            continue
        if not own:
            reason = (
                "the queue has no dead-letter target: messages that are rejected, expire or exceed a limit are lost"
            )
            yield Finding("loses", queue.name, reason, ("queue", queue.name))
            continue
        for link in own:
            if id(link) in lost:
                yield Finding("loses", queue.name, f"messages are lost if they are {link.when}: {lost[id(link)]}", link)
        kinds = {link.kind for link in own}
        expires = "expiry" in kinds or "expiry-address" in back
        if topology.rules.addressing.has_expiry_address and "dead-letter" in kinds and not expires:
            reason = "the queue has no expiry address: expired messages are lost"
            yield Finding("loses", queue.name, reason, ("queue", queue.name))


def _coming_back(topology: Topology) -> dict[str, frozenset[str]]:
    """Return for each queue of Artemis the settings that move a message back to the queue's own address.

    The settings are "dead-letter-address" and "expiry-address". The broker moves a copy of a rejected or expired
    message (``QueueImpl.move``), so it is not lost.
    """
    if not topology.rules.addressing.has_expiry_address:
        return {}
    settings_at, found = address_settings(topology), dict[str, frozenset[str]]()
    for binding in topology.bindings:
        if binding.destination_type == "queue":
            settings = settings_at(binding.source)
            own = (name for name in ("dead-letter-address", "expiry-address") if name in settings)
            found[binding.destination] = frozenset(name for name in own if settings[name].value == binding.source)
    return found


def reads(topology: Topology, name: str) -> Iterator[Finding]:
    """Yield the bindings whose conditions test a property or header called ``name``, with these tests."""
    for binding in topology.bindings:
        tests: list[str] = []
        match = topology.headers(binding)
        if match is not None:
            pairs = [value for of, value in match.pairs if of == name]
            tests += [f"{name} is there" if value is None else f"{name} = {value.value!r}" for value in pairs]
        selector = topology.selector(binding)
        if selector is not None and name in selector:
            dialect = find_dialect(topology.dialect(binding))
            tree = parse_tree(selector, dialect)
            for node in ast.walk(tree) if tree is not None else ():
                if isinstance(node, _TESTS) and any(
                    isinstance(one, ast.Identifier) and one.name == name for one in ast.walk(node)
                ):
                    tests.append(print_tree(node, dialect))
            if not tests and tree is not None:
                tests += [name for one in ast.walk(tree) if isinstance(one, ast.Identifier) and one.name == name][:1]
        if name in (topology.xquery(binding) or ""):
            tests.append("its query")
        if tests:
            yield binding_finding(topology, "reads", binding, ", ".join(dict.fromkeys(tests)))


def shapes(topology: Topology) -> Iterator[Finding]:
    """Yield the shapes of the bindings, the most frequent first; a shape is a condition without its constants."""
    found: dict[str, list[Binding]] = {}
    for binding in topology.bindings:
        found.setdefault(_shape(topology, binding), []).append(binding)
    for shape, bindings in sorted(found.items(), key=lambda item: -len(item[1])):
        sources = dict.fromkeys(exchange_title(binding.source) for binding in bindings)
        example = binding_label(topology, bindings[0]) or "every message"
        yield Finding(
            "shape",
            shape,
            f"{len(bindings):,} binding{'s' * (len(bindings) > 1)} of {first_of(sources, 3)}, such as {example}",
            bindings[0],
        )


def _shape(topology: Topology, binding: Binding) -> str:
    exchange, match = topology.exchange_by_name[binding.source], topology.headers(binding)
    has_exchanges = topology.rules.addressing.has_exchanges
    parts: list[str] = [exchange.type] if has_exchanges else []
    if match is not None:
        names = [name if value is None else f"{name} = ?" for name, value in match.pairs]
        parts.append(f"{'any' if match.any else 'all'}: {', '.join(names)}" if names else "no pairs")
    elif exchange.kind.key is KeyTest.WORDS and has_exchanges:
        words = topology.rules.topic.pattern(binding.key)
        parts.append("key " + ".".join("word" if isinstance(word, str) else word.value for word in words))
    selector = topology.selector(binding)
    if selector is not None:
        parts.append(without_literals(selector))
    return " | ".join(part for part in parts if part) or "every message"


def overlaps(topology: Topology) -> Iterator[Finding]:
    """Yield pairs of bindings of one exchange that match a common message but lead to different destinations.

    Each pair comes with such a message. Bindings that accept every message are skipped. For each exchange at most
    ``MAX_PAIRS`` pairs are compared.
    """
    shown = 0
    for source, bindings in topology.bindings_by_source.items():
        asking = [one for one in bindings if binding_label(topology, one) not in ("", "#", "every message")]
        for number, (one, other) in enumerate(combinations(asking, 2)):
            if number >= MAX_PAIRS or shown >= MAX_OVERLAPS:
                break
            if (one.destination_type, one.destination) == (other.destination_type, other.destination):
                continue
            conditions = Conditions()
            pair = [
                narrowed for each in (one, other) if (narrowed := with_sufficient_selector(topology, each)) is not None
            ]
            if len(pair) < 2:
                continue
            formulas = tuple(conditions.formula(topology.condition(each)) for each in pair)
            found = parting_message(Solver(conditions), Junction(False, formulas), NEVER)
            if isinstance(found, Found):
                shown += 1
                annotations = found.message.message_annotations or {}
                key = annotations.get(KEY_ANNOTATION.field)
                message = plain_message(replace(found.message, message_annotations=None))
                text = json.dumps(message, ensure_ascii=False)
                sent = text if key is None else f"key {key.value!r}" + (f", {text}" if message else "")
                labels = [f"{each.destination} ({binding_label(topology, each)})" for each in (one, other)]
                yield Finding("overlap", f"{exchange_title(source)}: {' and '.join(labels)}", sent, one)


def slow(topology: Topology) -> Iterator[Finding]:
    """Yield the bindings whose selectors have LIKE patterns that are slow, because they search the whole text."""
    for binding in topology.bindings:
        selector = topology.selector(binding)
        if selector is None or "%" not in selector:
            continue
        tree = parse_tree(selector, find_dialect(topology.dialect(binding)))
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Like):
                pattern = node.pattern.value
                engine = _ENGINES.get(topology.dialect(binding), "the broker's regular expression of Java")
                reason = _slowness(pattern, engine)
                if reason:
                    # Do not repeat the pattern in the reason: the binding's label contains it, and findings with equal
                    # reasons are printed in one line.
                    name = node.operand.name if isinstance(node.operand, ast.Identifier) else "a value"
                    yield binding_finding(topology, "slow", binding, f"{name} LIKE a pattern that {reason}")


def _slowness(pattern: str, engine: str) -> str:
    inner = pattern.strip("%")
    if "%" in inner:
        return f"has text between two %: {engine} comes back to each place where the first part is"
    if pattern.startswith("%") and inner:
        return f"begins with %: {engine} looks through the whole text of each message"
    return ""


#: The functions that answer the questions, by the name of the question.
QUESTIONS: Mapping[str, Callable[[Topology], Iterator[Finding]]] = {
    "losses": losses,
    "policies": policies,
    "retries": retries,
    "overlaps": overlaps,
    "shapes": shapes,
    "slow": slow,
}
