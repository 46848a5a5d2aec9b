"""Partial evaluation of the selectors of JMS brokers: names are replaced by their known values.

A condition on a value that only the broker knows, or that this project does not evaluate, may be true or false. Because
three-valued logic is monotone, there are two bounds. If each such condition is replaced by TRUE (by FALSE under NOT),
the result is TRUE whenever the selector may be TRUE. With the opposite values, it is TRUE only if the selector is TRUE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.regex.search import compile_regular
from transpiler.base.regex.syntax import RegexError
from transpiler.base.source import Span
from transpiler.language.path_expressions.xpath import outside
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Extension
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.parsing import parse_tree


class Unknown(Enum):
    """A value of a selector's name that is not a constant when the topology is read, before there is a message."""

    #: The value is the message's own property of the same name.
    OWN = "own"
    #: The value is unknown, but not NULL.
    SOME = "some"
    #: The value of the name is unknown when the topology is read, and it may be NULL.
    PERHAPS = "perhaps"


#: What is known of a name's value: a constant, None for NULL, or a kind of unknown value.
Known = str | int | None | Unknown

#: A name that stands for NULL in a selector whose names are replaced by values, because a literal NULL cannot be an
#: operand. These messages have no JMSDestination.
_NULL = "JMSDestination"

#: The functions of ActiveMQ's selectors that take a regular expression, by name, with the index of this argument.
_PATTERNS = {"REGEX": 0, "REPLACE": 1, "SPLIT": 1}


class Decided(NamedTuple):
    """The result of evaluating a selector partially, with the values of some of its names.

    If ``certain`` is True, ``selector`` is equivalent to the original selector. Otherwise ``selector`` is an upper
    bound (every message for which the original is TRUE matches it), and ``sufficient`` is a lower bound (the original
    is TRUE for every message that matches it). ``selector`` None matches every message, ``sufficient`` None matches no
    message. ``names`` are the names whose values are unknown.
    """

    selector: str | None
    certain: bool = True
    sufficient: str | None = None
    names: frozenset[str] = frozenset()


def reads_names(selector: str | None, names: Set[str], dialect: Dialect) -> bool:
    """Return True if ``selector`` reads one of ``names``."""
    if selector is None or not any(name in selector for name in names):
        return False
    try:
        tree = parsed(selector, dialect)
    except UnsupportedFeatureError:
        return False
    return tree is not None and any(isinstance(node, ast.Identifier) and node.name in names for node in ast.walk(tree))


def may_be_open(selector: str, names: Set[str], dialect: Dialect) -> bool:
    """Return False if the result of ``selector`` certainly does not depend on the values of ``names``.

    The test is cheaper than ``with_known_names``, and may return True for a selector that does not depend on them.
    """
    if len(selector) > dialect.max_nesting or any(name in selector for name in (*names, *dialect.fields.unreadable)):
        return True
    if dialect.has(Extension.XPATH) and "XPATH" in selector.upper():
        return True
    return dialect.has(Extension.FUNCTIONS) and any(function in selector.upper() for function in _PATTERNS)


def reasons(selector: str, dialect: Dialect) -> Iterator[str]:
    """Yield the reasons why this project cannot evaluate parts of ``selector``, whatever the message is."""
    try:
        tree = parsed(selector, dialect)
    except UnsupportedFeatureError as error:
        yield error.diagnostics[0].message
        return
    for name in sorted(with_known_names(selector, lambda _: Unknown.OWN, dialect).names):
        yield f"{name} is {dialect.fields.unreadable[name]}"
    parts = (_not_served(node) for node in ast.walk(tree)) if tree is not None else ()
    yield from dict.fromkeys(part for part in parts if part is not None)


def with_known_names(selector: str, value: Callable[[str], Known], dialect: Dialect) -> Decided:
    """Return ``selector`` evaluated as far as the values of its names are known.

    ``value`` is a function from a name to what is known of the value of this name.
    """
    try:
        tree = parsed(selector, dialect)
    except UnsupportedFeatureError:
        return Decided(None, certain=False)
    if tree is None:
        return Decided(selector)
    values = _Values(value, dialect)
    edits: list[tuple[int, int, str]] = []
    decided: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.IsNull) and isinstance(node.operand, ast.Identifier):
            known = values(node.operand.name)
            if known not in (Unknown.OWN, Unknown.PERHAPS):
                decided.add(node.operand.span.start)
                text = "TRUE" if (known is None) is not node.negated else "FALSE"
                edits.append((node.span.start, node.span.end, text))
    for node in ast.walk(tree):
        if isinstance(node, ast.Identifier) and node.span.start not in decided:
            known = values(node.name)
            if not isinstance(known, Unknown):
                edits.append((node.span.start, node.span.end, _literal(known)))
    open_conditions = [*_open(tree, True, values, decided)]
    if not open_conditions:
        return Decided(_edited(selector, edits))
    names = (node.name for one, _ in open_conditions for node in ast.walk(one) if isinstance(node, ast.Identifier))
    unknown = frozenset(name for name in names if isinstance(values(name), Unknown) and values(name) is not Unknown.OWN)
    spans = {each.span for each, _ in open_conditions}

    def bound(upper: bool) -> str | None:
        """Return the selector with TRUE or FALSE in place of each open condition.

        If ``upper``, it matches every message that the original selector may match; None means every message. Otherwise
        it matches only messages that the original selector certainly matches; None means no message.
        """
        if _folded(tree, upper, spans) is upper:
            return None
        replaced = [
            (each.span.start, each.span.end, str(positive is upper).upper()) for each, positive in open_conditions
        ]
        kept = [edit for edit in edits if not any(start <= edit[0] and edit[1] <= end for start, end, _ in replaced)]
        return _edited(selector, kept + replaced)

    may_throw = any(not _is_plain_test(each) for each, _ in open_conditions)
    return Decided(bound(True), False, None if may_throw else bound(False), unknown)


def _folded(node: ast.Expression, value: bool, spans: Set[Span]) -> bool | None:
    """Return the truth value of ``node`` if the conditions at ``spans``, whose results are unknown, become ``value``.

    Below a NOT, the conditions become the opposite, so that ``node`` becomes as true, or as false, as possible. Return
    None if the truth value also depends on other conditions.
    """
    if node.span in spans:
        return value
    match node:
        case ast.ConvertStrings(condition=condition):
            return _folded(condition, value, spans)
        case ast.Not(operand=operand):
            inner = _folded(operand, not value, spans)
            return None if inner is None else not inner
        case ast.And(terms=terms) | ast.Or(terms=terms):
            decides = isinstance(node, ast.Or)
            truths = {_folded(term, value, spans) for term in terms}
            return decides if decides in truths else None if None in truths else not decides
        case _:
            return None


class _Values:
    """A function from a name to what is known of its value: ``SOME`` for names that only the broker can read.

    For any other name it returns the result of ``value``.
    """

    def __init__(self, value: Callable[[str], Known], dialect: Dialect) -> None:
        self._value, self._unreadable = value, dialect.fields.unreadable

    def __call__(self, name: str) -> Known:
        return Unknown.SOME if name in self._unreadable else self._value(name)


def _open(
    node: ast.Expression, positive: bool, values: _Values, decided: Set[int]
) -> Iterator[tuple[ast.Expression, bool]]:
    """Yield the conditions in ``node`` whose result is unknown.

    Each comes with True if its polarity is positive: an even number of NOTs is around it. ``decided`` are the positions
    of names in IS NULL tests whose result is known.
    """
    match node:
        case ast.ConvertStrings(condition=condition):
            yield from _open(condition, positive, values, decided)
        case ast.And(terms=terms) | ast.Or(terms=terms):
            for term in terms:
                yield from _open(term, positive, values, decided)
        case ast.Not(operand=operand):
            yield from _open(operand, not positive, values, decided)
        case _ if any(_is_open(each, values, decided) for each in ast.walk(node)):
            yield node, positive


def _is_open(node: ast.Expression, values: _Values, decided: Set[int]) -> bool:
    if isinstance(node, ast.Identifier) and node.span.start not in decided:
        known = values(node.name)
        return isinstance(known, Unknown) and known is not Unknown.OWN
    return _not_served(node) is not None


def _not_served(node: ast.Expression) -> str | None:
    """Return why a call with a regular expression, or an XPath, is not evaluated; None if ``node`` can be evaluated."""
    if isinstance(node, ast.BodyQuery):
        part = outside(node.query.value) if node.language == "XPATH" else None
        return None if part is None else f"{part} of an XPath is not served"
    number = _PATTERNS.get(node.function) if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or number is None or len(node.arguments) <= number:
        return None
    pattern = node.arguments[number]
    if not isinstance(pattern, ast.StringLiteral):
        return None
    try:
        compile_regular(pattern.value)
    except RegexError as error:
        # If the expression is invalid (``wrong``), this project can evaluate the call: like the broker, it throws an
        # exception.
        return None if error.wrong else f"the regular expression of {node.function} is not served"
    return None


def _is_plain_test(node: ast.Expression) -> bool:
    """Return True if the condition ``node`` compares only one name with literals, so that it never throws."""
    parts = ast.children(node)
    names = sum(isinstance(each, ast.Identifier) for each in parts)
    return names < 2 and all(isinstance(each, (ast.Identifier, *ast.LITERALS)) for each in parts)


def _edited(selector: str, edits: list[tuple[int, int, str]]) -> str:
    for start, end, text in sorted(edits, reverse=True):
        selector = selector[:start] + text + selector[end:]
    return selector


def _literal(value: str | int | None) -> str:
    if isinstance(value, str):
        return string_literal(value)
    return _NULL if value is None else str(value)


@lru_cache(maxsize=16_384)
def parsed(selector: str, dialect: Dialect) -> ast.Expression | None:
    """Return the tree of a selector, with a cache, because each filter is read for each path of a message."""
    return parse_tree(selector, dialect)
