"""Messages that distinguish a selector from similar selectors, and a test file with these messages.

Each condition gets messages on each of its sides, that is, with each result that it can have. For each name, the values
are those that its tests distinguish (``analysis``), including a missing value. The rest of the message is chosen so
that the condition decides, if a base message allows it. Then the analysis searches for what is left: a message on which
the condition decides while it is TRUE, one while it is FALSE (modified condition/decision coverage), and one for each
mutant that no message so far distinguishes from the selector.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any, NamedTuple

from transpiler.base.diagnostics import printable
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector
from transpiler.message.header_fields import PROPERTIES, MessageField
from transpiler.message.message import Message, plain_message
from transpiler.message.receiver import Receiver
from transpiler.message.types import AmqpType, AmqpValue, Truth
from transpiler.reference.evaluate import judge
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import (
    FALSE,
    NOT_TRUE,
    TRUE,
    UNKNOWN,
    Accepted,
    Formula,
    Junction,
    Subject,
    all_tests,
)
from transpiler.tools.analysis.representatives import representatives
from transpiler.tools.analysis.solve import Found, Solver
from transpiler.tools.test_cases.mutants import Mutant, mutants
from transpiler.tools.test_cases.reading import Expectation

#: ``MAX_CONDITIONS`` is the maximum number of conditions of one selector for which test messages are generated,
#: ``BUDGET`` the maximum number of evaluations in one search.
MAX_CONDITIONS, BUDGET = 200, 40_000
#: ``_TRIED_NAMES`` is the maximum number of names in a comparison for which values are tried, ``_TRIED`` the maximum
#: number of messages tried.
_TRIED_NAMES, _TRIED = 3, 500
_TESTS = (ast.Compare, ast.Between, ast.In, ast.Like, ast.IsNull)
#: The AMQP types whose values can be written as plain JSON.
_PLAIN = (AmqpType.STRING, AmqpType.LONG, AmqpType.DOUBLE, AmqpType.BOOLEAN)
#: For each result of a condition, a message with this result, and the only field that the condition reads, or None.
_Sides = dict[Truth, tuple[Message, Subject | None]]
_EXPECTED: dict[Truth, Expectation] = {True: "matches", False: "does not match", None: "unknown"}
_BITS: Mapping[Truth, int] = {True: TRUE, False: FALSE, None: UNKNOWN}
_RESULTS = {True: "TRUE", False: "FALSE", None: "unknown"}


class Boundary(NamedTuple):
    """A message for a test case that shows one result of ``condition``, a part of a selector.

    ``side`` is the condition's result for the message, ``verdict`` the selector's.
    """

    condition: ast.Expression
    side: Truth
    message: Message
    verdict: Truth

    @property
    def expectation(self) -> Expectation:
        """The selector's result in the words of a test case."""
        return _EXPECTED[self.verdict]


def boundaries(tree: ast.Expression, dialect: Dialect) -> list[Boundary]:
    """Return messages for each possible result of each condition of the selector ``tree``, without repetitions."""
    conditions = Conditions()
    whole = conditions.selector(tree, dialect)
    solver = Solver(conditions, BUDGET)
    leaves = list(conditions_of(tree))[:MAX_CONDITIONS]
    sides = [{**dict(_tried(leaf, dialect)), **dict(_sides(leaf, dialect, conditions, solver))} for leaf in leaves]

    def base(outcomes: int, wanted: Truth) -> Message | None:
        example = solver.example(Requirement(whole, outcomes))
        return _joined(tree, wanted, sides, dialect) if example is None else example

    known = [one for one in (base(TRUE, True), base(NOT_TRUE, False), Message()) if one is not None]
    found: dict[str, Boundary] = {}
    for leaf, own_sides in zip(leaves, sides, strict=True):
        beside = next((one for one in known if _decides(tree, leaf, own_sides, one, dialect)), known[0])
        for message, subject in own_sides.values():
            made = _beside(beside, message, subject, leaf, dialect)
            # Evaluate the condition again for the combined message: if it reads several names, properties of the base
            # message may have changed its result.
            own = judge(leaf, made, dialect, Receiver(0)).truth
            found.setdefault(_key(made), Boundary(leaf, own, made, _verdict(tree, made, dialect)))
    for leaf in leaves:
        for side in (True, False):
            if not any(decides(tree, leaf, one.message, dialect) is side for one in found.values()):
                answer = solver.solve([Requirement(deciding(tree, leaf, side, conditions, dialect))])
                if isinstance(answer, Found):
                    found.setdefault(_key(answer.message), _boundary(tree, leaf, answer.message, dialect))
    for mutant in mutants(tree, dialect) if leaves else ():
        near = _at_the_mistake(tree, mutant, known, conditions, dialect)
        if near is not None and _key(near) in found:
            continue
        if any(_matches(mutant.tree, one.message, dialect) is not (one.verdict is True) for one in found.values()):
            continue
        if near is None:
            # Each mutant needs its own registry of tests. In a shared registry, the solver would evaluate the tests of
            # all mutants for each value.
            of_both = Conditions()
            apart = _apart(of_both.selector(tree, dialect), of_both.selector(mutant.tree, dialect))
            answer = Solver(of_both, BUDGET).solve([Requirement(apart)])
            near = answer.message if isinstance(answer, Found) else None
        if near is not None:
            found.setdefault(_key(near), _boundary(tree, mutant.part, near, dialect))
    # Every file of test cases needs a message that the selector matches and a message that it does not match, even if
    # no single condition decides.
    for outcomes, wanted in ((TRUE, True), (FALSE, False)):
        if leaves and not any(one.verdict is wanted for one in found.values()):
            example = base(outcomes, wanted)
            if example is not None and _verdict(tree, example, dialect) is wanted:
                found[_key(example)] = Boundary(tree, wanted, example, wanted)
    return list(found.values())


def _at_the_mistake(
    tree: ast.Expression, mutant: Mutant, bases: Sequence[Message], conditions: Conditions, dialect: Dialect
) -> Message | None:
    """Return a message that only one of ``tree`` and its ``mutant`` (a selector with a mistake) matches, or None.

    Each message of ``bases`` is tried with other values for the property of the changed condition: the constants that
    only the original or only the changed condition contains. This fast search is tried before the analysis, which is
    slow for long lists. None means that the fast search found no such message.
    """
    if mutant.changed is None:
        return None
    tests = tuple(all_tests(conditions.selector(mutant.part, dialect)))
    subject = tests[0].subject if len(tests) == 1 else None
    name = None if subject is None else _plain_name(subject)
    if name is None:
        return None
    right, wrong = (dict(_literals(one)) for one in (mutant.part, mutant.changed))
    for value in [right[key] for key in right if key not in wrong] + [wrong[key] for key in wrong if key not in right]:
        for base in bases:
            made = _beside(base, Message.of(**{name: value}), subject, mutant.part, dialect)
            if _matches(tree, made, dialect) is not _matches(mutant.tree, made, dialect):
                return made
    return None


def _plain_name(subject: Subject) -> str | None:
    """Return the name by which ``Message.of`` sets ``subject``, a property or header field; None if it cannot."""
    if subject.message_field is not None:
        return subject.message_field.field if subject.message_field.section == PROPERTIES else None
    return None if subject.field is None else subject.field.name


def _literals(leaf: ast.Expression) -> Iterator[tuple[tuple[type, Any], Any]]:
    """Yield the constants of the condition ``leaf`` that a message can contain, each as a pair (key, constant).

    The key consists of the type and the value, because in Python True and 1 are equal.
    """
    for node in ast.walk(leaf):
        match node:
            case ast.StringLiteral(value=value) | ast.BooleanLiteral(value=value):
                yield (type(value), value), value
            case ast.IntegerLiteral(value=value) | ast.FloatLiteral(value=value):
                if isinstance(value, float) or -(2**63) <= value < 2**63:
                    yield (type(value), value), value


def deciding(
    tree: ast.Expression, leaf: ast.Expression, side: Truth, conditions: Conditions, dialect: Dialect
) -> Formula:
    """Return the formula that is TRUE for messages on which the condition ``leaf`` has the result ``side`` and decides.

    A condition decides if its opposite result would change whether the selector ``tree`` matches.
    """
    if tree is leaf:
        return Accepted(conditions.selector(leaf, dialect), _BITS[side])
    as_true, as_false = (conditions.selector(_with_truth(tree, leaf, truth), dialect) for truth in (True, False))
    return Junction(False, (Accepted(conditions.selector(leaf, dialect), _BITS[side]), _apart(as_true, as_false)))


def decides(
    tree: ast.Expression, leaf: ast.Expression, message: Message, dialect: Dialect, now: int | None = 0
) -> Truth:
    """Return the result of the condition ``leaf`` for ``message`` at the time ``now``, if it decides.

    Return None if the result is unknown, or if the opposite result would not change whether ``tree`` matches.
    """
    truth = judge(leaf, message, dialect, Receiver(now)).truth
    if truth is None or tree is leaf:
        return truth
    verdicts = (judge(one, message, dialect, Receiver(now)) for one in (tree, _with_truth(tree, leaf, not truth)))
    return truth if len({verdict.truth is True for verdict in verdicts}) > 1 else None


def _with_truth(tree: ast.Expression, leaf: ast.Expression, truth: bool) -> ast.Expression:
    """Return the selector ``tree`` with its condition ``leaf`` replaced by TRUE or FALSE."""
    if tree is leaf:
        return ast.BooleanLiteral(truth)
    match tree:
        case ast.And(terms=terms) | ast.Or(terms=terms):
            return replace(tree, terms=tuple(_with_truth(term, leaf, truth) for term in terms))
        case ast.Not(operand=operand):
            return replace(tree, operand=_with_truth(operand, leaf, truth))
        case ast.ConvertStrings(condition=condition):
            return replace(tree, condition=_with_truth(condition, leaf, truth))
        case _:
            return tree


def _apart(left: Formula, right: Formula) -> Formula:
    """Return the formula that is TRUE if exactly one of the formulas ``left`` and ``right`` is TRUE."""
    ways = ((left, right), (right, left))
    both = (Junction(False, (Accepted(one, TRUE), Accepted(other, NOT_TRUE))) for one, other in ways)
    return Junction(True, tuple(both))


def _matches(tree: ast.Expression, message: Message, dialect: Dialect) -> bool:
    return _verdict(tree, message, dialect) is True


def _boundary(tree: ast.Expression, part: ast.Expression, message: Message, dialect: Dialect) -> Boundary:
    return Boundary(part, judge(part, message, dialect, Receiver(0)).truth, message, _verdict(tree, message, dialect))


def _key(message: Message) -> str:
    return json.dumps(message.to_dict(), sort_keys=True, default=str)


def _joined(tree: ast.Expression, wanted: Truth, sides: Sequence[_Sides], dialect: Dialect) -> Message | None:
    """Return a message for which ``tree`` has the result ``wanted``, or None if no tried message has it.

    ``sides`` contains the messages of each condition, by result. A tried message combines one message of each
    condition.
    """
    for chosen in islice(product(*(own.values() for own in sides if own)), _TRIED):
        message = Message()
        for own, subject in chosen:
            message = _beside(message, own, subject, None, dialect)
        if _verdict(tree, message, dialect) is wanted:
            return message
    return None


def _tried(leaf: ast.Expression, dialect: Dialect) -> Iterator[tuple[Truth, tuple[Message, Subject | None]]]:
    """Yield simple messages for the condition ``leaf``: for each result that occurs, the result and a message.

    Values are tried only if ``leaf`` compares several names, or has arithmetic or a function, because the analysis does
    not know which results such a condition can have. The last item is always None, because the message sets several
    names.
    """
    names = list({node.name: None for node in ast.walk(leaf) if isinstance(node, ast.Identifier)})
    computed = any(isinstance(node, ast.Calculate | ast.Call) for node in ast.walk(leaf))
    if (
        not isinstance(leaf, ast.Compare | ast.Between | ast.Call)
        or not 1 + (not computed) <= len(names) <= _TRIED_NAMES
    ):
        return
    if any(dialect.fields.find(node.name, node.section) for node in ast.walk(leaf) if isinstance(node, ast.Identifier)):
        return
    seen: set[Truth] = set()
    for chosen in islice(product(_values(leaf, len(names)), repeat=len(names)), _TRIED):
        message = Message.of(**dict(zip(names, chosen, strict=True)))
        verdict = judge(leaf, message, dialect, Receiver(0))
        if verdict.truth not in seen and verdict.thrown is None:
            seen.add(verdict.truth)
            yield verdict.truth, (message, None)


def _values(leaf: ast.Expression, names: int) -> list[Any]:
    """Return values to try for the names of the condition ``leaf``: its constants and values near them.

    ``names`` is the number of names. If it is 1, many more values are returned.
    """
    constants = _constants(leaf)
    texts = [node.value for node in ast.walk(leaf) if isinstance(node, ast.StringLiteral)]
    words = [word for text in texts for word in (text, *text.split(","), text.strip("^$.*"))]
    values: list[Any] = [0, 1, *constants, *(constant + 1 for constant in constants), *words]
    if names == 1:
        values += [*range(2, 13), *(one / other for one in constants for other in constants if other), 10**6, -(10**6)]
    # Keys include the type, because in Python True and 1 are equal.
    return list({(type(value), value): value for value in values}.values())


def _constants(leaf: ast.Expression) -> list[int | float]:
    """Return the numeric constants of ``leaf`` that a message can contain: 64-bit integers and doubles."""
    return [value for (kind, _), value in _literals(leaf) if kind in (int, float)]


def conditions_of(tree: ast.Expression) -> Iterator[ast.Expression]:
    """Yield the parts of the selector ``tree`` that contain no AND, OR or NOT, in the order of the text."""
    match tree:
        case ast.And(terms=terms) | ast.Or(terms=terms):
            for term in terms:
                yield from conditions_of(term)
        case ast.Not(operand=operand):
            yield from conditions_of(operand)
        case ast.ConvertStrings(condition=condition):
            yield from conditions_of(condition)
        case ast.BooleanLiteral():
            return
        case _:
            yield tree


def boundary_messages(selector: SelectorLike, dialect: str | Dialect = "jms") -> list[Message]:
    """Make messages for each result of every condition of a selector, including messages that lack its names.

    Args:
        selector: The text of a selector, or a parsed tree.
        dialect: The broker's dialect, by name or as a ``Dialect``.

    Returns:
        The messages; if the selector has no conditions, one empty message.

    Raises:
        TranspilerError: What ``parse_selector`` raises.
    """
    rules = find_dialect(dialect)
    tree = parse_selector(selector, rules)
    made = [] if tree is None else boundaries(tree, rules)
    return [boundary.message for boundary in made] or [Message()]


def case_file(selector: str, dialect: str | Dialect = "jms") -> str:
    """Return the text of a file of test cases that pass, with messages for each result of every condition."""
    rules = find_dialect(dialect)
    tree = parse_selector(selector, rules)
    lines = [f"selector: {_in_yaml(selector)}", f"dialect: {rules.name}"]
    if tree is not None and any(isinstance(node, ast.Call) and not node.arguments for node in ast.walk(tree)):
        lines.append("now: 0")
    lines.append("cases:")
    made = [] if tree is None else boundaries(tree, rules)
    if not made:
        verdict = True if tree is None else _verdict(tree, Message(), rules)
        lines += ["  - message: {}", f"    expect: {_EXPECTED[verdict]}"]
    names: dict[str, int] = {}
    for one in made:
        text = " ".join(selector[one.condition.span.start : one.condition.span.end].split())
        name = f"{text} is {_RESULTS[one.side]}"
        names[name] = names.get(name, 0) + 1
        shown = name if names[name] == 1 else f"{name} ({names[name]})"
        lines.append(f"  - name: {_in_yaml(shown)}")
        lines.append(f"    message: {_in_yaml(plain_message(one.message))}")
        lines.append(f"    expect: {one.expectation}")
    for leaf, truths in [] if tree is None else _without_message(tree, made, rules):
        text = printable(" ".join(selector[leaf.span.start : leaf.span.end].split()))
        lines.append(
            f"# perhaps add a case in which {text} is {' or '.join(_RESULTS[one] for one in truths)}: none was found"
        )
    return "\n".join(lines) + "\n"


def _in_yaml(value: Any) -> str:
    """Return ``value`` as JSON, which is also YAML, with characters that are not printable escaped as in YAML."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in text)


def open_truths(leaf: ast.Expression, seen: Container[Truth], solver: Solver, dialect: Dialect) -> list[Truth]:
    """Return the possible results of the condition ``leaf`` that are not in ``seen``.

    A result is possible unless it is proved that no message produces it.
    """
    formula = solver.conditions.selector(leaf, dialect)
    return [
        truth
        for truth, outcome in _BITS.items()
        if truth not in seen and not solver.impossible(Requirement(formula, outcome))
    ]


def _without_message(
    tree: ast.Expression, made: Sequence[Boundary], dialect: Dialect
) -> Iterator[tuple[ast.Expression, list[Truth]]]:
    solver = Solver(Conditions(), BUDGET)
    for leaf in islice(conditions_of(tree), MAX_CONDITIONS):
        seen = {judge(leaf, one.message, dialect, Receiver(0)).truth for one in made}
        if truths := open_truths(leaf, seen, solver, dialect):
            yield leaf, truths


def _sides(
    leaf: ast.Expression, dialect: Dialect, conditions: Conditions, solver: Solver
) -> Iterator[tuple[Truth, tuple[Message, Subject | None]]]:
    """Yield each result that ``leaf``, a condition, can have, with a message for this result and the field it sets.

    The field is None if ``leaf`` reads several fields.
    """
    formula = conditions.selector(leaf, dialect)
    tests = tuple(all_tests(formula))
    subject = tests[0].subject if len(tests) == 1 else None
    if subject is None or tests[0].relation is not None:
        for outcomes in (TRUE, FALSE, UNKNOWN):
            answer = solver.solve([Requirement(formula, outcomes)])
            if isinstance(answer, Found):
                yield judge(leaf, answer.message, dialect, Receiver(0)).truth, (answer.message, None)
        names = {node for node in ast.walk(leaf) if isinstance(node, ast.Identifier)}
        if names and judge(leaf, Message(), dialect, Receiver(0)).truth is None:
            yield None, (Message(), None)
        return
    constants = _constants(leaf)
    ranked: dict[Truth, list[tuple[int, float, int, Message]]] = {}
    for number, (message, value, rare) in enumerate(representatives(subject, tests).messages):
        verdict = judge(leaf, message, dialect, Receiver(0))
        if verdict.thrown is None:
            rank, distance = _rank(value, verdict.truth, constants)
            ranked.setdefault(verdict.truth, []).append((rank + 8 * rare, distance, number, message))
    for side, made in ranked.items():
        yield side, (min(made, key=lambda one: one[:3])[3], subject)


def _rank(value: Any, truth: Truth, constants: list[int | float]) -> tuple[int, float]:
    """Return a sort key for ``value`` as an example for the result ``truth``; the best value has the lowest key.

    The key consists of a score for unusual values and the distance from ``constants``. A missing value is usual only
    for the result unknown (None). If ``constants`` has numbers, a number of the same type is usual.
    """
    if value is None:
        return 0 if truth is None else 1, 0
    content: Any = value.value if isinstance(value, AmqpValue) else value
    is_number = isinstance(content, int | float) and not isinstance(content, bool)
    plain = not isinstance(value, AmqpValue) or value.type in _PLAIN
    alike = not constants if not is_number else type(content) in map(type, constants)
    rank = (2 if truth is None else 0) + (0 if plain else 2) + (not alike)
    distance = min((abs(content - constant) for constant in constants), default=0) if is_number else 0
    # Prefer a value that is 0.5 away from a constant to the double next to the constant, because it is easier to read.
    return rank, 50 if 0 < distance < 0.1 else distance


def _decides(
    tree: ast.Expression,
    leaf: ast.Expression,
    sides: _Sides,
    base: Message,
    dialect: Dialect,
) -> bool:
    """Return True if the condition ``leaf`` decides whether the selector ``tree`` matches the message ``base``.

    Its values in ``base`` are replaced by those of ``sides``, a message for each result of ``leaf``. The condition
    decides if ``tree`` then matches in one case and not in another.
    """
    made = (_beside(base, message, subject, leaf, dialect) for message, subject in sides.values())
    verdicts = {_verdict(tree, message, dialect) is True for message in made}
    return len(verdicts) > 1 or not isinstance(leaf, _TESTS)


def _beside(
    base: Message, message: Message, subject: Subject | None, leaf: ast.Expression | None, dialect: Dialect
) -> Message:
    """Return the message ``base`` with the value that ``message`` has for the field ``subject``.

    If ``subject`` is None, copy the values of all names of the condition ``leaf``.
    """
    own, other = base.to_dict(), message.to_dict()
    if subject is not None:
        section = "header_values" if subject.message_field is None else subject.message_field.section
        field = subject.field.name if subject.message_field is None and subject.field is not None else None
        name = field if subject.message_field is None else subject.message_field.field
        if name is not None:
            own.get(section, {}).pop(name, None)
    elif leaf is not None:
        for message_field in _fields_read(leaf, dialect):
            own.get(message_field.section, {}).pop(message_field.field, None)
    for section, content in other.items():
        own[section] = {**own.get(section, {}), **content} if isinstance(content, dict) else content
    return Message.from_dict({section: content for section, content in own.items() if content})


def _fields_read(leaf: ast.Expression, dialect: Dialect) -> Iterator[MessageField]:
    """Yield the message fields that the condition ``leaf`` reads."""
    for node in ast.walk(leaf):
        if isinstance(node, ast.Identifier):
            field = dialect.fields.find(node.name, node.section)
            yield from (MessageField(PROPERTIES, node.name),) if field is None else field.message_fields


def _verdict(tree: ast.Expression, message: Message, dialect: Dialect) -> Truth:
    verdict = judge(tree, message, dialect, Receiver(0))
    return None if verdict.thrown is not None else verdict.truth
