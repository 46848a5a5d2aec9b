"""The subexpressions of a selector that decide whether a message matches.

A goal is a set of results. Leaves are conditions without AND, OR and NOT. The decision of a condition for a goal is a
set of its leaves that suffices: while these leaves keep their results, the result of the condition is in the goal,
whatever the other leaves are. In SQL's logic no leaf of the decision can be left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Logic
from transpiler.message.types import NOT, Truth
from transpiler.tools.explanation.parts import JUNCTIONS, Evaluation

Goal = frozenset[Truth]

IS_TRUE: Goal = frozenset({True})
NOT_TRUE: Goal = frozenset({False, None})
_IS_FALSE: Goal = frozenset({False})


class Decision(NamedTuple):
    """The subexpressions of ``node`` that decide its result. A condition without AND, OR and NOT has no ``inner``.

    - For a NOT, ``inner`` has the decision on its operand.
    - For an OR that is not TRUE, ``inner`` has the decisions on all alternatives.
    - For an AND, ``inner`` has the decisions on the terms that together decide the result. If a single term suffices,
      ``inner`` has only that term, and ``others`` the terms that would each suffice, too.
    """

    node: ast.Expression
    inner: tuple[Decision, ...] = ()
    others: tuple[Decision, ...] = ()


def decide(tree: ast.Expression, evaluation: Evaluation) -> Decision:
    """Return the subexpressions that decide whether the message of ``evaluation`` matches the selector ``tree``."""
    if isinstance(tree, ast.ConvertStrings):
        tree = tree.condition
    thrown = evaluation.verdict(tree).thrown
    if thrown is not None:
        return _thrower(tree, thrown, evaluation)
    return _decide(tree, IS_TRUE if evaluation.verdict(tree).truth else NOT_TRUE, evaluation)


def leaves(decision: Decision) -> Iterator[ast.Expression]:
    """Yield the deciding conditions without AND, OR and NOT of ``decision``, in the order of the selector's text."""
    if not decision.inner:
        yield decision.node
    for inner in decision.inner:
        yield from leaves(inner)


def common_node(decision: Decision) -> ast.Expression:
    """Return the smallest subexpression that contains all deciding conditions of ``decision``."""
    return common_node(decision.inner[0]) if len(decision.inner) == 1 else decision.node


def _thrower(node: ast.Expression, thrown: str, evaluation: Evaluation) -> Decision:
    """Return the decision for the exception ``thrown``: the first condition of ``node`` that throws it."""
    while isinstance(node, ast.And | ast.Or | ast.Not):
        node = next(term for term in ast.children(node) if evaluation.verdict(term).thrown == thrown)
    return Decision(node)


def _decide(node: ast.Expression, goal: Goal, evaluation: Evaluation) -> Decision:
    match node:
        case ast.Not(operand=operand):
            negated = frozenset(NOT[truth] for truth in goal)
            return Decision(node, (_decide(operand, negated, evaluation),))
        case ast.And(terms=terms):
            return _conjunction(node, terms, goal, evaluation)
        case ast.Or(terms=terms):
            return _disjunction(node, terms, goal, evaluation)
        case _:
            return Decision(node)


def _conjunction(node: ast.And, terms: tuple[ast.Expression, ...], goal: Goal, evaluation: Evaluation) -> Decision:
    truths = [evaluation.verdict(term).truth for term in terms]
    ends_at_unknown = evaluation.dialect.logic is Logic.QPID_JAVA
    if goal == NOT_TRUE or (goal == _IS_FALSE and not ends_at_unknown):
        failing = [term for term, truth in zip(terms, truths, strict=True) if truth in goal]
        if not ends_at_unknown:
            # A single FALSE term makes an AND FALSE, so name FALSE terms before unknown ones.
            failing.sort(key=lambda term: evaluation.verdict(term).truth is None)
        named = [term for term in failing if evaluation.verdict(term).thrown is None]
        first, *others = (_decide(term, goal, evaluation) for term in named)
        return Decision(node, (first,), tuple(others)) if others else first
    if True in goal and (all(truths) or not ends_at_unknown):
        return _together(node, [_decide(term, goal, evaluation) for term in terms])
    # In Qpid's AND, the first term that is not TRUE determines the result, so the terms before it, which are TRUE,
    # decide too.
    end = next(index for index, truth in enumerate(truths) if truth is not True)
    before = [_decide(term, IS_TRUE, evaluation) for term in terms[:end]]
    last = _decide(terms[end], goal, evaluation) if goal == _IS_FALSE else _whole(terms[end])
    return _together(node, [*before, last])


def _whole(node: ast.Expression) -> Decision:
    """Return a decision in which all conditions inside ``node`` decide.

    It is used if the result must be exactly FALSE or exactly unknown, so that no condition can be left out.
    """
    return Decision(node, tuple(map(_whole, ast.children(node))) if isinstance(node, JUNCTIONS) else ())


def _together(node: ast.And, decisions: list[Decision]) -> Decision:
    return decisions[0] if len(decisions) == 1 else Decision(node, tuple(decisions))


def _disjunction(node: ast.Or, terms: tuple[ast.Expression, ...], goal: Goal, evaluation: Evaluation) -> Decision:
    truths = [evaluation.verdict(term).truth for term in terms]
    last_decides = evaluation.dialect.logic is Logic.QPID_JAVA
    if True not in goal:
        goals = [goal] * len(terms)
        if last_decides:
            # In Qpid's OR, the last alternative determines the result if no alternative is TRUE. So the last one has
            # the result to explain, and the others only have to be not TRUE.
            goals = [NOT_TRUE] * (len(terms) - 1) + [goal]
        return Decision(node, tuple(_decide(term, each, evaluation) for term, each in zip(terms, goals, strict=True)))
    for term, truth in zip(terms, truths, strict=True):
        if truth is True:
            return _decide(term, IS_TRUE, evaluation)
    return _decide(terms[-1] if last_decides else terms[truths.index(None)], goal, evaluation)
