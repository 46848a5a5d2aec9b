"""Selectors that RabbitMQ's JMS client has compiled to Erlang terms, converted back to selectors.

The client binds to an exchange of type ``x-jms-topic`` with the argument ``rjms_erlang_selector``; for
``color = 'red'`` it is ``{'=',{'ident',<<"color">>},<<"red">>}.``. Tuples are operators with their operands, binaries
are strings, and atoms are operators and truth values. A term that is not a selector raises an error with its span; so
does an escape in a string that versions of the broker interpret differently.

A chain of ANDs or ORs, which the client nests, can have any length; other trees have the dialect's limit of levels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, NoReturn

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.erlang_terms import Atom, Characters, ErlangTermError, Simple, read_erlang_term
from transpiler.base.errors import TopologyError, TranspilerError, UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.broker_dialects import RABBITMQ_JMS
from transpiler.language.selector.parsing import parse_selector
from transpiler.language.selector.printer import print_tree

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)

#: The escaped characters that all versions of the broker interpret the same way.
_ESCAPES = frozenset("\\\"'nrt")

_HINT = """the JMS client writes a term like {'=',{'ident',<<"color">>},<<"red">>}."""

_COMPARISONS = {operator.value: operator for operator in Comparison}
_ARITHMETIC = {operator.value: operator for operator in ast.Arithmetic if operator is not ast.Arithmetic.REMAINDER}


@dataclass(frozen=True, slots=True)
class _Chain:
    """Conditions that are joined by AND or OR, in reverse order: the last condition comes first.

    In this order a condition can be appended cheaply, because the client nests the conditions to the right.
    """

    operator: str
    terms: list[ast.Expression]


#: The result of converting a term: a list of strings becomes a tuple, and the bounds of BETWEEN a list.
_Item = Atom | tuple[ast.StringLiteral, ...] | list[ast.Expression] | _Chain | ast.Expression


class _Term(NamedTuple):
    """A converted term. ``depth`` is the depth of nested trees in it, where a chain of ANDs or ORs counts as one."""

    item: _Item
    span: Span
    depth: int = 0


def selector_of_term(text: str, path: str) -> str:
    """Return the selector, in the dialect ``rabbitmq-jms``, that RabbitMQ's JMS client compiled to the term ``text``.

    ``text`` is an Erlang term; ``path`` names it in errors. Raises ``TopologyError`` with the span of a term that is
    not part of a selector.
    """
    try:
        return _selector(text)
    except TranspilerError as error:
        diagnostic = error.diagnostics[0]
        raise TopologyError([replace(diagnostic, source=Source(text, path), path=path)]) from None


@lru_cache(maxsize=4096)
def _selector(text: str) -> str:
    source = Source(text, "term")
    tree = _Builder(source).tree()
    whole = Span(0, len(text))
    selector = print_tree(tree, RABBITMQ_JMS)
    try:
        parsed = parse_selector(selector, RABBITMQ_JMS)
    except UnsupportedFeatureError as error:
        # The selector is valid but exceeds a limit.
        raise TopologyError([replace(error.diagnostics[0], source=source, span=whole)]) from None
    except TranspilerError as error:
        diagnostic = error.diagnostics[0]
        message = f"the term does not represent a selector, because {selector!r} is invalid: {diagnostic.message}"
        raise TopologyError.at("jms-term.selector", message, source, whole) from None
    if parsed != tree:
        raise TopologyError.at(
            "jms-term.selector",
            f"the term does not represent a selector: it was converted to {selector!r}, but a parser reads this "
            "selector differently",
            source,
            whole,
        )
    return selector


def _chained(term: _Term, operator: str) -> list[ast.Expression] | None:
    """Return the conditions of ``term`` if they are joined by ``operator``; else None."""
    match term.item:
        case _Chain(operator=own, terms=terms) if own == operator:
            return terms
        case _:
            return None


def _signed(operator: ast.Arithmetic, operand: ast.Expression) -> ast.Expression:
    """Return ``operand`` with a sign before it. A negative number becomes a single literal, as in a parsed selector."""
    match operand:
        case ast.IntegerLiteral(value=integer) if operator is ast.Arithmetic.SUBTRACT and integer >= 0:
            return ast.IntegerLiteral(-integer)
        case ast.FloatLiteral(value=number) if operator is ast.Arithmetic.SUBTRACT and number >= 0:
            return ast.FloatLiteral(-number)
        case _:
            return ast.Sign(operator, operand)


class _Builder:
    """A converter from an Erlang term to the tree of a selector."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def tree(self) -> ast.Expression:
        try:
            term = read_erlang_term(self.source.text, self.simple, self.compound)
        except ErlangTermError as error:
            self.fail(error.message, error.span)
        return self.expression(term)

    def fail(self, message: str, span: Span, code: str = "jms-term.syntax") -> NoReturn:
        raise TopologyError.at(code, message, self.source, span, _HINT)

    def simple(self, term: Simple, start: int, end: int) -> _Term:
        """Return the conversion of a string, a number or an atom."""
        span = Span(start, end)
        match term:
            case Atom():
                return _Term(term, span)
            case Characters():
                return self.fail(mismatch('a string as <<"text">>', "one in quotes alone"), span)
            case bool():
                return _Term(ast.BooleanLiteral(term), span)
            case int():
                return _Term(ast.IntegerLiteral(term), span)
            case float():
                return _Term(ast.FloatLiteral(term), span)
            case _:
                self.check_escapes(span)
                return _Term(ast.StringLiteral(term), span)

    def check_escapes(self, span: Span) -> None:
        """Raise ``TopologyError`` for an escape in a string that versions of the broker interpret differently."""
        for escape in _ESCAPE.finditer(self.source.text, *span):
            if escape[1] not in _ESCAPES:
                message = f"{escape[0]} has different meanings in different versions of the broker"
                self.fail(message, Span(*escape.span()), "jms-term.escape")

    def compound(self, bracket: str, terms: list[_Term], start: int, end: int) -> _Term:
        """Return the conversion of a tuple or a list with the converted items ``terms``."""
        span = Span(start, end)
        if bracket == "[" and terms:
            return _Term(tuple(self.string(term) for term in terms), span)
        if bracket != "{" or not terms:
            self.fail("expected a tuple with an operator, or a list of strings", span)
        operator = terms[0].item
        if not isinstance(operator, Atom):
            self.fail(mismatch("an operator", "an operand"), terms[0].span)
        operands = terms[1:]
        item = self.build(operator, operands, span)
        depth = 1 + max((term.depth for term in operands), default=0)
        if isinstance(item, _Chain):
            # The client compiles ``a AND b AND c`` to nested terms. They become one chain, so count them as one level.
            depth = max(term.depth + (_chained(term, item.operator) is None) for term in operands)
        if depth > RABBITMQ_JMS.max_nesting:
            self.fail(f"nested more than {RABBITMQ_JMS.max_nesting} levels deep", span, "limit.nesting")
        return _Term(item, span, depth)

    def build(self, operator: str, operands: list[_Term], span: Span) -> _Item:
        match operator, operands:
            case "ident", [name]:
                return ast.Identifier(self.string(name).value)
            case "and" | "or", [left, right]:
                return self.chain(operator, left, right)
            case "not", [operand]:
                return ast.Not(self.expression(operand))
            case "is_null" | "not_null", [operand]:
                return ast.IsNull(self.expression(operand), operator == "not_null")
            case "like" | "not_like", [operand, pattern, escape]:
                is_plain = escape.item == Atom("no_escape")
                escape_text = None if is_plain else self.string(escape)
                negated = operator == "not_like"
                return ast.Like(self.expression(operand), self.string(pattern), escape_text, negated)
            case "in" | "not_in", [operand, members]:
                if not isinstance(members.item, tuple):
                    self.fail("expected a list of strings", members.span)
                return ast.In(self.expression(operand), members.item, operator == "not_in")
            case "range", [low, high]:
                return [self.expression(low), self.expression(high)]
            case "between" | "not_between", [operand, _Term(list() as bounds)]:
                return ast.Between(self.expression(operand), bounds[0], bounds[1], operator == "not_between")
            case "between" | "not_between", [operand, low, high]:
                bounds = [self.expression(low), self.expression(high)]
                return ast.Between(self.expression(operand), bounds[0], bounds[1], operator == "not_between")
            case name, [left, right] if name in _COMPARISONS:
                return ast.Compare(_COMPARISONS[name], self.expression(left), self.expression(right))
            case name, [left, right] if name in _ARITHMETIC:
                return ast.Calculate(_ARITHMETIC[name], self.expression(left), self.expression(right))
            case "+" | "-", [operand]:
                return _signed(_ARITHMETIC[operator], self.expression(operand))
        count = f"{len(operands)} operand{'' if len(operands) == 1 else 's'}"
        return self.fail(f"no selector has the operator {operator!r} with {count}", span, "jms-term.operator")

    def chain(self, operator: str, left: _Term, right: _Term) -> _Chain:
        # Extend the list of terms of the inner AND or OR instead of copying it, because nothing else uses this list.
        joined = _chained(right, operator) or [self.expression(right)]
        joined.extend(_chained(left, operator) or [self.expression(left)])
        return _Chain(operator, joined)

    def string(self, term: _Term) -> ast.StringLiteral:
        if isinstance(term.item, ast.StringLiteral):
            return term.item
        return self.fail(mismatch('a string as <<"text">>', "another term"), term.span)

    def expression(self, term: _Term) -> ast.Expression:
        match term.item:
            case _Chain(operator=operator, terms=reversed_terms):
                terms = tuple(reversed(reversed_terms))
                return ast.And(terms) if operator == "and" else ast.Or(terms)
            case Atom() as name:
                return self.fail(mismatch("an operand", f"the atom {name}"), term.span)
            case tuple():
                return self.fail(mismatch("an operand", "a list"), term.span)
            case list():
                return self.fail(mismatch("an operand", "the bounds of BETWEEN"), term.span)
            case tree:
                return tree
