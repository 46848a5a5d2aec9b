"""Candidates for a condition in another dialect. A ``Trial`` then accepts only equivalent candidates.

No code here is specific to a broker, and a candidate need not be exact. The likeliest candidate comes first, because
the first equivalent candidate is chosen.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from transpiler.base.comparison import Comparison
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.source import Source
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Escapes
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.language.selector.pattern import pattern_of
from transpiler.language.translation.field_mapping import names_in
from transpiler.language.translation.header_names import translate_tree
from transpiler.message.header_fields import Conversion
from transpiler.message.message import Message
from transpiler.reference.evaluate import value_of
from transpiler.tools.analysis.constants import is_constant
from transpiler.tools.dialect_tools.port.equivalence import Goal

Change = Callable[[ast.Expression], ast.Expression]
_Literal = TypeVar("_Literal", ast.StringLiteral, ast.IntegerLiteral, ast.FloatLiteral)

_MODES = {"DURABLE": "PERSISTENT", "NON_DURABLE": "NON_PERSISTENT"}


def plain(node: ast.Expression, source: Dialect, target: Dialect, goal: Goal) -> Iterator[ast.Expression]:
    """Yield candidates for the port of ``node`` that have no guards (added tests such as IS NULL)."""
    negative = (True in goal.truths) is not goal.into
    seen = set()
    for base in _translated(node, source, target):
        for shape in _shapes(base, source):
            for variant in _negations(shape) if negative else (shape,):
                if variant not in seen:
                    seen.add(variant)
                    yield variant


def is_like(candidate: ast.Expression, node: ast.Expression) -> bool:
    """Return True if ``candidate`` is the same kind of test as ``node``, or the NOT of such a test."""
    test = candidate.operand if isinstance(candidate, ast.Not) else candidate
    if type(test) is not type(node):
        return False
    if isinstance(test, ast.Compare) and isinstance(node, ast.Compare):
        # If the source's comparison has the literal on the right, so must the candidate, because people usually write
        # it there.
        return is_constant(node.left) or not is_constant(test.left)
    return True


def guarded(conditions: list[ast.Expression]) -> Iterator[ast.Expression]:
    """Yield each of ``conditions`` combined with guards: IS NULL or IS NOT NULL tests of its names."""
    for condition in conditions:
        names = ast.names_of(condition)
        if not names or len(names) > 3:
            continue
        for count in range(1, len(names) + 1):
            for some in itertools.combinations(names, count):
                absent = tuple(ast.IsNull(name) for name in some)
                yield _all(*(ast.IsNull(name, negated=True) for name in some), condition)
                yield _any(condition, *absent)
                if len(names) > 1:
                    yield _any(
                        condition,
                        _all(*absent, *(ast.IsNull(name, negated=True) for name in names if name not in some)),
                    )


def texts(conditions: list[ast.Expression]) -> Iterator[ast.Expression]:
    """Yield each condition with LIKE or IN, combined with a guard that its operand is a string, or that it is not."""
    empty = ast.StringLiteral("")
    for condition in conditions:
        tested = (inner.operand for inner in ast.walk(condition) if isinstance(inner, ast.Like | ast.In))
        for name in dict.fromkeys(operand for operand in tested if isinstance(operand, ast.Identifier)):
            yield _all(condition, ast.Like(name, ast.StringLiteral("%")))
            yield _any(condition, ast.Like(name, ast.StringLiteral("%"), negated=True))
            pairs = (
                tuple(ast.Compare(operator, name, empty) for operator in (Comparison.EQ, Comparison.NE)),
                (ast.In(name, (empty,)), ast.In(name, (empty,), negated=True)),
            )
            for pair in pairs:
                yield _all(condition, _any(*pair))
                yield _any(condition, _all(*pair))
                yield _any(condition, ast.Not(_any(*pair)))
                yield _all(condition, ast.Not(_all(*pair)))
                yield _any(condition, ast.IsNull(name), ast.Not(_any(*pair)))
                yield _all(ast.IsNull(name, negated=True), condition, _any(*pair))


def ordered(conditions: list[ast.Expression]) -> Iterator[ast.Expression]:
    """Yield ``conditions`` with an added upper bound for each name that is compared with a number.

    RabbitMQ compares values in the order of Erlang's terms, in which strings and booleans are greater than all numbers.
    The bound excludes them.
    """
    for condition in conditions:
        for name in ast.names_of(condition):
            yield _all(condition, ast.Compare(Comparison.LE, name, ast.FloatLiteral(sys.float_info.max)))


def finite(conditions: list[ast.Expression]) -> Iterator[ast.Expression]:
    """Yield those ``conditions`` that have one name, combined with tests that exclude NaN and infinities.

    Only a port that must be exact for every value needs these tests.
    """
    for condition in conditions:
        names = ast.names_of(condition)
        if len(names) == 1:
            yield _any(condition, ast.Compare(Comparison.NE, names[0], names[0]))
            yield _all(condition, ast.Compare(Comparison.EQ, names[0], names[0]))
            yield _all(condition, ast.Compare(Comparison.LE, names[0], ast.FloatLiteral(math.inf)))


def _translated(node: ast.Expression, source: Dialect, target: Dialect) -> Iterator[ast.Expression]:
    """Yield ``node`` with the target's names for header fields, first unchanged otherwise, then in other notations.

    For example, constants are replaced by their values, or integers by floating-point numbers.
    """
    for renamed in _renamed(node, source, target):
        yield renamed
        for changed in (
            _rewritten(renamed, source),
            _mapped(renamed, _without_plus),
            _cut(renamed, target),
            _modes(node, renamed, source, target),
            _folded(renamed, source),
            _divided(_folded(renamed, source)),
            _floating(_folded(renamed, source)),
            _whole(renamed),
        ):
            if changed != renamed:
                yield changed


def _renamed(node: ast.Expression, source: Dialect, target: Dialect) -> Iterator[ast.Expression]:
    names = ast.names_of(node)
    choices = [names_in(name, source, target)[:3] for name in names]
    for row in itertools.islice(itertools.product(*choices), 6):
        table = dict(zip(names, row, strict=True))
        yield _mapped(node, _by_table(table))
    if source.fields.wire_prefix:
        try:
            known = translate_tree(node, "jms", Source(""))
        except UnsupportedFeatureError:
            return
        if known != node:
            yield from _renamed(known, source, target)


def _without_plus(node: ast.Expression) -> ast.Expression:
    """Return the operand if ``node`` is a unary plus, else ``node``.

    Some parsers discard a unary plus, so a tree with it would not be equal to the tree that the target parses.
    """
    return node.operand if isinstance(node, ast.Sign) and node.operator is ast.Arithmetic.ADD else node


def _by_table(table: Mapping[ast.Identifier, ast.Identifier]) -> Change:
    return lambda node: table.get(node, node) if isinstance(node, ast.Identifier) else node


def _mapped(node: ast.Expression, change: Change) -> ast.Expression:
    """Return ``node`` with every subexpression ``part`` replaced by ``change(part)``, from the leaves up."""
    node = ast.exchanged(node, lambda part: _mapped(part, change))
    if isinstance(node, ast.Like):
        pattern = change(node.pattern)
        node = replace(node, pattern=pattern if isinstance(pattern, ast.StringLiteral) else node.pattern)
    return change(node)


def _rewritten(tree: ast.Expression, source: Dialect) -> ast.Expression:
    """Replace each string literal that the source dialect rewrites, such as a delivery mode, by the rewritten value."""
    table = dict(source.fields.rewritten)
    return _with_literals(tree, ast.StringLiteral, lambda node: replace(node, value=table.get(node.value, node.value)))


def _with_literals(
    tree: ast.Expression, kind: type[_Literal], change: Callable[[_Literal], ast.Expression]
) -> ast.Expression:
    """Return ``tree`` with ``change(literal)`` in place of every literal of the class ``kind``."""
    return _mapped(tree, lambda node: change(node) if isinstance(node, kind) else node)


def _cut(tree: ast.Expression, target: Dialect) -> ast.Expression:
    """Write each string literal that the target would rewrite as a sum of two literals: ``'abc'`` → ``'ab' + 'c'``.

    The target does not rewrite the two shorter literals.
    """
    words = dict(target.fields.rewritten)

    def change(node: ast.StringLiteral) -> ast.Expression:
        if node.value not in words:
            return node
        return ast.Calculate(ast.Arithmetic.ADD, ast.StringLiteral(node.value[:-1]), ast.StringLiteral(node.value[-1:]))

    return _with_literals(tree, ast.StringLiteral, change)


def _modes(node: ast.Expression, tree: ast.Expression, source: Dialect, target: Dialect) -> ast.Expression:
    """Return ``tree`` with the source's words for the delivery mode, such as DURABLE, replaced by the target's words.

    ``node`` is the source's condition, and ``tree`` the same condition with the target's names.
    """
    durable = [_names_durability(node, source), _names_durability(tree, target)]
    if durable[0] == durable[1]:
        return tree
    table = _MODES if durable[0] else {mode: word for word, mode in _MODES.items()}
    words = dict(source.fields.rewritten)

    def change(inner: ast.StringLiteral) -> ast.Expression:
        word = words.get(inner.value, inner.value)
        return replace(inner, value=table.get(word, word))

    return _with_literals(tree, ast.StringLiteral, change)


def _names_durability(tree: ast.Expression, dialect: Dialect) -> bool:
    fields = (dialect.fields.find(name.name, name.section) for name in ast.names_of(tree))
    return any(field is not None and field.has_conversion(Conversion.DURABILITY) for field in fields)


def _folded(tree: ast.Expression, source: Dialect) -> ast.Expression:
    """Replace each operand that has no names by its value under the rules of the source dialect."""

    def change(node: ast.Expression) -> ast.Expression:
        if not isinstance(node, ast.Calculate | ast.Sign | ast.Call | ast.BinaryLiteral) or not is_constant(node):
            return node
        match value_of(node, Message(), source):
            case bool() as truth:
                return ast.BooleanLiteral(truth, node.span)
            case int() as number:
                return ast.IntegerLiteral(number, node.span)
            case float() as number if not math.isnan(number):
                return ast.FloatLiteral(number, node.span)
            case str() as text:
                return ast.StringLiteral(text, node.span)
            case _:
                return node

    return _mapped(tree, change)


def _floating(tree: ast.Expression) -> ast.Expression:
    """Replace integer literals by floating-point literals, so that no division truncates and no integer overflows."""
    return _with_literals(
        tree,
        ast.IntegerLiteral,
        lambda node: ast.FloatLiteral(float(node.value), node.span) if abs(node.value) < 2**1000 else node,
    )


def _divided(tree: ast.Expression) -> ast.Expression:
    """Replace integer literals by floating-point literals, but only inside arithmetic expressions."""

    def change(node: ast.Expression) -> ast.Expression:
        if isinstance(node, ast.Calculate):
            return replace(node, left=_floating(node.left), right=_floating(node.right))
        return node

    return _mapped(tree, change)


def _whole(tree: ast.Expression) -> ast.Expression:
    """Replace floating-point literals that are whole numbers by integer literals."""
    return _with_literals(
        tree,
        ast.FloatLiteral,
        lambda node: ast.IntegerLiteral(int(node.value), node.span) if node.value.is_integer() else node,
    )


def _shapes(node: ast.Expression, source: Dialect) -> Iterator[ast.Expression]:
    yield node
    match node:
        case ast.Compare():
            yield from _comparisons(node)
        case ast.Between(operand=operand, low=low, high=high, negated=negated):
            above, below = (Comparison.LT, Comparison.GT) if negated else (Comparison.GE, Comparison.LE)
            pair = (ast.Compare(above, operand, low), ast.Compare(below, operand, high))
            yield (ast.Or if negated else ast.And)(pair)
            yield ast.Not(replace(node, negated=not negated))
        case ast.In(operand=operand, members=members, negated=negated):
            equal = [ast.Compare(Comparison.EQ, operand, member) for member in members]
            if negated:
                yield ast.Not(replace(node, negated=False))
                yield _all(*(replace(one, operator=Comparison.NE) for one in equal))
                yield ast.Not(_any(*equal))
            else:
                yield _any(*equal)
            known = tuple(member for member in members if not _is_null(member, source))
            if known and len(known) < len(members):
                yield from _shapes(replace(node, members=known), source)
        case ast.Like():
            yield from itertools.islice(_likes(node, source.escapes), 1, None)
            if node.negated:
                for like in _likes(replace(node, negated=False), source.escapes):
                    yield ast.Not(like)
        case ast.IsNull(operand=operand, negated=negated):
            tests = [ast.IsNull(name, negated) for name in ast.names_of(operand)]
            if tests:
                yield _all(*tests) if negated else _any(*tests)
            yield ast.BooleanLiteral(negated)
        case ast.Call():
            yield from _calls(node, source)
        case ast.Identifier() | ast.Sign(operand=ast.Identifier()):
            name = node if isinstance(node, ast.Identifier) else node.operand
            yield name
            yield ast.Compare(Comparison.EQ, name, ast.BooleanLiteral(True))
        case _:
            pass
    if is_constant(node) or any(_is_null(part, source) for part in ast.children(node)):
        yield from (ast.BooleanLiteral(truth) for truth in (True, False))


def _is_null(node: ast.Expression, source: Dialect) -> bool:
    """Return True if ``node`` is a constant expression that is NULL in the source, as 'a' + 'b' can be."""
    computed = isinstance(node, ast.Calculate | ast.Sign | ast.Call)
    return computed and is_constant(node) and value_of(node, Message(), source) is None


def _comparisons(node: ast.Compare) -> Iterator[ast.Expression]:
    mirrored = replace(node, operator=node.operator.mirrored, left=node.right, right=node.left)
    for comparison in (node, mirrored):
        yield comparison
        yield ast.Not(replace(comparison, operator=comparison.operator.negated))
    for first, second in ((node.left, node.right), (node.right, node.left)):
        if node.operator is Comparison.NE and isinstance(second, ast.IntegerLiteral | ast.FloatLiteral):
            # Use "below or above" for "not equal". The two differ for NaN, which is neither below nor above any number.
            below, above = (ast.Compare(side, first, second) for side in (Comparison.LT, Comparison.GT))
            yield _any(below, above)
        if node.operator.is_equality and isinstance(second, ast.BooleanLiteral):
            agrees = second.value is (node.operator is Comparison.EQ)
            yield first if agrees else ast.Not(first)
            flipped = ast.Compare(node.operator.negated, first, ast.BooleanLiteral(not second.value))
            yield flipped
        if node.operator.is_equality and isinstance(second, ast.StringLiteral):
            yield ast.In(first, (second,), node.operator is Comparison.NE)
            yield ast.Not(ast.In(first, (second,))) if node.operator is Comparison.NE else ast.In(first, (second,))


def _calls(node: ast.Call, source: Dialect) -> Iterator[ast.Expression]:
    match node:
        case ast.Call(function="REGEX", arguments=(ast.StringLiteral(value=expression), tested)):
            parts = _from_regular(expression)
            if parts is None:
                return
            for pattern, escape in _written(parts):
                like = ast.Like(tested, pattern, escape)
                yield like
                yield from itertools.islice(_likes(like, JMS.escapes), 1, None)
        case ast.Call(function="INLIST", arguments=(listed, tested)) if is_constant(listed):
            texts = _list_of(listed)
            if texts:
                member = ast.In(tested, tuple(ast.StringLiteral(text) for text in texts))
                yield from _shapes(member, source)
        case _:
            return


def _list_of(node: ast.Expression) -> list[str]:
    """Return the strings of a constant list in ActiveMQ's functions: ``MAKELIST('a', 'b')`` or ``SPLIT('a,b', ',')``.

    The result is empty for any other ``node``.
    """
    match node:
        case ast.Call(function="MAKELIST", arguments=arguments):
            texts = [item.value for item in arguments if isinstance(item, ast.StringLiteral)]
            return texts if len(texts) == len(arguments) else []
        case ast.Call(function="SPLIT", arguments=(ast.StringLiteral(value=text), ast.StringLiteral(value=mark), *_)):
            return text.split(mark) if (mark and mark.isalnum()) or mark in ",;: -" else []
        case _:
            return []


def _negations(node: ast.Expression) -> Iterator[ast.Expression]:
    """Yield conditions that are TRUE when ``node`` is FALSE."""
    match node:
        case ast.Not(operand=operand):
            yield operand
        case ast.Compare(operator=operator):
            if operator.is_equality:
                yield replace(node, operator=operator.negated)
            yield ast.Not(node)
            yield replace(node, operator=operator.negated)
        case ast.Between(negated=negated) | ast.In(negated=negated) | ast.Like(negated=negated):
            yield replace(node, negated=not negated)
            yield ast.Not(node)
        case ast.IsNull(negated=negated):
            yield replace(node, negated=not negated)
        case ast.BooleanLiteral(value=value):
            yield ast.BooleanLiteral(not value)
        case ast.And(terms=terms):
            yield ast.Not(node)
            yield _any(*(next(_negations(term)) for term in terms))
        case ast.Or(terms=terms):
            yield ast.Not(node)
            yield _all(*(next(_negations(term)) for term in terms))
        case ast.Identifier():
            yield ast.Not(node)
            yield ast.Compare(Comparison.EQ, node, ast.BooleanLiteral(False))
        case _:
            yield ast.Not(node)


def _all(*terms: ast.Expression) -> ast.Expression:
    return joined(ast.And, terms)


def _any(*terms: ast.Expression) -> ast.Expression:
    return joined(ast.Or, terms)


def joined(kind: type[ast.And] | type[ast.Or], terms: tuple[ast.Expression, ...]) -> ast.Expression:
    """Return ``terms`` joined by AND or OR, with nested junctions of this ``kind`` flattened; or the single term."""
    flat = tuple(inner for term in terms for inner in (term.terms if isinstance(term, kind) else (term,)))
    return flat[0] if len(flat) == 1 else kind(flat)


_ESCAPES = ("!", "\\", "~", "#", "|", "^")
_SIMPLE = re.compile(r"(?P<start>\^)?(?P<middle>(?:\.\*|\.|\\[^A-Za-z0-9]|[^\\.*+?()\[\]{}|^$])*)(?P<end>\$)?")
_PIECE = re.compile(r"\.\*|\.|\\(?P<escaped>.)|(?P<plain>.)", re.DOTALL)


def _written(parts: Pattern) -> Iterator[tuple[ast.StringLiteral, ast.StringLiteral | None]]:
    """Yield LIKE patterns, as literals, that mean the same as the parsed pattern ``parts``.

    Each comes with its escape character as a literal, or None if it has no escapes.
    """
    texts = "".join(part for part in parts if isinstance(part, str))
    if not set(texts) & {"%", "_"}:
        yield ast.StringLiteral(_pattern_text(parts, "")), None
        return
    for escape in _ESCAPES:
        if escape not in texts:
            yield ast.StringLiteral(_pattern_text(parts, escape)), ast.StringLiteral(escape)


def _pattern_text(parts: Pattern, escape: str) -> str:
    return "".join(
        part.value if isinstance(part, Wildcard) else re.sub("[%_]", lambda match: escape + match[0], part)
        for part in parts
    )


def _likes(node: ast.Like, escapes: Escapes) -> Iterator[ast.Expression]:
    """Yield ``node``, then the LIKE with other escape characters; without wildcards, also an equality."""
    yield node
    parts = pattern_of(node, escapes)
    if parts is None:
        return
    for pattern, escape in _written(parts):
        yield ast.Like(node.operand, pattern, escape, node.negated)
    if all(isinstance(part, str) for part in parts):
        operator = Comparison.NE if node.negated else Comparison.EQ
        yield ast.Compare(operator, node.operand, ast.StringLiteral("".join(map(str, parts))))


def _from_regular(expression: str) -> Pattern | None:
    """Return the LIKE pattern that is equivalent to the regular ``expression``.

    None if the expression has anything but text, ``.``, ``.*`` and anchors at its ends.
    """
    match = _SIMPLE.fullmatch(expression)
    if match is None:
        return None
    parts: list[str | Wildcard] = [] if match["start"] else [Wildcard.ANY]
    for piece in _PIECE.finditer(match["middle"]):
        part = {".*": Wildcard.ANY, ".": Wildcard.ONE}.get(piece[0], piece["escaped"] or piece["plain"])
        if not (part is Wildcard.ANY and parts and parts[-1] is Wildcard.ANY):
            parts.append(part)
    if not match["end"] and not (parts and parts[-1] is Wildcard.ANY):
        parts.append(Wildcard.ANY)
    return tuple(parts)
