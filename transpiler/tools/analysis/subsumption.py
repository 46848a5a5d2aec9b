"""Questions about conditions: does one contain another, are they equivalent, which message parts them."""

from __future__ import annotations

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import NOT_TRUE, THROWN, Formula, Junction, all_tests, disjuncts, key_of
from transpiler.tools.analysis.solve import Answer, Found, Impossible, Open, Solver


def parting_message(solver: Solver, selecting: Formula, refusing: Formula) -> Answer:
    """Find a message on which the first formula is TRUE and the second is not."""
    if key_of(selecting) == key_of(refusing):
        return Impossible()
    throws = any(test.outcomes & THROWN for test in all_tests(selecting))
    left: list[tuple[Formula, str]] = []
    # An OR is TRUE where one of its terms is, and few tests decide that; those of one side only come first.
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
    """Return the disjuncts that may be TRUE where the other formula is not; those first that it does not share."""
    theirs, parts = {key_of(part) for part in disjuncts(other)}, disjuncts(formula)
    if not any(test.outcomes & THROWN for test in all_tests(other)):
        # An OR with a term that throws may be TRUE or not by the order of its terms.
        parts = tuple(part for part in parts if key_of(part) not in theirs)
    known = {test.number for test in all_tests(other)}
    return sorted(
        parts, key=lambda part: (key_of(part) in theirs, all(test.number in known for test in all_tests(part)))
    )


def is_proved_same(first: ast.Expression, second: ast.Expression, dialect: Dialect) -> bool:
    """Return True if it is proved that two trees select the same messages; no messages are tried."""
    conditions = Conditions()
    one, other = (conditions.selector(tree, dialect) for tree in (first, second))
    solver = Solver(conditions)
    return all(
        solver.impossible(Requirement(selecting), Requirement(refusing, NOT_TRUE))
        for selecting, refusing in ((one, other), (other, one))
    )


def never_true(selector: str, dialect: str | Dialect) -> bool:
    """Return True if it is proved that no message makes a selector TRUE. Raises what ``parse_selector`` raises."""
    rules = find_dialect(dialect)
    conditions = Conditions()
    formula = conditions.selector(parse_selector(selector, rules), rules)
    return Solver(conditions).impossible(Requirement(formula))


def subsumes(
    container: str | ast.Expression | None, contained: str | ast.Expression | None, dialect: str | Dialect = "jms"
) -> bool | None:
    """Return True if the first selector selects every message that the second one selects.

    False if there is a message that only the second one selects, None if that is not decided. A selector is text or a
    parsed tree; an empty one, or None, selects every message. Selectors of AND, OR and NOT over tests of one name
    against literals, and comparisons of two names, are mostly decided; of others, a "yes" is proved as well, and for a
    "no" messages are tried. Raises what ``parse_selector`` raises.
    """
    match containment(container, contained, dialect):
        case Impossible():
            return True
        case Found():
            return False
        case Open():
            return None


def equivalent(
    first: str | ast.Expression | None, second: str | ast.Expression | None, dialect: str | Dialect = "jms"
) -> bool | None:
    """Return True if two selectors select the same messages, False if a message parts them, None if not decided.

    Takes and raises what ``subsumes`` does.
    """
    answers = subsumes(first, second, dialect), subsumes(second, first, dialect)
    if False in answers:
        return False
    return None if None in answers else True


def containment(
    container: str | ast.Expression | None, contained: str | ast.Expression | None, dialect: str | Dialect = "jms"
) -> Answer:
    """Decide as ``subsumes`` does: impossible if it does, a message that only the second selects, or a reason."""
    rules = find_dialect(dialect)
    conditions = Conditions()
    outer, inner = (
        conditions.selector(parse_selector(one, rules) if isinstance(one, str) else one, rules)
        for one in (container, contained)
    )
    return parting_message(Solver(conditions), inner, outer)
