"""The coverage of test cases: conditions of a selector that never decide a case, or never have one of their results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.message.receiver import Receiver
from transpiler.message.types import Truth
from transpiler.reference.evaluate import judge
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import FALSE, TRUE
from transpiler.tools.analysis.solve import Solver
from transpiler.tools.test_cases.boundaries import BUDGET, conditions_of, decides, deciding, open_truths
from transpiler.tools.test_cases.reading import Case

_BITS: Mapping[bool, int] = {True: TRUE, False: FALSE}
_RESULTS: Mapping[Truth, str] = {True: "TRUE", False: "FALSE", None: "unknown"}


def uncovered(cases: Iterable[Case]) -> Iterator[tuple[str, list[str]]]:
    """Yield each selector of ``cases``, with a line for each of its conditions that the cases do not cover.

    A condition decides a case if the opposite result would change whether the message matches. The condition is covered
    if it decides one case while it is TRUE, and another case while it is FALSE. If it decides for no message at all,
    its line states this.
    """
    groups: dict[tuple[str, Dialect], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.selector, find_dialect(case.dialect)), []).append(case)
    for (selector, dialect), own in groups.items():
        tree = parse_selector(selector, dialect)
        yield selector, [] if tree is None else list(_lacking(tree, selector, dialect, own))


def _lacking(tree: ast.Expression, selector: str, dialect: Dialect, cases: list[Case]) -> Iterator[str]:
    conditions = Conditions()
    leaves, solver = list(conditions_of(tree)), Solver(conditions, BUDGET)
    for leaf in leaves:
        seen = {judge(leaf, case.message, dialect, Receiver(case.now)).truth for case in cases}
        missing = [f"never {_RESULTS[truth]}" for truth in open_truths(leaf, seen, solver, dialect)]
        decided = {decides(tree, leaf, case.message, dialect, case.now) for case in cases}
        own = conditions.selector(leaf, dialect)
        sides = [side for side in (True, False) if not solver.impossible(Requirement(own, _BITS[side]))]
        never = [
            side
            for side in sides
            if side not in decided and solver.impossible(Requirement(deciding(tree, leaf, side, conditions, dialect)))
        ]
        left = [side for side in sides if side not in decided and side not in never]
        while_one = "" if len(never) == len(sides) else f" while {_RESULTS[never[0]]}" if never else ""
        if never:
            missing.insert(0, f"no message lets it decide{while_one}")
        elif left == sides:
            missing.insert(0, "never decided")
        elif left and left[0] in seen:
            missing.insert(0, f"never decided while {_RESULTS[left[0]]}")
        if missing:
            text = " ".join(selector[leaf.span.start : leaf.span.end].split())
            yield f"{text}: {', '.join(missing)}"
