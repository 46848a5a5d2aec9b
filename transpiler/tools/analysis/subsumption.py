"""Questions about two conditions: does one contain the other, are they equivalent, on which message do they differ."""

from __future__ import annotations

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import NOT_TRUE, THROWN, Formula, Junction, all_tests, disjuncts, key_of
from transpiler.tools.analysis.solve import Answer, Found, Impossible, Open, Solver


def parting_message(solver: Solver, selecting: Formula, refusing: Formula) -> Answer:
    """Find a message that ``selecting`` selects and ``refusing`` does not."""
    if key_of(selecting) == key_of(refusing):
        return Impossible()
    throws = any(test.outcomes & THROWN for test in all_tests(selecting))
    left: list[tuple[Formula, str]] = []
    # ``selecting`` is an OR, so a message that makes one of its terms TRUE suffices. A single term has fewer tests than
    # the OR. Try terms that ``refusing`` does not contain first.
    for term in _open_disjuncts(selecting, refusing):
        needed = [Requirement(term), Requirement(refusing, NOT_TRUE)]
        if throws and term is not selecting:
            needed.append(Requirement(selecting))
        match solver.decide(needed):
            case Found() as found:
                return found
            case Open(reason=reason):
                left.append((term, reason))
            case Impossible():
                pass
    if not left:
        return Impossible()
    either = left[0][0] if len(left) == 1 else Junction(True, tuple(term for term, _ in left))
    needed = [Requirement(either), Requirement(refusing, NOT_TRUE)]
    if throws:
        needed.append(Requirement(selecting))
    return solver.search(needed, left[0][1])


def _open_disjuncts(formula: Formula, other: Formula) -> list[Formula]:
    """Return the terms of the OR ``formula`` that may be TRUE although ``other`` is not TRUE.

    Terms that do not occur in ``other`` come first. If ``formula`` is not an OR, it is its only term.
    """
    theirs, parts = {key_of(part) for part in disjuncts(other)}, disjuncts(formula)
    if not any(test.outcomes & THROWN for test in all_tests(other)):
        # If ``other`` cannot throw, skip shared disjuncts: when one is TRUE, ``other`` is TRUE as well.
        parts = tuple(part for part in parts if key_of(part) not in theirs)
    known = {test.number for test in all_tests(other)}
    return sorted(
        parts, key=lambda part: (key_of(part) in theirs, all(test.number in known for test in all_tests(part)))
    )


def is_proved_same(first: ast.Expression, second: ast.Expression, dialect: Dialect) -> bool:
    """Return True if ``first`` and ``second`` are proved to select the same messages, by case analysis alone."""
    conditions = Conditions()
    one, other = (conditions.selector(tree, dialect) for tree in (first, second))
    solver = Solver(conditions)
    return all(
        solver.impossible(Requirement(selecting), Requirement(refusing, NOT_TRUE))
        for selecting, refusing in ((one, other), (other, one))
    )


def never_true(selector: str, dialect: str | Dialect) -> bool:
    """Return True if it is proved that ``selector`` is TRUE for no message. Raises what ``parse_selector`` raises."""
    rules = find_dialect(dialect)
    conditions = Conditions()
    formula = conditions.selector(parse_selector(selector, rules), rules)
    return Solver(conditions).impossible(Requirement(formula))


def subsumes(container: SelectorLike, contained: SelectorLike, dialect: str | Dialect = "jms") -> bool | None:
    """Decide whether ``container`` selects every message that ``contained`` selects.

    Selectors of AND, OR and NOT over comparisons of one name with literals, and over comparisons of two names, are
    mostly decided. For other selectors, True is still a proof, and False is found by trying messages.

    Args:
        container: The selector that may select more, as text or as a parsed tree. A blank text or None selects every
            message.
        contained: The selector that may select less, in the same forms.
        dialect: The broker's dialect, by name or as a ``Dialect``.

    Returns:
        True if ``container`` selects every message that ``contained`` selects, False if there is a message that only
        ``contained`` selects, None if the question is not decided.

    Raises:
        TranspilerError: What ``parse_selector`` raises.
    """
    match containment(container, contained, dialect):
        case Impossible():
            return True
        case Found():
            return False
        case Open():
            return None


def equivalent(first: SelectorLike, second: SelectorLike, dialect: str | Dialect = "jms") -> bool | None:
    """Decide whether two selectors select the same messages.

    Args:
        first: A selector, as text or as a parsed tree. A blank text or None selects every message.
        second: The other selector, in the same forms.
        dialect: The broker's dialect, by name or as a ``Dialect``.

    Returns:
        True if they select the same messages, False if there is a message that only one of them selects, None if the
        question is not decided.

    Raises:
        TranspilerError: What ``parse_selector`` raises.
    """
    answers = subsumes(first, second, dialect), subsumes(second, first, dialect)
    if False in answers:
        return False
    return None if None in answers else True


def containment(container: SelectorLike, contained: SelectorLike, dialect: str | Dialect = "jms") -> Answer:
    """Decide whether ``container`` selects every message that ``contained`` selects, as ``subsumes`` does.

    Return ``Impossible`` if it does, ``Found`` with a message that only ``contained`` selects, or ``Open`` with the
    reason if the question is not decided.
    """
    rules = find_dialect(dialect)
    conditions = Conditions()
    outer, inner = (
        conditions.selector(parse_selector(one, rules) if isinstance(one, str) else one, rules)
        for one in (container, contained)
    )
    return parting_message(Solver(conditions), inner, outer)
