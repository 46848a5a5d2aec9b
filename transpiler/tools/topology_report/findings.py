"""A report of the unused, duplicate and dangerous elements of a topology, with numbers of messages if they are known.

The report states that one binding contains another only if it is proved: the key, headers, query and selector of a
binding are one formula, and ``analysis`` decides whether one formula is TRUE whenever the other is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from textwrap import TextWrapper
from typing import Any, NamedTuple, cast

from transpiler.base import html
from transpiler.base.diagnostics import Severity, first_of, one_line
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.topics import MANY_WORDS, TopicPattern, is_wild
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.parsing import parse_tree
from transpiler.reference.conditions import matches_words
from transpiler.tools.analysis.contained_conditions import Candidate, contained
from transpiler.tools.analysis.subsumption import never_true
from transpiler.tools.topology_report.labels import Finding, binding_finding, binding_label
from transpiler.tools.topology_report.summary import Summary, check_summary
from transpiler.tools.topology_report.ways import Ways, exchanges, lonely_queues, loops, targets, unread
from transpiler.topology.addressing import SUBSCRIBERS
from transpiler.topology.binding_slips import slip_of
from transpiler.topology.choices import choices
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.graph import Node, is_node, reached
from transpiler.topology.importers.known_names import reasons
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.records import REPLACEMENT_ARGUMENT, SELECTOR_ARGUMENT, Binding, Link

#: Maximum number of bindings from one exchange to one destination that are compared in pairs. If there are more, only
#: equal bindings are found.
MAX_COMPARED = 200

#: ``MAX_HOT`` is the maximum number of queues reported as hot. ``HOT_SHARE`` is the minimum share of a hot queue in all
#: deliveries, as a fraction.
MAX_HOT, HOT_SHARE = 5, 0.2

#: At most ``MAX_LISTED`` lines are printed for each kind of finding. If more than ``MAX_ALIKE`` findings have the same
#: reason, they share one line with at most ``MAX_NAMES`` names.
MAX_LISTED, MAX_ALIKE, MAX_NAMES = 20, 4, 3

#: Version number of the JSON that ``TopologyReport.to_dict`` returns.
VERSION = 1

#: ERRORS are the kinds of findings that are errors: messages are lost, or an element has no effect. NOTES are the kinds
#: that are notes; findings of all other kinds are warnings.
ERRORS = frozenset({"refused-file", "missing-target", "dead-letters-lost", "never-matches", "refused-binding"})
NOTES = frozenset({"hot-queue", "unknown-queues"})

#: The title of each kind of finding, in the order of a report.
TITLES: Mapping[str, str] = {
    "refused-file": "the broker would refuse this file",
    "queue-without-bindings": "queues without bindings",
    "exchange-without-way-in": "exchanges without a way in",
    "exchange-without-way-out": "exchanges without a way out",
    "exchange-loop": "exchanges in a loop",
    "link-loop": "queues that their own dead letters may come back to",
    "missing-target": "targets that are not there",
    "dead-letters-lost": "dead letters that reach no queue",
    "unread-dead-letters": "queues of dead letters that nobody reads",
    "duplicate-binding": "bindings that are there twice",
    "contained-binding": "bindings that another one contains",
    "never-matches": "bindings that never match",
    "text-wildcard": "wildcards that the exchange compares as text",
    "empty-key": "bindings that take only messages without a key",
    "takes-all": "headers bindings that compare no header",
    "fanout-keys": "keys that a fanout exchange does not look at",
    "ignored-argument": "arguments that the exchange does not look at",
    "refused-binding": "bindings that the broker refuses",
    "dead-binding": "bindings that carried no message",
    "hot-queue": "hot queues",
    "unknown-queues": "virtual topics with queues that are not known",
}


@dataclass(frozen=True, repr=False)
class TopologyReport:
    """The findings about a topology.

    ``not_compared`` is the number of bindings that were not compared with others, because there were too many of them.
    """

    topology: Topology
    findings: tuple[Finding, ...]
    not_compared: int = 0

    def by_kind(self) -> dict[str, list[Finding]]:
        """Return the findings by kind, in the order of ``TITLES``, without kinds that have no findings."""
        grouped: dict[str, list[Finding]] = {kind: [] for kind in TITLES}
        for finding in self.findings:
            grouped[finding.kind].append(finding)
        return {kind: findings for kind, findings in grouped.items() if findings}

    def within(self, part: Topology) -> TopologyReport:
        """Return a report with only the findings about the elements of ``part``, a part of the topology.

        A new report of ``part`` alone would be wrong, because bindings that lead into or out of ``part`` are missing in
        it.
        """
        bindings = frozenset(part.bindings)

        def is_in(finding: Finding) -> bool:
            match finding.about:
                case Binding() as binding:
                    return binding in bindings
                case Link() as link:
                    end = link.ends[0] if link.ends else None
                    return end is None or is_node(part, end)
                case (("exchange" | "queue") as kind, name):
                    return is_node(part, (kind, name))
                case _:
                    return True

        return TopologyReport(part, tuple(filter(is_in, self.findings)), self.not_compared)

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as an object for JSON."""
        return {
            "version": VERSION,
            "broker": self.topology.rules.broker,
            **({"broker_version": self.topology.version} if self.topology.version else {}),
            "exchanges": len(self.topology.exchanges),
            "queues": len(self.topology.queues),
            "bindings": len(self.topology.bindings),
            "not_compared": self.not_compared,
            "not_computed": [*self.topology.not_computed, *(() if self.topology.knows_subscribers else (SUBSCRIBERS,))],
            "findings": [
                {
                    "kind": finding.kind,
                    "severity": self.severity(finding),
                    **finding.names(),
                    "subject": finding.subject,
                    "reason": finding.reason,
                }
                for finding in self.findings
            ],
        }

    def __repr__(self) -> str:
        return f"TopologyReport({self.topology!r}, {_counted(len(self.findings))})"

    def severity(self, finding: Finding) -> Severity:
        """Return the severity of ``finding``: error if messages are lost, or an element is rejected or never used."""
        if finding.kind in ERRORS or (finding.kind == "exchange-loop" and self.topology.rules.rings_fail):
            return "error"
        return "info" if finding.kind in NOTES else "warning"

    def has(self, severity: str) -> bool:
        """Return True if there is a finding of at least ``severity``, which is ``warning`` or ``error``."""
        counted = ("error",) if severity == "error" else ("error", "warning")
        return any(self.severity(finding) in counted for finding in self.findings)

    def __str__(self) -> str:
        return self.render()

    def render(self, columns: int = 10_000) -> str:
        """Return the report as text.

        If a line would be longer than ``columns`` characters, each reason gets a line of its own below its subject.
        """
        lines = [self.topology.headline]
        for kind, findings in self.by_kind().items():
            lines += ["", f"{self._title(kind)}: {len(findings):,}"]
            lines += rows(alike(findings), columns)
        if not self.has("warning"):
            lines.insert(1, self._all_clear)
        for note in self._notes():
            lines += ["", *([note] if len(note) <= columns else TextWrapper(columns).wrap(note))]
        return "\n".join(lines)

    @property
    def _all_clear(self) -> str:
        """The sentence for a topology without warnings.

        For an empty topology it says that nothing is declared, because there is nothing to judge.
        """
        of = self.topology
        is_empty = not (of.exchanges or of.queues or of.bindings or of.onward)
        return of.rules.addressing.nothing_declared if is_empty else "nothing is dead, double or in a loop"

    def _title(self, kind: str) -> str:
        return TITLES[kind].replace("exchanges", self.topology.rules.addressing.nouns[1])

    def _notes(self) -> Iterator[str]:
        if self.not_compared:
            beside = (
                f"{self.not_compared:,} bindings stand beside more than {MAX_COMPARED} others with the same two ends"
            )
            yield f"{beside}: of these only equal ones were looked for"
        if not self.topology.knows_subscribers:
            yield SUBSCRIBERS

    def _repr_html_(self) -> str:
        rows = [(self._title(finding.kind), finding.subject, finding.reason) for finding in self.findings]
        note = "".join(map(html.code, self._notes()))
        if not rows:
            return html.heading(self._all_clear) + note
        return html.table(("finding", "of", "why"), rows, _counted(len(rows))) + note


def _counted(findings: int) -> str:
    return f"{findings:,} {'finding' if findings == 1 else 'findings'}"


def rows(findings: Sequence[Finding], columns: int, most: int = MAX_LISTED) -> list[str]:
    """Return one text line for each of the first ``most`` findings: the subject, then the reason.

    If such a line would be longer than ``columns``, each reason gets a line of its own below its subject.
    """
    shown = [finding._replace(subject=one_line(finding.subject)) for finding in findings[:most]]
    width = min(48, max((len(finding.subject) for finding in shown), default=0))
    lines = [f"  {finding.subject:{width}}  {one_line(finding.reason)}" for finding in shown]
    if max(map(len, lines), default=0) > columns:
        wrapped = TextWrapper(columns, initial_indent=" " * 6, subsequent_indent=" " * 6, break_on_hyphens=False)
        named = TextWrapper(columns, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        lines = [line for one in shown for line in (*named.wrap(one.subject), *wrapped.wrap(one.reason))]
    return lines + ([f"  … and {len(findings) - most:,} more"] if len(findings) > most else [])


def alike(findings: Sequence[Finding]) -> list[Finding]:
    """Return ``findings`` in which more than ``MAX_ALIKE`` findings with the same reason are merged to one.

    A merged finding states how many findings it stands for, and the names of the first ones.
    """
    by_reason: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        # A subject may end with a comma and an aspect, such as "orders, alternate exchange". Merge only findings about
        # the same aspect, so that the merged subject can name it.
        by_reason.setdefault((finding.reason, _aspect(finding)), []).append(finding)
    shown = []
    for (_, aspect), equal in by_reason.items():
        if len(equal) <= MAX_ALIKE:
            shown += equal
            continue
        names = first_of(dict.fromkeys(one.subject.removesuffix(aspect) for one in equal), MAX_NAMES)
        shown.append(equal[0]._replace(subject=f"{len(equal):,} of them ({names}){aspect}"))
    return shown


def _aspect(finding: Finding) -> str:
    is_part = isinstance(finding.about, Link) or finding.kind == "missing-target"
    return ", " + finding.subject.rpartition(", ")[2] if is_part and ", " in finding.subject else ""


def report(topology: Topology, summary: Summary | None = None) -> TopologyReport:
    """Report what is unused, duplicate or dangerous in a topology; with ``summary`` also dead bindings and hot queues.

    The time is linear in the number of bindings, except that up to ``MAX_COMPARED`` bindings between the same exchange
    and destination are compared in pairs.

    Args:
        topology: Exchanges, bindings and queues, as ``read_topology`` returns them.
        summary: The counts of ``selector-sql route --summary``, to find bindings without messages and hot queues.
    """
    check_topology(topology)
    check_summary(summary)
    ways = Ways(topology)
    doubles, not_compared = _contained(topology)
    findings = [
        *_refused_file(topology),
        *lonely_queues(ways),
        *exchanges(ways, summary),
        *loops(ways),
        *targets(ways),
        *unread(ways),
        *doubles,
        *_never_matching(topology),
        *_slips(topology),
        *_ignored(topology),
        *_refused(topology),
        *(_dead(ways, summary) if summary is not None else ()),
        *(_hot(summary) if summary is not None else ()),
        *_unknown_queues(topology),
    ]
    return TopologyReport(topology, tuple(findings), not_compared)


def _unknown_queues(topology: Topology) -> Iterator[Finding]:
    """Yield the virtual topics of ActiveMQ whose queues neither the file nor the broker's state names."""
    if topology.rules.addressing.names_subscribers:
        return
    # A queue that stands for a connection to another broker is no destination (it has no kind), and the file says which
    # messages it gets. So it is not reported.
    kinds = topology.rules.addressing.kinds
    undeclared = {queue.name for queue in topology.queues if not queue.declared and kinds(queue.name)}
    for binding in topology.bindings:
        to = binding.destination
        is_queue = binding.destination_type == "queue"
        if to != binding.source and (to in undeclared or (not is_queue and topology.exchange_by_name[to].is_unknown)):
            reason = f"which queues {to} there are is not in the file: --state FILE says it"
            yield Finding("unknown-queues", binding.source, reason, binding)


def _refused_file(topology: Topology) -> Iterator[Finding]:
    """Yield the findings of the importer about mistakes for which the broker rejects the whole file."""
    for found in topology.findings:
        if found.severity == "error":
            subject = found.path or "the file"
            reason = found.message.removeprefix(f"{subject}: ")
            yield Finding("refused-file", subject, reason + (f" ({found.hint})" if found.hint else ""))


#: The argument that orders the bindings of a super stream for its clients (``rabbit_stream_manager``).
_PARTITION_ORDER = "x-stream-partition-order"


def _slips(topology: Topology) -> Iterator[Finding]:
    """Yield the bindings that probably contain a mistake, such as a wildcard at a direct exchange.

    Fanout exchanges whose bindings have different keys are yielded as well, because such exchanges ignore keys.
    """
    keys: dict[str, dict[str, None]] = {}
    for binding in topology.bindings:
        slip = slip_of(topology, binding)
        if slip is not None:
            yield binding_finding(topology, slip.kind, binding, slip.reason)
        if topology.rules.addressing.has_exchanges and topology.exchange_by_name[binding.source].kind.takes_all:
            keys.setdefault(binding.source, {})[binding.key] = None
    for name, listed in keys.items():
        if len(listed) > 1:
            shown = first_of((repr(key) for key in listed), MAX_NAMES)
            reason = f"its bindings have different keys ({shown}), and each of them takes every message"
            yield Finding("fanout-keys", name, reason, ("exchange", name))


def _ignored(topology: Topology) -> Iterator[Finding]:
    """Yield findings about bindings with arguments that their exchanges ignore."""
    rules = topology.rules
    if not rules.addressing.has_exchanges:
        return
    for binding in topology.bindings:
        exchange, match = topology.exchange_by_name[binding.source], topology.headers(binding)
        kind, hint = exchange.kind, ""
        if match is not None:
            read = {name for name, _ in match.pairs}
            read |= {"x-match", SELECTOR_ARGUMENT, REPLACEMENT_ARGUMENT}
            hint = "; from RabbitMQ 3.10 on x-match all-with-x does" if rules.headers.with_x else ""
        elif kind.choosing is not None or kind.evaluates_query or kind.requires_selector:
            continue
        else:
            read = {REPLACEMENT_ARGUMENT} if rules.replaces_keys else set()
            read |= {SELECTOR_ARGUMENT} if exchange.type in rules.selector_types else set()
        unread = (name for name in binding.arguments if name not in read and name != _PARTITION_ORDER)
        ignored = [name for name in unread if not name.startswith(("x-qpid", "qpid."))]
        if ignored:
            does = "look at" if match is None else "compare"
            reason = f"a {exchange.type} exchange does not {does} {', '.join(ignored)}{hint}"
            yield binding_finding(topology, "ignored-argument", binding, reason)


#: From version ``_STRICT`` on, RabbitMQ accepts at most ``_MAX_MANY_WORDS`` ``#`` in a binding key of a topic, and
#: at most ``_MAX_PATTERN`` characters in a LIKE pattern.
_STRICT, _MAX_MANY_WORDS, _MAX_PATTERN = (4, 3, 5), 2, 1024


def _refused(topology: Topology) -> Iterator[Finding]:
    """Yield the bindings that new versions of RabbitMQ reject; nothing if the file comes from an older version."""
    rules = topology.rules
    if not rules.name.startswith("rabbitmq"):
        return
    number = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", topology.version)
    if number is not None and tuple(int(part or 0) for part in number.groups()) < _STRICT:
        return
    since = f"RabbitMQ {'.'.join(map(str, _STRICT))}"
    for binding in topology.bindings:
        kind, selector = topology.exchange_by_name[binding.source].kind, topology.selector(binding)
        reason = ""
        if kind.key is KeyTest.WORDS and rules.topic.pattern(binding.key).count(MANY_WORDS) > _MAX_MANY_WORDS:
            reason = f"a key has {_MAX_MANY_WORDS} # at most"
        elif _has_long_pattern(selector, rules.dialect):
            reason = f"a pattern has {_MAX_PATTERN:,} characters at most"
        if reason:
            yield binding_finding(topology, "refused-binding", binding, f"from {since} on {reason}")


def _has_long_pattern(selector: str | None, dialect: str) -> bool:
    if selector is None or len(selector) <= _MAX_PATTERN:
        return False
    tree = parse_tree(selector, find_dialect(dialect))
    likes = (node for node in ast.walk(tree) if isinstance(node, ast.Like)) if tree is not None else ()
    return any(len(like.pattern.value) > _MAX_PATTERN for like in likes)


def _contained(topology: Topology) -> tuple[list[Finding], int]:
    groups: dict[tuple[str, str, str], list[Binding]] = {}
    for binding in topology.bindings:
        groups.setdefault((binding.source, binding.destination_type, binding.destination), []).append(binding)
    findings: list[Finding] = []
    not_compared = 0
    for group in groups.values():
        if len(group) < 2:
            continue
        first: dict[object, Binding] = {}
        for binding in group:
            key = (_key(topology, binding), tuple(sorted((name, repr(v)) for name, v in binding.arguments.items())))
            if key in first:
                findings.append(binding_finding(topology, "duplicate-binding", binding, "the same binding is there"))
            else:
                first[key] = binding
        listed = [*first.values()]
        if len(listed) > MAX_COMPARED and _may_differ(topology, listed):
            not_compared += len(listed)
            continue
        findings += _pairs(topology, listed)
    return findings, not_compared


def _may_differ(topology: Topology, bindings: Sequence[Binding]) -> bool:
    """Return True if one of ``bindings`` may be redundant, because another one may accept all of its messages.

    All ``bindings`` have the same source and destination.
    """
    keys = [_compared_key(topology, binding) for binding in bindings]
    return len(set(keys)) < len(keys) or any(key is None or key.is_wild for key in keys)


class _ComparedKey(NamedTuple):
    """The key of a binding in the form in which its exchange compares it: as a pattern of words, or as one text."""

    words: TopicPattern

    @property
    def is_wild(self) -> bool:
        """True if the key has wildcards, so that it accepts several routing keys."""
        return is_wild(self.words)

    def may_contain(self, other: _ComparedKey) -> bool:
        """Return False if ``other`` accepts a routing key that this key does not accept."""
        if not self.is_wild:
            # A key without wildcards accepts a single routing key, so it can contain only an equal key.
            return self == other
        return other.is_wild or matches_words(self.words, cast("tuple[str, ...]", other.words))


def _compared_key(topology: Topology, binding: Binding) -> _ComparedKey | None:
    """Return the key of ``binding`` in the form in which its exchange compares it; None if it compares no keys."""
    match topology.exchange_by_name[binding.source].kind.key:
        case KeyTest.WORDS:
            return _ComparedKey(topology.rules.topic.pattern(binding.key))
        case KeyTest.EQUAL:
            return _ComparedKey((binding.key,))
        case KeyTest.NONE:
            return None


def _pairs(topology: Topology, bindings: Sequence[Binding]) -> Iterator[Finding]:
    """Yield each of ``bindings`` that is redundant, because another one accepts all of its messages.

    All ``bindings`` have the same source and destination. If no key has wildcards, only bindings with equal keys are
    compared.
    """
    keys = [_compared_key(topology, binding) for binding in bindings]
    if any(key is None or key.is_wild for key in keys):
        yield from _pairs_of(topology, bindings, keys)
        return
    by_key: dict[_ComparedKey | None, list[Binding]] = {}
    for key, binding in zip(keys, bindings, strict=True):
        by_key.setdefault(key, []).append(binding)
    for key, group in by_key.items():
        if len(group) > 1:
            yield from _pairs_of(topology, group, [key] * len(group))


def _pairs_of(
    topology: Topology, bindings: Sequence[Binding], keys: Sequence[_ComparedKey | None]
) -> Iterator[Finding]:
    def related(outer: int, inner: int) -> bool:
        key, other = keys[outer], keys[inner]
        if key is not None and other is not None and not key.may_contain(other):
            return False
        return may_contain(topology, bindings[outer], bindings[inner])

    compared = {one for pair in permutations(range(len(bindings)), 2) if related(*pair) for one in pair}
    indexes = sorted(compared)
    candidates = [candidate(topology, bindings[index]) for index in indexes]
    for inner_index, outer_index in contained(candidates, lambda outer, inner: related(indexes[outer], indexes[inner])):
        inner, outer = bindings[indexes[inner_index]], bindings[indexes[outer_index]]
        label = binding_label(topology, outer)
        reason = f"{label or 'another binding'} takes all of its messages"
        if label == binding_label(topology, inner):
            reason += f": they differ in {_difference(outer, inner)}"
        yield binding_finding(topology, "contained-binding", inner, reason)


def candidate(topology: Topology, binding: Binding) -> Candidate:
    """Return the condition of ``binding`` as a ``Candidate``, for the proof that one condition contains another."""
    return Candidate(lambda conditions: conditions.formula(topology.condition(binding)))


def may_contain(topology: Topology, outer: Binding, inner: Binding) -> bool:
    """Return False if ``outer`` certainly does not make ``inner`` redundant, for example if their targets differ."""
    if (outer.source, outer.destination_type, outer.destination) != (
        inner.source,
        inner.destination_type,
        inner.destination,
    ) or topology.replacement_key(outer) != topology.replacement_key(inner):
        return False
    if not topology.rules.addressing.has_exchanges and outer.path == inner.path != "":
        # The importer made both bindings from the same element of a JMS broker's file, such as a divert, for messages
        # that arrive on different paths. So neither of them is redundant.
        return False
    if any(_is_open(topology.selector(one), topology.dialect(one)) for one in (outer, inner)):
        return False
    kind = topology.exchange_by_name[outer.source].kind
    if kind.choosing is not None:
        # The exchange chooses one of its bindings for each message. Without the binding, messages would be shared out
        # differently.
        return False
    return kind.key is not KeyTest.EQUAL or outer.key == inner.key


@lru_cache(maxsize=4096)
def _is_open(selector: str | None, dialect: str) -> bool:
    """Return True if ``selector`` has parts that this project cannot evaluate, so the broker may find them true."""
    return selector is not None and any(reasons(selector, find_dialect(dialect)))


def _difference(outer: Binding, inner: Binding) -> str:
    """Return the names of the arguments in which the bindings ``outer`` and ``inner``, with equal labels, differ."""
    names = dict.fromkeys((*inner.arguments, *outer.arguments))
    differing = [name for name in names if repr(outer.arguments.get(name)) != repr(inner.arguments.get(name))]
    return ", ".join(differing) or "their keys"


def _key(topology: Topology, binding: Binding) -> str:
    """Return the key of ``binding``; empty if its exchange ignores keys."""
    return "" if topology.exchange_by_name[binding.source].kind.ignores_key else binding.key


def _never_matching(topology: Topology) -> Iterator[Finding]:
    for binding in topology.bindings:
        match = topology.headers(binding)
        if match is not None and (match.never or (match.any and not match.pairs)):
            reason = f"{topology.broker} delivers nothing through arguments without a pair to match"
            yield binding_finding(topology, "never-matches", binding, reason)
            continue
        selector = topology.selector(binding)
        if selector and _never_true(selector, topology.dialect(binding)):
            yield binding_finding(topology, "never-matches", binding, "its selector is never true")


@lru_cache(maxsize=4096)
def _never_true(selector: str, dialect: str) -> bool:
    try:
        return never_true(selector, dialect)
    except UnsupportedFeatureError:
        # This project cannot evaluate the selector, so it is not known whether the selector is ever TRUE.
        return False


def _dead(ways: Ways, summary: Summary) -> Iterator[Finding]:
    topology = ways.topology
    # If an exchange chooses among several queues, the summary counts its messages for none of them. So a binding after
    # such an exchange is not reported as dead.
    starts: list[Node] = [("exchange", name) for name in choices(topology)]
    shared_out = reached(ways.routes, starts)
    for binding in topology.bindings:
        if binding.destination_type != "queue":
            continue
        if summary.queues.get(binding.destination, 0) or summary.possible.get(binding.destination, 0):
            continue
        if ("exchange", binding.source) in shared_out:
            continue
        yield binding_finding(topology, "dead-binding", binding, f"{binding.destination} got no message")


def _hot(summary: Summary) -> Iterator[Finding]:
    total = sum(summary.queues.values())
    ranked = sorted(summary.queues.items(), key=lambda item: (-item[1], item[0]))
    for name, count in ranked[:MAX_HOT]:
        if total and count / total >= HOT_SHARE:
            yield Finding(
                "hot-queue",
                name,
                f"the queue receives {count:,} of {total:,} deliveries ({count / total:.0%})",
                ("queue", name),
            )
