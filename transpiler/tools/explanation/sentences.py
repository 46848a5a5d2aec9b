"""One sentence on why a selector has its result, composed of the sentences about the deciding subexpressions."""

from __future__ import annotations

from transpiler.base.comparison import Comparison
from transpiler.language.selector import ast
from transpiler.tools.explanation.deciding import Decision, leaves
from transpiler.tools.explanation.facts import leaf_fact
from transpiler.tools.explanation.parts import Evaluation
from transpiler.tools.explanation.wording import listed, name_is, operand_text, quoted_part, value_text

#: Maximum numbers in one sentence: ``_MAX_TOGETHER`` conditions of an AND, ``_MAX_FAILING`` failing conditions,
#: ``_MAX_ALTERNATIVES`` alternatives of an OR (of more alternatives, the ``_NEAREST`` nearest), and ``_MAX_VALUES``
#: values of a list.
_MAX_TOGETHER, _MAX_FAILING, _MAX_ALTERNATIVES, _NEAREST, _MAX_VALUES = 4, 3, 3, 2, 4


def sentence(decision: Decision, evaluation: Evaluation) -> str:
    """Return a sentence, without a full stop, that explains the result of ``decision`` by what decides it."""
    if decision.others:
        return _first(decision, evaluation)
    match decision.node:
        case ast.And():
            return _together(decision.inner, evaluation)
        case ast.Or() as node:
            return _none_of(node, decision.inner, evaluation)
        case ast.Not(operand=ast.Not()):
            return sentence(decision.inner[0].inner[0], evaluation)
        case ast.Not(operand=operand):
            return _negated(operand, decision.inner[0], evaluation)
        case node:
            return leaf_fact(node, evaluation)


def _negated(operand: ast.Expression, inner: Decision, evaluation: Evaluation) -> str:
    reason = sentence(inner, evaluation)
    match evaluation.verdict(operand).truth:
        case True:
            return f"{reason}, which NOT excludes"
        case False:
            return reason
        case None:
            return f"{reason}, and NOT of unknown is unknown"


def _together(decisions: tuple[Decision, ...], evaluation: Evaluation) -> str:
    # An unknown term makes the AND unknown, so the sentence names only unknown terms if there are any, not the TRUE
    # terms.
    unknown = [one for one in decisions if _is_unknown(one, evaluation)]
    return listed([sentence(one, evaluation) for one in unknown or decisions], _MAX_TOGETHER)


def _first(decision: Decision, evaluation: Evaluation) -> str:
    reasons = list(dict.fromkeys(sentence(one, evaluation) for one in decision.others[: _MAX_FAILING - 1]))
    more = len(decision.others) - _MAX_FAILING + 1
    if more > 0:
        reasons.append(f"{more} more {'part does' if more == 1 else 'parts do'} not hold")
    return f"{sentence(decision.inner[0], evaluation)}; also {'; '.join(reasons)}"


def _is_unknown(decision: Decision, evaluation: Evaluation) -> bool:
    return any(evaluation.verdict(node).truth is None for node in leaves(decision))


def _none_of(node: ast.Or, decisions: tuple[Decision, ...], evaluation: Evaluation) -> str:
    several = _one_value(decisions, evaluation)
    if several is not None:
        return several
    alone = [one.inner[0] if one.others else one for one in decisions]
    if len(decisions) <= _MAX_ALTERNATIVES:
        reasons = "; ".join(dict.fromkeys(sentence(one, evaluation) for one in alone))
        return f"{_neither([quoted_part(term, evaluation) for term in node.terms])} holds: {reasons}"
    nearest = sorted(zip(node.terms, alone, strict=True), key=lambda pair: -_share_that_holds(pair[0], evaluation))
    reasons = "; ".join(sentence(one, evaluation) for _, one in nearest[:_NEAREST])
    return f"none of the {len(decisions)} alternatives holds; the nearest: {reasons}"


def _neither(items: list[str]) -> str:
    return f"neither {', '.join(items[:-1])} nor {items[-1]}"


def _share_that_holds(node: ast.Expression, evaluation: Evaluation) -> float:
    """Return the fraction of the terms of ``node`` that are TRUE.

    It measures how near an alternative of an OR is to a match.
    """
    terms = node.terms if isinstance(node, ast.And) else (node,)
    return sum(evaluation.verdict(term).truth is True for term in terms) / len(terms)


def _one_value(decisions: tuple[Decision, ...], evaluation: Evaluation) -> str | None:
    """Return one sentence for alternatives that compare the same name with texts, such as ``a = 'x' OR a = 'y'``.

    Return None for any other alternatives.
    """
    equalities = [
        node
        for node in (decision.node for decision in decisions)
        if isinstance(node, ast.Compare)
        and node.operator is Comparison.EQ
        and isinstance(node.left, ast.Identifier)
        and isinstance(node.right, ast.StringLiteral)
        and evaluation.verdict(node).truth is False
    ]
    if len(equalities) < len(decisions) or len({node.left for node in equalities}) > 1:
        return None
    name = equalities[0].left
    value = evaluation.value(name)
    if value is None or not isinstance(value.value, str) or evaluation.convert:
        return None
    texts = [operand_text(node.right, evaluation) for node in equalities]
    if value_text(value.value) in texts:
        return None
    few = len(texts) <= _MAX_ALTERNATIVES
    return f"{name_is(name, evaluation)}, {_neither(texts) if few else f'none of {listed(texts, _MAX_VALUES)}'}"
