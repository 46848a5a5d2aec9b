"""Put the constant that a text equals into the other tests of that text, which are then decided."""

from __future__ import annotations

from transpiler.compiler import ir
from transpiler.language.selector.ast import Comparison


def substitute_constant(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a = 'red' AND NOT rlike(trim(a), '^[0-9]')`` as ``a = 'red'``: what the text is decides the others."""
    if not isinstance(node, ir.And) or not any(isinstance(term, ir.Matches) for term in node.terms):
        return node
    for term in node.terms:
        match term:
            case ir.Compare(operator=Comparison.EQ, left=text, right=ir.Constant(value=str() as constant)):
                decided = [None if other is term else _decide(other, text, constant) for other in node.terms]
                if False in decided:
                    return ir.FALSE
                if True in decided:
                    undecided = (other for other, truth in zip(node.terms, decided, strict=True) if truth is None)
                    return ir.all_of(*undecided)
            case _:
                pass
    return node


def _decide(term: ir.Predicate, text: ir.Value, constant: str) -> bool | None:
    """Return whether a test of a text holds for a constant; None for another test, or one that is not understood."""
    match term:
        case ir.Matches(value=value, expression=expression, negated=negated):
            content = _content(value, text, constant)
            if content is None:
                return None
            # The engine of regular expressions, which few selectors need.
            from transpiler.base.regex.search import SearchLimitError, compile_regular
            from transpiler.base.regex.syntax import RegexError

            try:
                return compile_regular(expression).search(content) is not negated
            except (RegexError, SearchLimitError):
                return None
        case ir.In(value=value, members=members, negated=negated):
            content = _content(value, text, constant)
            return None if content is None else (content in {member.value for member in members}) is not negated
        case ir.Compare(operator=Comparison.EQ | Comparison.NE as operator, left=value, right=ir.Constant(value=other)):
            content = _content(value, text, constant)
            return None if content is None else (content == other) is (operator is Comparison.EQ)
        case _:
            return None


def _content(value: ir.Value, text: ir.Value, constant: str) -> str | None:
    if value == text:
        return constant
    match value:
        case ir.Apply(function=ir.Function.TRIMMED, arguments=(inner,)) if inner == text:
            return constant.strip(" ")
        case _:
            return None
