"""Random claims of lint, diff, port and the topology report, tested on messages that the analysis did not choose.

A claim is a statement of a tool about random conditions. It is false if a message contradicts it. The messages are
drawn independently of the conditions, with values of every type, including values on which brokers throw. ``python -m
tests.tools.analysis.claims 20000`` tests so many questions and prints the numbers of claims.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

from transpiler import Message, TranspilerError, UnsupportedFeatureError, parse_selector, route_message
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS, Dialect
from transpiler.message.receiver import Receiver
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import Verdict, judge
from transpiler.tools.analysis.constants import NOW
from transpiler.tools.dialect_tools.diff import diff_selectors
from transpiler.tools.dialect_tools.port import port_selector
from transpiler.tools.lint.rule import Context
from transpiler.tools.lint.rules.logic import find_redundancies
from transpiler.tools.topology_report.findings import candidate, may_contain
from transpiler.topology import Binding, Topology, topology_from_dict
from transpiler.topology.broker_rules import RULES

#: Property values that JMS can send, and None. ``RARE`` contains the other values.
COMMON: tuple[AmqpValue | None, ...] = (
    None,
    *(AmqpValue(AmqpType.BOOLEAN, truth) for truth in (True, False)),
    *(AmqpValue(AmqpType.LONG, number) for number in (-1, 0, 1, 2, 3, 5, 6)),
    *(AmqpValue(kind, number) for kind in (AmqpType.INT, AmqpType.SHORT, AmqpType.BYTE) for number in (0, 1, 5)),
    *(AmqpValue(AmqpType.DOUBLE, number) for number in (0.5, 1.0, 1.25, 1.5, 1.75, 5.0)),
    *(AmqpValue(AmqpType.FLOAT, number) for number in (1.5, 5.0)),
    *(AmqpValue(AmqpType.STRING, text) for text in ("x", "xy", "xz", "z", "", "yx", "5", "X", "axy")),
)
RARE: tuple[AmqpValue, ...] = (
    *(AmqpValue(AmqpType.LONG, number) for number in (2**53 + 1, 2**63 - 1, -(2**63))),
    AmqpValue(AmqpType.INT, 2**31 - 1),
    *(AmqpValue(AmqpType.ULONG, number) for number in (5, 2**64 - 1)),
    *(AmqpValue(AmqpType.DOUBLE, number) for number in (-0.0, 0.0, float("nan"), float("inf"), float("-inf"), 1e300)),
    *(AmqpValue(AmqpType.FLOAT, number) for number in (float("nan"), -0.0, 16777216.0)),
    *(AmqpValue(AmqpType.DECIMAL64, Decimal(text)) for text in ("1.5", "NaN")),
    AmqpValue(AmqpType.TIMESTAMP, 5),
    AmqpValue(AmqpType.SYMBOL, "x"),
    *(AmqpValue(AmqpType.CHAR, char) for char in ("x", "5", "\x05")),
    *(AmqpValue(AmqpType.BINARY, octets) for octets in (b"x", b"xy", b"\xff")),
    AmqpValue(AmqpType.UUID, UUID(int=5)),
    *(AmqpValue(AmqpType.STRING, text) for text in ("x\n", "x\ny", "é", "x\U0001f600")),
    AmqpValue(AmqpType.NULL, None),
)
NAMES = ("a", "b", "c")
TESTS = (
    *(f"{{n}} {sign} {{k}}" for sign in ("=", "<>", "<", "<=", ">", ">=")),
    *(f"{{k}} {sign} {{n}}" for sign in ("=", "<>", "<")),
    *(f"{{n}} {sign} {{t}}" for sign in ("=", "<>")),
    *("{n} IN ({t}, {t})", "{n} NOT IN ({t})", "{n} BETWEEN {k} AND {k}", "{n} NOT BETWEEN {k} AND {k}"),
    *("{n} LIKE {p}", "{n} NOT LIKE {p}", "{n} IS NULL", "{n} IS NOT NULL", "{n}", "{n} = TRUE", "{n} <> FALSE"),
    *("{n} = {m}", "{n} < {m}", "{n} >= {m}", "{n} <> {m}", "{n} + 1 > {k}", "{n} * 2 = {k}", "{n} + {m} > {k}"),
    *("JMSPriority > 4", "JMSPriority <= 4", "JMSDeliveryMode = 'PERSISTENT'", "JMSType = {t}", "JMSType LIKE {p}"),
    *("JMSCorrelationID = {t}", "JMSTimestamp > {k}", "TRUE", "FALSE"),
)
NUMBERS = ("0", "1", "2", "5", "1.5", "-1", "-0.0", "0.0", "5.0", "9007199254740993")
TEXTS = ("'x'", "'xy'", "''", "'5'", "'PERSISTENT'")
PATTERNS = ("'x%'", "'%y'", "'%x%'", "'_'", "'%'", "'x_'", "'x'")


def contains(topology: Topology, outer: Binding, inner: Binding) -> bool:
    """Return True if it is proved that the binding ``outer`` matches every message that ``inner`` matches."""
    return may_contain(topology, outer, inner) and candidate(topology, outer).contains(candidate(topology, inner))


def test_of(draw: random.Random) -> str:
    """Return a random test, which is a condition without AND, OR and NOT."""
    text = draw.choice(TESTS)
    for slot, values in (("{k}", NUMBERS), ("{t}", TEXTS), ("{p}", PATTERNS), ("{n}", NAMES), ("{m}", NAMES)):
        while slot in text:
            text = text.replace(slot, draw.choice(values), 1)
    return text


def condition(draw: random.Random, leaves: int, test: Callable[[], str]) -> str:
    """Return a random condition with ``leaves`` tests."""
    if leaves == 1:
        return test()
    first = draw.randint(1, leaves - 1)
    left, right = (condition(draw, part, test) for part in (first, leaves - first))
    joined = f"({left} {draw.choice(('AND', 'OR'))} {right})"
    return f"NOT {joined}" if draw.random() < 0.1 else joined


def related(draw: random.Random) -> tuple[str, str]:
    """Return a condition, and another one that usually differs from it in a test or in an operator."""
    pool = [test_of(draw) for _ in range(draw.choice((1, 2, 3, 4)))]
    first = condition(draw, draw.choice((1, 2, 3, 5)), lambda: draw.choice(pool))
    match draw.randrange(5):
        case 0:
            return first, condition(draw, draw.choice((1, 2, 3)), lambda: draw.choice(pool))
        case 1:
            return first, first.replace(draw.choice(pool), test_of(draw), 1)
        case 2:
            return first, first.replace(*draw.choice((("AND", "OR"), ("OR", "AND"))), 1)
        case 3:
            return first, f"({first} {draw.choice(('AND', 'OR'))} {draw.choice((*pool, test_of(draw)))})"
        case _:
            sign, other = draw.choice(((" < ", " <= "), (" > ", " >= "), (" = ", " <> "), ("NOT ", ""), ("5", "2")))
            return first, first.replace(sign, other, 1)


def message(draw: random.Random, rare: float = 0.4) -> Message:
    """Return a random message. In a share ``rare`` of the messages, properties have values that JMS does not send."""
    values = (*COMMON, *RARE) if draw.random() < rare else COMMON
    given = {name: value for name in NAMES if (value := draw.choice(values)) is not None}
    if draw.random() < 0.3:
        # All properties have the same value, so that comparisons of names are TRUE, too.
        given = dict.fromkeys(given, draw.choice(values) or AmqpValue(AmqpType.LONG, 1))
    if draw.random() < 0.5:
        return Message(application_properties=given)
    header = Header(priority=draw.choice((None, 0, 4, 5, 9)), durable=draw.choice((None, True, False)))
    properties = Properties(
        subject=draw.choice((None, "x", "xy", "")),
        correlation_id=AmqpValue(AmqpType.STRING, draw.choice(("x", "xy", ""))) if draw.random() < 0.5 else None,
        creation_time=draw.choice((None, 0, 1, 5, 1_750_772_279_000)),
    )
    return Message(header=header, properties=properties, application_properties=given)


class Claims:
    """Questions of every kind in turn, and the false claims in their answers."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.claims: Counter[str] = Counter()
        self.pool = [message(draw) for _ in range(600)]
        self.common = [message(draw, rare=0) for _ in range(300)]

    def false_ones(self, count: int) -> Iterator[str]:
        """Ask ``count`` questions. Yield each claim that a message contradicts."""
        # A port asks the most questions itself, and is rarer for this reason.
        kinds = (*(self._lint, self._diff, self._report, self._report) * 4, self._port)
        names = [*DIALECTS]
        for number in range(count):
            yield from kinds[number % len(kinds)](names[number // len(kinds) % len(names)])

    def _messages(self) -> list[Message]:
        return self.draw.sample(self.pool, 60)

    def _parsed(self, text: str, dialect: Dialect) -> ast.Expression | None:
        try:
            return parse_selector(text, dialect)
        except TranspilerError:
            return None

    def _lint(self, name: str) -> Iterator[str]:
        dialect, (text, _) = DIALECTS[name], related(self.draw)
        tree = self._parsed(text, dialect)
        if tree is None:
            return
        for found in find_redundancies(tree, Context(tree, Source(text), dialect)):
            self.claims[found.rule] += 1
            constant = {"lint.never-true": False, "lint.unreachable-branch": False, "lint.always-true": True}
            changed = _without(tree, found.span, constant.get(found.rule))
            if changed is None or "for every message that has" in found.message:
                continue
            for one in self._messages():
                before, after = judge(tree, one, dialect, Receiver(NOW)), judge(changed, one, dialect, Receiver(NOW))
                only_errors = found.hint != "remove it" and (before.thrown or after.thrown) is not None
                if not only_errors and _matches(before) is not _matches(after):
                    yield f"{found.rule} in {name}: {text}: {found.message}: {one}"

    def _diff(self, name: str) -> Iterator[str]:
        old, new = related(self.draw)
        # Sometimes the two selectors have different dialects.
        other = self.draw.choice([*DIALECTS]) if self.draw.random() < 0.2 else name
        dialects = DIALECTS[name], DIALECTS[other]
        trees = self._parsed(old, dialects[0]), self._parsed(new, dialects[1])
        if None in trees:
            return
        result = diff_selectors(old, new, name, other)
        shown = f"diff {name} {old} | {other} {new}"

        def answers(one: Message) -> tuple[bool, bool]:
            first, second = (judge(tree, one, own, Receiver(NOW)) for tree, own in zip(trees, dialects, strict=True))
            return _matches(first), _matches(second)

        for difference, expected in ((result.won, (False, True)), (result.lost, (True, False))):
            if difference is not None:
                self.claims["diff.message"] += 1
                if answers(difference.message) != expected:
                    yield f"{shown}: {difference}"
        for proved, refuting in ((result.no_won, (False, True)), (result.no_lost, (True, False))):
            if proved:
                self.claims["diff.none"] += 1
                for one in self._messages():
                    if answers(one) == refuting:
                        yield f"{shown}: no message is {refuting}: {one}"

    def _port(self, name: str) -> Iterator[str]:
        text, _ = related(self.draw)
        other = self.draw.choice([other for other in DIALECTS if other != name])
        tree = self._parsed(text, DIALECTS[name])
        if tree is None:
            return
        try:
            ported = port_selector(text, name, other)
        except UnsupportedFeatureError:
            return
        exact = all(note.code == "port.unproved" for note in ported.notes)
        self.claims["port.exact" if exact else "port.rare"] += 1
        again = parse_selector(ported.text, other)
        for one in self._messages() if exact else self.draw.sample(self.common, 40):
            before, after = (
                judge(tree, one, DIALECTS[name], Receiver(NOW)),
                judge(again, one, DIALECTS[other], Receiver(NOW)),
            )
            if not exact and (before.thrown or after.thrown) is not None:
                continue
            if _matches(before) is not _matches(after):
                yield f"port {name} {text} to {other} {ported.text}: {one}"

    def _report(self, name: str) -> Iterator[str]:
        broker = name if name in RULES and RULES[name].addressing.has_exchanges else "rabbitmq"
        kind = self.draw.choice(("direct", "topic", "headers", "fanout", "topic"))
        selectors = related(self.draw) if kind in RULES[broker].selector_types else ("", "")
        dialect = DIALECTS[RULES[broker].dialect]
        if not all(selector == "" or self._parsed(selector, dialect) for selector in selectors):
            return
        outer, inner = (self._bound(broker, kind, selector) for selector in selectors)
        both = Topology(outer.rules, outer.exchanges, outer.queues, outer.bindings + inner.bindings)
        if not contains(both, outer.bindings[0], inner.bindings[0]):
            return
        self.claims["report.contained"] += 1
        for one in self._messages()[:40]:
            keys = [self.draw.choice(("a", "a.b", "", "a.b.a", "b", "b.a"))]
            if route_message(inner, one, "x", keys) and not route_message(outer, one, "x", keys):
                yield f"report {broker}: {outer.bindings} takes all of {inner.bindings}: {keys} {one}"

    def _bound(self, broker: str, kind: str, selector: str) -> Topology:
        key = self.draw.choice(("a", "a.b", "a.*", "a.#", "#", "*.b", "#.a")) if kind == "topic" else "a"
        binding: dict[str, Any] = {"source": "x", "queue": "q", "key": key}
        if kind == "headers":
            values = (1, "x", 0.0, -0.0, None, True)
            pairs = {name: self.draw.choice(values) for name in NAMES[:2] if self.draw.random() < 0.6}
            binding["arguments"] = {"x-match": self.draw.choice(("all", "any")), **pairs}
        if selector and self.draw.random() < 0.8:
            binding["selector"] = selector
        exchanges = [{"name": "x", "type": kind}]
        return topology_from_dict({"broker": broker, "queues": ["q"], "exchanges": exchanges, "bindings": [binding]})


def _matches(verdict: Verdict) -> bool:
    return verdict.truth is True


def _without(node: ast.Expression, span: Span, constant: bool | None) -> ast.Expression | None:
    """Return the tree without the subexpression at ``span``, or with ``constant`` instead.

    Return None below a NOT, where unknown and FALSE differ.
    """
    if node.span == span and constant is not None:
        return ast.BooleanLiteral(constant)
    match node:
        case ast.And(terms=terms) | ast.Or(terms=terms):
            for number, term in enumerate(terms):
                if term.span == span and constant is None:
                    rest = (*terms[:number], *terms[number + 1 :])
                    return rest[0] if len(rest) == 1 else type(node)(rest, node.span)
                if term.span.start <= span.start and span.end <= term.span.end:
                    changed = _without(term, span, constant)
                    if changed is None:
                        return None
                    return type(node)((*terms[:number], changed, *terms[number + 1 :]), node.span)
            return None
        case _:
            return None


if __name__ == "__main__":
    tried = Claims(random.Random(sys.argv[2] if len(sys.argv) > 2 else 0))
    for false in tried.false_ones(int(sys.argv[1])):
        print(false)
    print(sum(tried.claims.values()), dict(tried.claims))
