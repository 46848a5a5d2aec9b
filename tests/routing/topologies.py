"""Random topologies of every broker, and random messages that meet their bindings."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.sizes import size
from tests.spark_ext import strategies
from transpiler import Message, TranspilerError, parse_selector, print_selector
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpList, AmqpMap
from transpiler.message.sections import Body, Properties
from transpiler.message.types import AmqpType, AmqpValue, Compound
from transpiler.topology.broker_rules import RULES, Rules
from transpiler.topology.exchange_types import CHOOSING_TYPES
from transpiler.topology.model import Topology
from transpiler.topology.records import Alternate, Binding, Exchange, Queue

QUEUES = (*(f"q{number}" for number in range(6)), "a.b", "it's ${x}", "amq.rabbitmq.reply-to.1")
NAMES = tuple(f"x{number}" for number in range(6))

WORDS = ("a", "b", "", "c", "été")
keys = st.one_of(
    st.sampled_from(("", "a", "a.b", "a.", ".", "..", "a..b", "q1", "it's ${x}", "amq.rabbitmq.reply-to.1", "x")),
    st.lists(st.sampled_from(WORDS), max_size=5).map(".".join),
)
patterns = st.one_of(
    keys, st.lists(st.sampled_from((*WORDS, "*", "#", "*", "#")), min_size=1, max_size=5).map(".".join)
)

LISTS = (AmqpList(), AmqpList((AmqpValue(AmqpType.LONG, 1),)), AmqpList((AmqpValue(AmqpType.INT, 1),)))
MAPS = (AmqpMap(), AmqpMap(((AmqpValue(AmqpType.STRING, "a"), LISTS[1]),)))

#: A few values of few types, so that bindings and messages meet, and values of every type.
few = st.sampled_from(
    (
        AmqpValue(AmqpType.LONG, 1),
        AmqpValue(AmqpType.INT, 1),
        AmqpValue(AmqpType.SHORT, 5),
        AmqpValue(AmqpType.FLOAT, 16777216.0),
        AmqpValue(AmqpType.INT, 16777217),
        AmqpValue(AmqpType.ULONG, 2**64 - 1),
        AmqpValue(AmqpType.LONG, 0),
        AmqpValue(AmqpType.BOOLEAN, True),
        AmqpValue(AmqpType.BOOLEAN, False),
        AmqpValue(AmqpType.DOUBLE, 1.0),
        AmqpValue(AmqpType.FLOAT, 1.0),
        AmqpValue(AmqpType.DOUBLE, float("nan")),
        AmqpValue(AmqpType.DOUBLE, -0.0),
        AmqpValue(AmqpType.DOUBLE, 0.0),
        AmqpValue(AmqpType.STRING, "1"),
        AmqpValue(AmqpType.STRING, "a"),
        AmqpValue(AmqpType.SYMBOL, "a"),
        AmqpValue(AmqpType.CHAR, "a"),
        AmqpValue(AmqpType.STRING, ""),
        AmqpValue(AmqpType.LONG, -1),
        AmqpValue(AmqpType.LONG, 2**53 + 1),
        AmqpValue(AmqpType.DOUBLE, 2.0**53),
        AmqpValue(AmqpType.DECIMAL64, Decimal(1)),
        AmqpValue(AmqpType.TIMESTAMP, 1_000),
        AmqpValue(AmqpType.TIMESTAMP, 1),
        AmqpValue(AmqpType.LONG, 1_000),
        AmqpValue(AmqpType.BINARY, b"a"),
        AmqpValue(AmqpType.BINARY, b"\xff"),
        AmqpValue(AmqpType.BINARY, encode(AmqpList())),
        *(AmqpValue(Compound.LIST, encode(found)) for found in LISTS),
        *(AmqpValue(Compound.MAP, encode(found)) for found in MAPS),
        AmqpValue(Compound.ARRAY, b""),
        AmqpValue(AmqpType.NULL, None),
    )
)
values = st.one_of(few, few, strategies.values)
headers = st.dictionaries(st.sampled_from(("a", "b", "x-c", "X-d", "qpid.subject")), values, max_size=3)
#: Selectors of few shapes with varying constants, together with random selectors.
written = st.one_of(
    st.builds("a = '{}'".format, st.sampled_from("aé1")),
    st.builds("a = {} AND b {} {}".format, st.integers(-2, 2), st.sampled_from(("<", ">=")), st.integers(-2, 2)),
    st.builds("b > {} OR a = 1.{}".format, st.floats(-2, 2, allow_nan=False).map("{:.2f}".format), st.integers(0, 9)),
    st.builds("a IN ('{}', 'b') AND JMSPriority {} 4".format, st.sampled_from("ax"), st.sampled_from(("<", ">"))),
    st.builds("JMSMessageID = 'ID:{}'".format, st.sampled_from(("a", "AMQP_BINARY:ab", "x"))),
    # Constructs on which brokers disagree: NOT, NULL, unlike types, widths, division, line ends.
    st.builds("a <> {} AND NOT b <> 1.{}".format, st.integers(-1, 2), st.integers(0, 5)),
    st.builds("{} {} a".format, st.sampled_from((1, 5, 16777217, 2147483648)), st.sampled_from(("=", ">", "<="))),
    st.builds("a / {} = 0.5 OR b {} 16777217".format, st.integers(1, 3), st.sampled_from(("=", "<", ">="))),
    st.builds("a + 1 BETWEEN {} AND {}".format, st.integers(-2, 2), st.sampled_from((2, 5, 2147483647))),
    st.builds("a NOT IN ('{}', 'b') AND b NOT LIKE '{}_'".format, st.sampled_from("a1"), st.sampled_from("aé")),
    st.builds("a LIKE '%{0}' AND NOT b LIKE '{0}%%'".format, st.sampled_from(("a", "1", "é"))),
    # Patterns of every form, whose texts become rows of the substring index.
    st.builds("a LIKE '%{}%' OR b LIKE '%{}%'".format, st.sampled_from("a1é"), st.sampled_from(("a", "ab", "x"))),
    st.builds("a LIKE '{0}%{1}' AND b NOT LIKE '%{1}%{0}%'".format, st.sampled_from("a1é"), st.sampled_from("ab")),
    st.builds("a LIKE '_%' OR a LIKE '{}_' OR b LIKE '%{}_%'".format, st.sampled_from("aé"), st.sampled_from("ab")),
    st.builds("b = 1 AND (a LIKE '!{0}%{1}%' ESCAPE '!')".format, st.sampled_from("%a_"), st.sampled_from("aé")),
    st.builds("a LIKE '{}' ESCAPE '{}'".format, st.sampled_from(("!%a", "a", "a!%", "!a%")), st.sampled_from("!_%")),
)
#: Selectors on which dialects differ most: negations over missing values and over values of unsuitable types.
dividing = st.one_of(
    st.builds("NOT a = {} OR b <> '{}'".format, st.integers(0, 3), st.sampled_from("ax")),
    st.builds("a LIKE '{}%' OR b NOT LIKE '%{}'".format, st.sampled_from(("a", "", "ab")), st.sampled_from("ax")),
    st.builds("NOT (a IN ('{}', 'x'))".format, st.sampled_from("a1")),
    st.builds("NOT (b IN ('{}'))".format, st.sampled_from("ax")),
    st.builds("NOT (a IN ('{}')) OR NOT (b IN ('1', '{}'))".format, st.sampled_from("a1"), st.sampled_from("ax")),
    st.builds("NOT (b IN ('{}')) AND NOT (a IN ('{}'))".format, st.sampled_from("a1"), st.sampled_from("ax")),
)


@cache
def takes(dialect: str, text: str) -> bool:
    """Return True if ``dialect`` can parse ``text``."""
    try:
        parse_selector(text, dialect)
    except TranspilerError:
        return False
    return True


def selectors(rules: Rules) -> st.SearchStrategy[str]:
    """Return a strategy for selectors that the broker accepts, in its dialect."""
    dialect = rules.dialect
    random = strategies.selectors(strategies.NAMES + strategies.HEADERS)
    printed = random.map(lambda tree: print_selector(tree, dialect))
    # Choose among the three first: one_of would choose among all alternatives of all three, of which random selectors
    # are only one.
    kinds = st.sampled_from((written, dividing, printed)).flatmap(lambda kind: kind)
    return kinds.filter(lambda text: takes(dialect, text))


xqueries = st.sampled_from(
    (
        "declare variable $a external; $a = 'a'",
        "declare variable $a external; declare variable $b external; $a > 0 or not($b = 1)",
        "./a = 'x'",
        "declare variable $a external; ./a/b > 1 and $a",
    )
)


@st.composite
def topologies(draw: st.DrawFn, rules: Rules, *, queries: bool = True, choosing: bool = False) -> Topology:
    """Draw a topology with cycles, alternates, replaced keys and all types of exchanges that its broker has.

    If ``queries``, bindings of XML exchanges have queries, which not every layout can answer. If ``choosing``, some
    exchanges choose one of their bindings. In some topologies, bindings between exchanges match every message.
    """
    always = draw(st.integers(0, 2)) == 0
    types = tuple(kind for kind in rules.types if choosing or kind not in CHOOSING_TYPES)
    names = [*NAMES, *rules.predeclared]
    exchanges = []
    for name in NAMES:
        alternate = None
        if not always and draw(st.integers(0, 2)) == 0:
            to_queue = rules.alternate_queues and draw(st.booleans())
            alternate = (
                Alternate(draw(st.sampled_from(QUEUES)), "queue")
                if to_queue
                else Alternate(draw(st.sampled_from((*NAMES, "amq.fanout", ""))))
            )
        exchanges.append(Exchange(name, draw(st.sampled_from(types)), alternate))
    kinds: dict[str, Any] = dict(rules.predeclared) | {exchange.name: exchange.type for exchange in exchanges}
    bindings = []
    for _ in range(draw(st.integers(0, size(12, 24)))):
        source = draw(st.sampled_from(names))
        binding = Binding(source, draw(st.sampled_from(QUEUES)), draw(patterns))
        to_exchange = draw(st.integers(0, 1 if always else 4)) == 0 and (not always or kinds[source] == "fanout")
        if rules.exchange_to_exchange and to_exchange:
            binding = replace(binding, destination=draw(st.sampled_from(names)), destination_type="exchange")
        arguments: dict[str, AmqpValue] = {}
        if kinds[source] == "headers":
            arguments = dict(draw(headers))
            modes = ["all", "any", None] + (["all-with-x", "any-with-x"] if rules.headers.with_x else [])
            mode = draw(st.sampled_from(modes))
            if mode is not None:
                arguments["x-match"] = AmqpValue(AmqpType.STRING, mode)
        if kinds[source] == "x-super-stream":
            binding = replace(binding, key=draw(st.sampled_from("012")))
        selected = kinds[source] == "x-jms-topic" or (not (always and to_exchange) and draw(st.booleans()))
        if kinds[source] in rules.selector_types and selected:
            arguments["x-filter-jms-selector"] = AmqpValue(AmqpType.STRING, draw(selectors(rules)))
        if kinds[source] == "xml" and queries and draw(st.booleans()):
            arguments["xquery"] = AmqpValue(AmqpType.STRING, draw(xqueries))
        if rules.replaces_keys and binding.destination_type == "exchange" and draw(st.booleans()):
            arguments["x-replacement-routing-key"] = AmqpValue(AmqpType.STRING, draw(keys))
        if kinds[source] == "topic" and binding.key and not rules.topic.pattern(binding.key):
            continue
        bindings.append(replace(binding, arguments=arguments))
    return Topology(rules, tuple(exchanges), tuple(Queue(name) for name in QUEUES), tuple(bindings))


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Draw a message with a key and headers that also occur in bindings."""
    message = draw(strategies.messages)
    properties = message.properties or Properties()
    subject = draw(st.one_of(st.none(), keys))
    named = dict(message.application_properties or {}) | dict(draw(headers))
    body = draw(st.sampled_from((None, b"<a>x</a>", b"<a><b>2</b></a>", b"<a", b"\xff")))
    return replace(
        message,
        properties=replace(properties, subject=subject),
        application_properties=named,
        body=Body("data", body),
    )


#: The brokers, each with selectors on all bindings that can have arguments, so that each dialect is tested.
BROKERS = tuple(
    replace(rules, selector_types=tuple(kind for kind in rules.types if kind != "xml"))
    for rules in RULES.values()
    if rules.addressing.has_exchanges
)
BROKERS_BY_NAME = {rules.name: rules for rules in BROKERS}
