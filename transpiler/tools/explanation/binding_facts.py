"""The conditions of a binding that a message does not meet, in words, and how far the message is from meeting them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from transpiler.base.diagnostics import clipped
from transpiler.base.topics import MANY_WORDS, ONE_WORD, AnyWord, is_wild
from transpiler.language.conditions import All, Any, Condition, Equal, Present, Query, Selector, Words
from transpiler.message.message import Message
from transpiler.message.receiver import ANYONE
from transpiler.message.types import AmqpValue, Compound, coerce
from transpiler.reference.conditions import Keys, holds, value_at
from transpiler.reference.exchange_walk import Visit
from transpiler.tools.explanation.explanation import explain_tree
from transpiler.tools.explanation.wording import listed, value_text
from transpiler.topology.binding_text import headers_text
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.model import Topology
from transpiler.topology.records import DIVERT_ARGUMENT, Binding

#: Maximum number of headers in a sentence, and maximum length of a quoted text, in characters.
_MAX_HEADERS, _MAX_TEXT = 4, 60
#: Maximum length of a quoted text in a line about an address, in characters.
_MAX_LINE = 50
#: Maximum number of word pairs that are compared: words of the binding key times words of the routing key. Longer keys
#: are cut off.
_MAX_PAIRS = 40_000


class Lack(NamedTuple):
    """A reason why a message does not meet a binding's condition.

    ``distance`` estimates how much the message would have to change to meet the condition.
    """

    text: str
    distance: float


def binding_text(topology: Topology, binding: Binding, written: str | None = None) -> str:
    """Return the condition of ``binding`` as text: its key or headers, its selector, and whether it has a query.

    ``written`` is the selector as the JMS broker's file has it; None to use the selector of ``binding`` itself.
    """
    if not topology.rules.addressing.has_exchanges:
        return _text_at_address(topology, binding, written)
    exchange, headers = topology.exchange_by_name[binding.source], topology.headers(binding)
    kind, selector = exchange.kind, topology.selector(binding)
    if kind.requires_selector:
        return clipped(selector or "", _MAX_TEXT)
    if headers is not None:
        asked = clipped(headers_text(headers), _MAX_TEXT)
    elif exchange.is_unknown:
        asked = f"key {value_text(binding.key)}, by an exchange of unknown type"
    elif kind.key is not KeyTest.NONE:
        asked = f"key {value_text(binding.key)}"
    else:
        asked = "any message" if kind.choosing is None else kind.choosing.text(binding.key)
        asked += f", whatever its key {value_text(binding.key)} says" if kind.takes_all and binding.key else ""
    if selector is not None:
        asked += f" and {clipped(selector, _MAX_TEXT)}"
    return asked + (" and a query" if topology.xquery(binding) is not None else "")


def _text_at_address(topology: Topology, binding: Binding, written: str | None) -> str:
    """Return the condition of a JMS broker's binding as text: name of the divert, address pattern, and selector.

    ``written`` is the selector as in the broker's file; None to use the selector of ``binding`` itself.
    """
    pattern = topology.rules.topic.pattern(binding.key)
    is_pattern = is_wild(pattern) and pattern != (MANY_WORDS,)
    addressing = topology.rules.addressing
    asked = [f"{addressing.pattern_noun} {addressing.address(binding.key)}"] if is_pattern else []
    selector = topology.selector(binding) if written is None else written
    asked += [clipped(selector, _MAX_LINE)] if selector is not None else []
    divert = binding.text(DIVERT_ARGUMENT)
    named = "" if divert is None else f"divert {clipped(divert, _MAX_LINE)}: "
    # Without a condition, a binding takes any message. But if the exchange may choose no binding at all, its choice
    # depends on something that is not evaluated here or that only the broker knows.
    choosing = topology.exchange_by_name[binding.source].kind.choosing
    is_open = choosing is not None and choosing.may_choose_none
    return named + (" and ".join(asked) or ("by what is not known here" if is_open else "any message"))


def lacks(topology: Topology, binding: Binding, visit: Visit, message: Message) -> list[Lack]:
    """Return why ``binding`` did not accept ``message`` when it arrived at an exchange (``visit``); empty if it did."""
    unmet = (term for term in topology.condition(binding).terms if not holds(term, message, visit.keys))
    return [lack for term in unmet for lack in _lacks(topology, term, visit.keys, message)]


def _lacks(topology: Topology, term: Condition, keys: Keys, message: Message) -> list[Lack]:
    """Return the reasons why ``message`` does not meet ``term``, one of the terms of a binding's condition."""
    match term:
        case Equal(value=value):
            return [_other_key(str(value.value), keys)]
        case Words():
            return [_other_words(topology, term, keys)]
        case All() | Any():
            return _headers(term, message)
        case Query(text=text):
            return [Lack(f"its query does not hold: {clipped(text, _MAX_TEXT)}", 1.0)]
        case Selector(text=text, dialect=dialect):
            return [Lack(explain_tree(term.tree, text, message, dialect, ANYONE).reason, 0.5)]
        case _:
            raise AssertionError(term)


def _other_key(expected: str, keys: Keys) -> Lack:
    # A message without a routing key (None) is compared like one with the empty key.
    nearness = max((SequenceMatcher(None, key or "", expected).ratio() for key in keys), default=0.0)
    return Lack(f"{_keys_are(keys)}, not {value_text(expected)}", 1.5 - nearness)


def _keys_are(keys: Keys) -> str:
    if keys in ((), (None,)):
        return "the message has no key"
    shown = listed([value_text(key or "") for key in keys], _MAX_HEADERS)
    return f"the key is {shown}" if len(keys) == 1 else f"the keys are {shown}"


def _other_words(topology: Topology, test: Words, keys: Keys) -> Lack:
    partings = [(part_words(test.pattern, test.rules.words(key)), key) for key in keys or (None,)]
    nearest, key = min(partings, key=lambda item: item[0].edits)
    if key is None:
        # The pattern "#" matches an absent routing key with 0 edits. But it does not match an empty list of routing
        # keys (``keys``), so the distance must not be 0.
        return Lack(f"pattern {value_text(test.key)}: the message has no key", nearest.edits or 1)
    named = f"of the key {value_text(key)} " if len(keys) > 1 else ""
    addressing = topology.rules.addressing
    shown = value_text(addressing.address(test.key))
    return Lack(f"{addressing.pattern_noun} {shown}: {named}{nearest.first}", nearest.edits)


def _headers(condition: All | Any, message: Message) -> list[Lack]:
    tests = [test for test in condition.terms if isinstance(test, Present | Equal)]
    if not tests:
        return [Lack("the binding has no x-match, or no header to match, and so takes nothing", 99.0)]
    wrong = [_header(test, value_at(test.message_fields, message)) for test in tests if not holds(test, message)]
    if isinstance(condition, All):
        return [Lack(text, 1.0) for text in wrong]
    return [Lack(wrong[0] if len(wrong) == 1 else f"none of {len(wrong)}: {listed(wrong, _MAX_HEADERS)}", 1.0)]


def _header(test: Present | Equal, actual: AmqpValue | None) -> str:
    named = clipped(test.message_fields[0].field, _MAX_TEXT)
    if actual is None:
        return f"{named} is missing"
    if actual.value is None:
        return f"{named} is null"
    assert isinstance(test, Equal)
    expected = test.value
    first, second = _value(actual), _value(expected)
    if first == second:
        return f"{named} is {actual.type.value} {first}, not {expected.type.value} {second}"
    return f"{named} is {first}, not {second}"


def _value(value: AmqpValue) -> str:
    return f"a {value.type.value}" if isinstance(value.type, Compound) else value_text(coerce(value))


class Parting(NamedTuple):
    """The difference between a routing key and a binding key with wildcards.

    ``edits`` is the minimum number of words to change, add or remove until the routing key matches. ``first`` is the
    first edit, as text.
    """

    edits: int
    first: str


def part_words(pattern: Sequence[str | AnyWord], key: Sequence[str]) -> Parting:
    """Return how a routing key differs from a topic pattern; 0 edits and an empty text for a key that matches."""
    beyond = 0
    if len(pattern) * len(key) > _MAX_PAIRS:
        most = int(_MAX_PAIRS**0.5)
        beyond = abs(len(pattern) - len(key))
        pattern, key = pattern[:most], key[:most]
    costs = _costs(pattern, key)
    return Parting(costs[0][0] + beyond, _first_edit(pattern, key, costs))


def _costs(pattern: Sequence[str | AnyWord], key: Sequence[str]) -> list[list[int]]:
    """Return the edit distances of all suffixes: row i, column j is that of ``pattern[i:]`` and ``key[j:]``."""
    costs = [[0] * (len(key) + 1) for _ in range(len(pattern) + 1)]
    for at in range(len(key) - 1, -1, -1):
        costs[len(pattern)][at] = len(key) - at
    for index in range(len(pattern) - 1, -1, -1):
        word = pattern[index]
        here, after = costs[index], costs[index + 1]
        here[len(key)] = after[len(key)] + (word != MANY_WORDS)
        for at in range(len(key) - 1, -1, -1):
            if word == MANY_WORDS:
                here[at] = min(after[at], here[at + 1])
            else:
                differs = word not in (ONE_WORD, key[at])
                here[at] = min(after[at + 1] + differs, after[at] + 1, here[at + 1] + 1)
    return costs


def _first_edit(pattern: Sequence[str | AnyWord], key: Sequence[str], costs: list[list[int]]) -> str:
    index = at = 0
    while index < len(pattern) or at < len(key):
        cost = costs[index][at]
        if cost == 0:
            break
        if index < len(pattern) and pattern[index] == MANY_WORDS:
            if costs[index + 1][at] == cost:
                index += 1
            else:
                at += 1
            continue
        both = index < len(pattern) and at < len(key)
        differs = both and pattern[index] not in (ONE_WORD, key[at])
        if both and costs[index + 1][at + 1] + differs == cost:
            if differs:
                return f"word {at + 1} is {value_text(key[at])}, not {value_text(str(pattern[index]))}"
            index, at = index + 1, at + 1
        elif index < len(pattern) and costs[index + 1][at] + 1 == cost:
            lacking = "another word" if pattern[index] == ONE_WORD else value_text(str(pattern[index]))
            where = f"behind word {at}" if at else "at its beginning"
            return f"{lacking} is lacking {where}"
        else:
            return f"word {at + 1}, {value_text(key[at])}, is one too many"
    return ""
