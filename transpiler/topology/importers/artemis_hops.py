"""Names in filters of Artemis that say how a message came to an address: replaced by what is known there (rule 10).

``AMQAddress`` is the address itself. After a divert, or on the way to a dead letter address, the broker sets
``_AMQ_ORIG_ADDRESS``, ``_AMQ_ORIG_QUEUE``, ``_AMQ_ORIG_ROUTING_TYPE`` and ``_AMQ_ORIG_MESSAGE_ID``, in the place of
what the message had by these names. So a topology with filters that read them has its exchanges once for each way.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from transpiler.selector import ast
from transpiler.selector.dialects import ARTEMIS
from transpiler.selector.grammar import parse_selector

ADDRESS = "AMQAddress"
_ORIGINAL_ADDRESS, _ORIGINAL_QUEUE = "_AMQ_ORIG_ADDRESS", "_AMQ_ORIG_QUEUE"
_ORIGINAL_TYPE, _ORIGINAL_ID = "_AMQ_ORIG_ROUTING_TYPE", "_AMQ_ORIG_MESSAGE_ID"

_NAMES = frozenset({ADDRESS, _ORIGINAL_ADDRESS, _ORIGINAL_QUEUE, _ORIGINAL_TYPE, _ORIGINAL_ID})

_ROUTING_TYPES = {"ANYCAST": 1, "MULTICAST": 0}

#: Numbers of messages: none is known, and all are positive.
_SOME_ID = 1


#: A name that is null in every message: a literal NULL is no operand.
_NULL = "JMSDestination"


class Hop(NamedTuple):
    """What the broker sets when it sends a message on: ``queue`` is the divert's name, None for dead letters.

    ``address`` is the one before, None where it is not known.
    """

    name: str
    address: str | None
    type: str | None
    queue: str | None = None


def reads_hops(selector: str | None) -> bool:
    """Return True if a filter reads how the message came."""
    return selector is not None and any(name in selector for name in _NAMES) and bool(_read_names(selector))


def filter_at(selector: str, hop: Hop | None, address: str | None) -> tuple[str | None, bool]:
    """Return a filter with what is known at an address in the place of names; False if its answer is not certain.

    There is no filter where it depends on what nobody knows: every message may match then.
    """
    if not reads_hops(selector):
        return selector, True
    tree = _parsed(selector)
    assert tree is not None
    certain = True
    edits: list[tuple[int, int, str]] = []
    nulls: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.IsNull) and isinstance(node.operand, ast.Identifier) and node.operand.name in _NAMES:
            value = _value(node.operand.name, hop, address)
            if value is _UNKNOWN and node.operand.name == _ORIGINAL_ADDRESS:
                value = ""
            if value is _OWN or value is _UNKNOWN:
                continue
            nulls.add(node.operand.span.start)
            is_null = (value is None) is not node.negated
            edits.append((node.span.start, node.span.end, "TRUE" if is_null else "FALSE"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Identifier) and node.name in _NAMES and node.span.start not in nulls:
            value = _value(node.name, hop, address)
            if value is _OWN:
                continue
            if value is _UNKNOWN:
                return None, False
            certain &= node.name != _ORIGINAL_ID
            edits.append((node.span.start, node.span.end, _literal(value)))
    for start, end, text in sorted(edits, reverse=True):
        selector = selector[:start] + text + selector[end:]
    return selector, certain


class _Mark:
    pass


#: The message's own property, and a value that nobody knows here.
_OWN, _UNKNOWN = _Mark(), _Mark()


def _value(name: str, hop: Hop | None, address: str | None) -> str | int | _Mark | None:
    if name == ADDRESS:
        return _UNKNOWN if address is None else address
    if hop is None:
        return _OWN
    match name:
        case "_AMQ_ORIG_ADDRESS":
            return _UNKNOWN if hop.address is None else hop.address
        case "_AMQ_ORIG_QUEUE":
            return hop.queue
        case "_AMQ_ORIG_ROUTING_TYPE":
            return None if hop.type is None else _ROUTING_TYPES[hop.type]
        case _:
            return _SOME_ID


def _literal(value: str | int | _Mark | None) -> str:
    match value:
        case None:
            return _NULL
        case int():
            return str(value)
        case _:
            return "'" + str(value).replace("'", "''") + "'"


@lru_cache(maxsize=1024)
def _parsed(selector: str) -> ast.Expression | None:
    return parse_selector(selector, ARTEMIS)


def _read_names(selector: str) -> set[str]:
    tree = _parsed(selector)
    if tree is None:
        return set()
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.Identifier)} & _NAMES
