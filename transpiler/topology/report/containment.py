"""Containment of bindings: one binding takes every message that another one takes.

Only what is certain counts, so the answer False means "not known". Both bindings are of one exchange.

- Keys of a direct exchange are compared, those of a fanout exchange do not count.
- Keys of a topic exchange are regular languages over words: the inner pattern's automaton is run beside the subset
  construction of the outer one.
- Headers are compared as sets of pairs; a pair with a value implies the presence of its header.
- Selectors and queries are contained in the same text and in none; a selector also in one that it implies by the
  analysis of ``selector.satisfiability``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from transpiler.filters.binding_rules import HeadersMatch
from transpiler.filters.topics import MANY_WORDS, ONE_WORD
from transpiler.message.types import AmqpValue
from transpiler.selector import ast
from transpiler.selector.dialects import find_dialect
from transpiler.selector.grammar import parse_selector
from transpiler.selector.satisfiability import Implication, find_redundancy
from transpiler.topology.broker_rules import TAKING_ALL
from transpiler.topology.choices import is_choosing
from transpiler.topology.model import Binding, Topology

#: Words of two patterns together up to which they are compared.
MAX_WORDS = 24

#: Any word that neither of two patterns names.
_OTHER = ""


def contains(topology: Topology, outer: Binding, inner: Binding) -> bool:
    """Return True if ``outer`` takes every message that ``inner`` takes, to the same place and under the same key."""
    if (outer.source, outer.destination_type, outer.destination) != (
        inner.source,
        inner.destination_type,
        inner.destination,
    ) or topology.replacement_key(outer) != topology.replacement_key(inner):
        return False
    if is_choosing(topology.exchange_by_name[outer.source]):
        # Its bindings share the messages out.
        return False
    match topology.exchange_by_name[outer.source].type:
        case exchange_type if exchange_type in TAKING_ALL:
            keys = True
        case "headers":
            keys = contains_headers(topology.headers(outer), topology.headers(inner))
        case "topic":
            words = topology.rules.topic.words
            keys = contains_pattern(words(outer.key), words(inner.key))
        case _:
            keys = outer.key == inner.key
    if not keys:
        return False
    query = topology.xquery(outer)
    return (query is None or query == topology.xquery(inner)) and _contains_selector(
        topology.selector(outer), topology.selector(inner), topology.rules.dialect
    )


def _contains_selector(outer: str | None, inner: str | None, dialect: str) -> bool:
    if outer is None or outer == inner:
        return True
    return inner is not None and implies(inner, outer, dialect)


@lru_cache(maxsize=4096)
def implies(inner: str, outer: str, dialect: str) -> bool:
    """Return True if a selector implies another one, by the values of the one name that both test."""
    rules = find_dialect(dialect)
    first, second = parse_selector(inner, rules), parse_selector(outer, rules)
    if second is None:
        return True
    if first is None:
        return False
    if first == second:
        return True
    both = ast.And((*_terms(first), second))
    return any(
        isinstance(finding, Implication) and finding.term is second and finding.junction is both
        for finding in find_redundancy(both, rules)
    )


def _terms(tree: ast.Expression) -> tuple[ast.Expression, ...]:
    return tree.terms if isinstance(tree, ast.And) else (tree,)


def contains_headers(outer: HeadersMatch, inner: HeadersMatch) -> bool:
    """Return True if a headers binding takes all messages of another one."""
    if inner.never or (inner.any and not inner.pairs):
        return True
    if outer.never:
        return False
    if not outer.any:
        # Every pair of the outer one follows from each pair of an inner "any", or from some pair of an inner "all".
        return all(_follows(pair, inner) for pair in outer.pairs)
    if inner.any:
        return all(any(_implies(pair, other) for other in outer.pairs) for pair in inner.pairs)
    return any(_implies(pair, other) for pair in inner.pairs for other in outer.pairs)


_Pair = tuple[str, AmqpValue | None]


def _follows(pair: _Pair, inner: HeadersMatch) -> bool:
    implied = [_implies(other, pair) for other in inner.pairs]
    return (all(implied) and bool(implied)) if inner.any else any(implied)


def _implies(pair: _Pair, other: _Pair) -> bool:
    return pair[0] == other[0] and (other[1] is None or pair[1] == other[1])


def contains_pattern(outer: Sequence[str], inner: Sequence[str]) -> bool:
    """Return True if the pattern ``outer`` matches all keys that ``inner`` matches; both as words."""
    if tuple(outer) == tuple(inner) or tuple(outer) == (MANY_WORDS,):
        return True
    if len(outer) + len(inner) > MAX_WORDS:
        return False
    alphabet = {word for word in (*outer, *inner) if word not in (ONE_WORD, MANY_WORDS)} | {_OTHER}
    start = (_closed(inner, {0}), _closed(outer, {0}))
    pending, seen = [start], {start}
    while pending:
        inner_states, outer_states = pending.pop()
        if len(inner) in inner_states and len(outer) not in outer_states:
            return False
        for word in alphabet:
            after = _step(inner, inner_states, word)
            if after and (pair := (after, _step(outer, outer_states, word))) not in seen:
                seen.add(pair)
                pending.append(pair)
    return True


def _closed(pattern: Sequence[str], states: Iterable[int]) -> frozenset[int]:
    """Add the states behind each ``#``, which may match no word."""
    closed = set(states)
    for state in range(len(pattern)):
        if state in closed and pattern[state] == MANY_WORDS:
            closed.add(state + 1)
    return frozenset(closed)


def _step(pattern: Sequence[str], states: frozenset[int], word: str) -> frozenset[int]:
    after = set()
    for state in states:
        if state == len(pattern):
            continue
        if pattern[state] == MANY_WORDS:
            after.add(state)
        elif pattern[state] in (ONE_WORD, word):
            after.add(state + 1)
    return _closed(pattern, after)
