"""The coverage of test cases: which conditions of a selector never decided, or never had one of their truths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.message.receiver import Receiver
from transpiler.message.types import Truth
from transpiler.reference.evaluate import judge
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.solve import Solver
from transpiler.tools.test_cases.boundaries import BUDGET, conditions_of, open_truths
from transpiler.tools.test_cases.reading import Case

_SAID: Mapping[Truth, str] = {True: "TRUE", False: "FALSE", None: "unknown"}


def uncovered(cases: Iterable[Case]) -> Iterator[tuple[str, list[str]]]:
    """Yield each selector of some cases with what they leave untested, a line for each condition that lacks something.

    A condition decides a case where another truth of it would change the verdict.
    """
    groups: dict[tuple[str, Dialect], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.selector, find_dialect(case.dialect)), []).append(case)
    for (selector, dialect), own in groups.items():
        tree = parse_selector(selector, dialect)
        yield selector, [] if tree is None else list(_lacking(tree, selector, dialect, own))


def _lacking(tree: ast.Expression, selector: str, dialect: Dialect, cases: list[Case]) -> Iterator[str]:
    leaves, solver = list(conditions_of(tree)), Solver(Conditions(), BUDGET)
    truths = [
        {id(leaf): judge(leaf, case.message, dialect, Receiver(case.now)).truth for leaf in leaves} for case in cases
    ]
    for leaf in leaves:
        seen = {own[id(leaf)] for own in truths}
        missing = [f"never {_SAID[truth]}" for truth in open_truths(leaf, seen, solver, dialect)]
        if not any(_changes(tree, own, leaf) for own in truths):
            missing.insert(0, "never decided")
        if missing:
            text = " ".join(selector[leaf.span.start : leaf.span.end].split())
            yield f"{text}: {', '.join(missing)}"


def _changes(tree: ast.Expression, truths: Mapping[int, Truth], leaf: ast.Expression) -> bool:
    """Return True if another truth of a condition changes whether a message matches."""
    matches = {_truth(tree, {**truths, id(leaf): other}) is True for other in (True, False, None)}
    return len(matches) > 1


def _truth(node: ast.Expression, truths: Mapping[int, Truth]) -> Truth:
    """Return the truth of a condition by those of its parts, in three-valued logic."""
    match node:
        case ast.And(terms=terms):
            own = {_truth(term, truths) for term in terms}
            return False if False in own else None if None in own else True
        case ast.Or(terms=terms):
            own = {_truth(term, truths) for term in terms}
            return True if True in own else None if None in own else False
        case ast.Not(operand=operand):
            inner = _truth(operand, truths)
            return None if inner is None else not inner
        case ast.ConvertStrings(condition=condition):
            return _truth(condition, truths)
        case ast.BooleanLiteral(value=value):
            return value
        case _:
            return truths[id(node)]
