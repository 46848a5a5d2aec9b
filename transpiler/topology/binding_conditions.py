"""The condition of a binding: the test that it applies to a message at its exchange.

The condition is a conjunction of the tests of the routing key, the headers, the query and the selector, as far as the
exchange's type has them. A publication can have several routing keys; the test of the key holds if any key passes it.
"""

from __future__ import annotations

from transpiler.language.binding_rules import HeadersMatch, read_headers_match
from transpiler.language.conditions import (
    ROUTING_KEY,
    All,
    Condition,
    Equal,
    Query,
    Selector,
    Words,
    headers_match,
    key_equals,
    key_matches,
)
from transpiler.language.selector.dialects import DIALECTS
from transpiler.topology.broker_rules import Rules
from transpiler.topology.exchange_types import EXCHANGE_KINDS, ExchangeType, KeyTest
from transpiler.topology.records import DIALECT_ARGUMENT, SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Binding


def binding_condition(rules: Rules, exchange_type: ExchangeType, binding: Binding) -> All:
    """Return the condition that a message must meet to pass ``binding``, at an exchange of this type.

    ``rules`` are those of the broker. Raises ``TopologyError`` for arguments of a headers binding that the broker
    rejects.
    """
    kind = EXCHANGE_KINDS[exchange_type]
    key = _key_test(rules, kind.key, binding)
    terms: list[Condition] = [] if key is None else [key]
    if kind.compares_headers:
        terms.append(headers_match(binding_headers(rules, binding), rules))
    if kind.evaluates_query:
        query = binding.text(XQUERY_ARGUMENT)
        terms += [] if query is None else [Query(query, rules.subject_header)]
    selector = selector_text(rules, exchange_type, binding)
    if selector is not None:
        # Qpid's documentation of the selector argument: "If the expression evaluates to true, the message is routed to
        # the queue."
        terms.append(Selector(selector, DIALECTS[selector_dialect(rules, binding)]))
    return All(tuple(terms))


def _key_test(rules: Rules, test: KeyTest, binding: Binding) -> Equal | Words | None:
    """Return the test of the routing key; None if the exchange compares no keys."""
    if test is KeyTest.NONE:
        return None
    return (key_equals if test is KeyTest.EQUAL else key_matches)(ROUTING_KEY, binding.key, rules)


def compares_key(rules: Rules, exchange_type: ExchangeType, binding: Binding) -> bool:
    """Return True if a message's routing key affects whether it passes ``binding``.

    It does not for the binding key ``#``, which matches any routing key.
    """
    test = _key_test(rules, EXCHANGE_KINDS[exchange_type].key, binding)
    return test is not None and not (isinstance(test, Words) and test.or_absent)


def binding_headers(rules: Rules, binding: Binding) -> HeadersMatch:
    """Return the meaning of the arguments of a headers binding. Raises ``TopologyError`` if the broker rejects them."""
    return read_headers_match(binding.arguments, rules)


def selector_text(rules: Rules, exchange_type: ExchangeType, binding: Binding) -> str | None:
    """Return the text of a binding's selector; None if it has no selector or its exchange does not evaluate one."""
    return binding.text(SELECTOR_ARGUMENT) if exchange_type in rules.selector_types else None


def selector_dialect(rules: Rules, binding: Binding) -> str:
    """Return the name of the dialect of a binding's selector."""
    own = None if rules.addressing.has_exchanges else binding.text(DIALECT_ARGUMENT)
    return rules.dialect if own is None else own
