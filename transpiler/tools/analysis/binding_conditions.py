"""Formulas of bindings: the key, the headers, the query and the selector that a message must have.

The routing key is where RabbitMQ shows it to consumers of AMQP 1.0: in a message annotation.
"""

from __future__ import annotations

from transpiler.base.errors import TranspilerError
from transpiler.language.filters.binding_rules import HeadersMatch
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.parsing import parse_tree
from transpiler.message.header_fields import PROPERTIES, MessageField
from transpiler.message.message import Message
from transpiler.message.types import AmqpValue
from transpiler.reference.evaluate import Verdict
from transpiler.reference.exchange_walk import matches_headers
from transpiler.reference.match import matches_words
from transpiler.reference.xquery import matches_query
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.formula import NEVER, Accepted, Formula, Junction, Test, Words
from transpiler.topology.broker_rules import TAKING_ALL, Rules
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding

#: The place of the routing key.
ROUTING_KEY = MessageField("message_annotations", "x-routing-key")


def binding_formula(conditions: Conditions, topology: Topology, binding: Binding, *, with_key: bool = True) -> Formula:
    """Return the formula of a binding; a selector or query that the broker refuses lets nothing through."""
    terms: list[Formula] = []
    kind = topology.exchange_by_name[binding.source].type
    if kind == "headers":
        match = topology.headers(binding)
        if match.never:
            return NEVER
        if match.pairs or match.any:
            terms.append(Junction(match.any, tuple(_header(conditions, topology.rules, pair) for pair in match.pairs)))
    elif with_key and kind not in TAKING_ALL:
        terms.append(_key(conditions, topology.rules, kind, binding.key))
    query = topology.xquery(binding)
    if query is not None:
        terms.append(_query(conditions, topology.rules, query))
    selector = topology.selector(binding)
    if selector is not None:
        dialect = find_dialect(topology.dialect(binding))
        try:
            tree = parse_tree(selector, dialect)
        except TranspilerError:
            return NEVER
        terms.append(Accepted(conditions.selector(tree, dialect)))
    return Junction(False, tuple(terms))


def _key(conditions: Conditions, rules: Rules, kind: str, key: str) -> Test:
    words = rules.topic.pattern(key) if kind == "topic" else ()

    def judged(message: Message) -> Verdict:
        given = (message.message_annotations or {}).get(ROUTING_KEY.field)
        text = None if given is None else str(given.value)
        if kind == "topic":
            return Verdict(matches_words(words, rules.topic.words(text)))
        return Verdict(text == key)

    patterns, constants = ((Words(words),), ()) if kind == "topic" else ((), (key,))
    return conditions.condition(
        ("key", rules.name, kind == "topic", key), judged, ROUTING_KEY, constants, patterns, f"key {key}"
    )


def _header(conditions: Conditions, rules: Rules, pair: tuple[str, AmqpValue | None]) -> Test:
    name, expected = pair

    def judged(message: Message) -> Verdict:
        return Verdict(matches_headers(HeadersMatch(False, (pair,)), message, rules))

    # If the broker has the subject among the headers, a header is read from two places.
    place = None if name == rules.subject_header else MessageField(PROPERTIES, name)
    constants = () if expected is None else (expected,)
    return conditions.condition(("header", rules.name, name, repr(expected)), judged, place, constants, text=name)


def _query(conditions: Conditions, rules: Rules, query: str) -> Test:
    condition = parse_query(query)

    def judged(message: Message) -> Verdict:
        return Verdict(matches_query(condition, message, rules.subject_header))

    return conditions.condition(("query", rules.name, query), judged, None, text=query)
