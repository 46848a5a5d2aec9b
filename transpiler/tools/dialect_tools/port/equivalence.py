"""Decision whether two conditions of two dialects are equivalent.

The reference evaluator implements the rules of both brokers, so no rewrite rule needs its own proof: ``analysis``
proves that both conditions select the same messages, or finds a counterexample, or states why it does neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from transpiler.base.errors import TranspilerError
from transpiler.base.ieee754 import special_name
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Evaluation
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.language.selector.pattern import PatternError
from transpiler.language.translation.message_fields import message_fields_of
from transpiler.message.header_fields import PROPERTIES, MessageField
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.message.types import Truth
from transpiler.reference.evaluate import Verdict, judge, value_of
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.constants import NOW, is_constant, reads_clock
from transpiler.tools.analysis.formula import (
    ANYTHING,
    FALSE,
    OUTCOMES,
    THROWN,
    TRUE,
    UNKNOWN,
    Accepted,
    Junction,
    Test,
    UndecidedError,
)
from transpiler.tools.analysis.solve import Found, Open, Solver
from transpiler.tools.dialect_tools.questions import QUESTIONS, Rule, find_rule, rule_of

#: An example verdict for each outcome.
_VERDICTS = {TRUE: Verdict(True), FALSE: Verdict(False), UNKNOWN: Verdict(None), THROWN: Verdict(None, "throws")}


@dataclass(frozen=True, slots=True)
class Goal:
    """The results that the port of a condition must have, depending on the result of the source's condition.

    The port must be ``into`` if the source's condition has one of the results ``truths``, and must not be ``into``
    otherwise. ``exposed`` is True if the surrounding AND or OR may have another result when the condition throws an
    exception.
    """

    truths: frozenset[Truth]
    into: bool = True
    exposed: bool = False


@dataclass(frozen=True, slots=True)
class Witness:
    """A message on which a condition and its port have different results, and both results.

    ``rare`` is True if few real messages are like this message.
    """

    message: Message
    source: Verdict
    target: Verdict
    rare: bool
    #: If an arithmetic expression has different values in the two dialects: the expression, and its value in the source
    #: and in the target. Otherwise None.
    values: tuple[ast.Expression, object, object] | None = None


class Trial:
    """A comparison of the condition ``node`` of the source selector with candidates for its port to the target dialect.

    ``convert`` is True if the source selector has the prefix that converts strings.
    """

    def __init__(self, node: ast.Expression, source: Dialect, target: Dialect, convert: bool) -> None:
        self.source, self.target = source, target
        self.node = ast.ConvertStrings(node) if convert else node
        self.computed = _computed(self.node)
        #: Messages on which earlier candidates for the port did not have the required result, the latest first. They
        #: are tried first, because the next candidate often fails on the same message.
        self.found: list[Found] = []

    def compare(self, candidate: ast.Expression, goal: Goal, *, any_message: bool) -> Witness | Open | None:
        """Look for a message on which ``candidate`` misses ``goal``, and return the message with both results.

        Return None if it is proved that there is no such message, and ``Open`` if no message was found but there may be
        one. Unless ``any_message`` is True, prefer a common message to a rare one. Raises ``UndecidedError`` if no
        messages could be tried.
        """
        if self._is_same(candidate):
            return None
        for found in self.found:
            witness = self._witness(candidate, found, goal) if any_message or not found.rare else None
            if witness is not None and (any_message or not witness.rare):
                return witness
        conditions = Conditions()
        here = conditions.selector(self.node, self.source, self.target)
        there = conditions.selector(candidate, self.target, self.source)
        pairs = self._pairs(candidate)
        sums = tuple(self._unequal(conditions, pair) for pair in pairs)
        solver = Solver(conditions)
        rare: Witness | None = None
        unproved: Open | None = None
        # First look for messages on which neither dialect throws, because messages that cause an exception are rare.
        for most, beside in ((ANYTHING & ~THROWN, sums), (ANYTHING, ())):
            missed = (
                Junction(False, (Accepted(here, outcome), Accepted(there, missing & most)))
                for outcome, missing in self._missed(goal).items()
                if outcome & most
            )
            answer = solver.solve([Requirement(Junction(True, (*missed, *beside)))])
            if isinstance(answer, Found):
                self.found.insert(0, answer)
                rare = rare or self._witness(candidate, answer, goal)
                if not answer.rare:
                    return self._witness(candidate, answer, goal)
            if isinstance(answer, Open):
                if not answer.tried:
                    raise UndecidedError(answer.reason)
                unproved = answer
            if not (self.source.on_throw or self.target.on_throw):
                break
        return rare or unproved

    def _is_same(self, candidate: ast.Expression) -> bool:
        """Return True if ``candidate`` is the source's condition, except for other names of the same header fields.

        The dialects must agree on all rules except the names of header fields.
        """
        if any(getattr(self.source, name) != getattr(self.target, name) for name in QUESTIONS if name != "fields"):
            return False
        rewritten = {word for dialect in (self.source, self.target) for word, _ in dialect.fields.rewritten}
        names = {}
        for own, other in zip(ast.names_of(self.node), ast.names_of(candidate), strict=False):
            fields = self.source.fields.find(own.name, own.section), self.target.fields.find(other.name, other.section)
            read = [None if field is None else replace(field, name="", source="") for field in fields]
            if read[0] != read[1] or (read[0] is None and own != other):
                return False
            names[own] = other
        if any(isinstance(part, ast.StringLiteral) and part.value in rewritten for part in ast.walk(self.node)):
            return False
        return renamed(self.node, names) == candidate

    def _witness(self, candidate: ast.Expression, found: Found, goal: Goal) -> Witness | None:
        message = found.message
        verdicts = (
            judge(self.node, message, self.source, Receiver(NOW)),
            judge(candidate, message, self.target, Receiver(NOW)),
        )
        throws = any(verdict.thrown is not None for verdict in verdicts)
        witness = Witness(message, *verdicts, found.rare or throws)
        if self._parts(*verdicts, goal):
            return witness
        for pair in self._pairs(candidate):
            left, right = self._values(pair, message)
            if _are_unequal(left, right):
                return replace(witness, values=(pair[0], left, right))
        return None

    def _missed(self, goal: Goal) -> dict[int, int]:
        """Return for each outcome of the source's condition the outcomes of a port that miss ``goal``, both as bits."""
        return {
            source: sum(target for target in OUTCOMES if self._parts(_VERDICTS[source], _VERDICTS[target], goal))
            for source in OUTCOMES
        }

    def pairs_up(self, candidate: ast.Expression) -> bool:
        """Return True if ``candidate`` has as many arithmetic expressions as the source's condition.

        Only then can the expressions be compared in pairs.
        """
        return len(_computed(candidate)) == len(self.computed)

    def _pairs(self, candidate: ast.Expression) -> list[tuple[ast.Expression, ast.Expression]]:
        computed = _computed(candidate)
        if [*map(_skeleton, computed)] != [*map(_skeleton, self.computed)]:
            computed = computed[::-1]
        return list(zip(self.computed, computed, strict=True))

    def _values(self, pair: tuple[ast.Expression, ast.Expression], message: Message) -> tuple[object, object]:
        return value_of(pair[0], message, self.source), value_of(pair[1], message, self.target)

    def _unequal(self, conditions: Conditions, pair: tuple[ast.Expression, ast.Expression]) -> Test:
        """Return a test that is TRUE if the two arithmetic expressions of ``pair`` have different values.

        If the values differ, some constant makes the conditions differ, even if the selector's present constant does
        not.
        """
        message_fields = dict.fromkeys(
            (*message_fields_of(pair[0], self.source), *message_fields_of(pair[1], self.target))
        )
        test = conditions.judged_test(
            pair, lambda message: Verdict(_are_unequal(*self._values(pair, message))), None, "a sum"
        )
        test.message_fields = tuple(message_fields)
        return test

    def _parts(self, source_verdict: Verdict, target_verdict: Verdict, goal: Goal) -> bool:
        if source_verdict.thrown is not None and None in goal.truths:
            # An exception is not the same as the result unknown. If the source dialect throws, the target dialect must
            # throw as well.
            return target_verdict.thrown is None
        if (source_verdict.truth in goal.truths) is not (target_verdict.truth is goal.into):
            return True
        if not goal.exposed or source_verdict.thrown is target_verdict.thrown is None:
            return False
        strict = Evaluation.STRICT in (self.source.evaluation, self.target.evaluation)
        return strict or (source_verdict.thrown is None) is not (target_verdict.thrown is None)

    def rule(self, candidate: ast.Expression, witness: Witness, goal: Goal) -> Rule:
        """Return the rule that causes the difference between the two dialects on the message of ``witness``.

        If the dialects agreed on this rule alone, their results would be the same.
        """

        def agree(left: Dialect, right: Dialect) -> bool:
            return self._mended(candidate, witness, goal, left, right)

        match find_rule(self.source, self.target, agree):
            case None:
                return Rule(None, "several rules together; docs/dialects.md has them side by side", ())
            case "types" as name:
                return Rule(name, QUESTIONS[name], tuple(self._types(witness.message)))
            case "fields" as name:
                return Rule(name, QUESTIONS[name], (self._fields(),))
            case name:
                return rule_of(name, self.source, self.target)

    def _mended(self, candidate: ast.Expression, witness: Witness, goal: Goal, left: Dialect, right: Dialect) -> bool:
        message = witness.message
        if witness.values is not None:
            pair = next(pair for pair in self._pairs(candidate) if pair[0] is witness.values[0])
            return value_of(pair[0], message, left) == value_of(pair[1], message, right)
        try:
            verdicts = judge(self.node, message, left, Receiver(NOW)), judge(candidate, message, right, Receiver(NOW))
        except PatternError:
            # One of the dialects rejects the LIKE pattern as invalid. So the results cannot be compared, and do not
            # agree.
            return False
        return not self._parts(*verdicts, goal)

    def _fields(self) -> str:
        literals = {inner.value for inner in ast.walk(self.node) if isinstance(inner, ast.StringLiteral)}
        for dialect in (self.source, self.target):
            for word, read in dialect.fields.rewritten:
                if word in literals:
                    return f"{dialect.title} reads '{word}' as '{read}' in every literal"
        return "docs/dialects.md has them side by side"

    def _types(self, message: Message) -> list[str]:
        types = []
        for value in dict.fromkeys(value.type for value in (message.application_properties or {}).values()):
            left, right = (dialect.types.table.get(value) for dialect in (self.source, self.target))
            if left is not right:
                kinds = ["NULL" if kind is None else kind.value for kind in (left, right)]
                types.append(f"{value.value} is {kinds[0]} in {self.source.title}, {kinds[1]} in {self.target.title}")
        return types or ["numbers at the end of their type are read in other ways"]

    def shown(self, witness: Witness) -> str:
        """Describe the message of ``witness`` by the values of the condition's names."""
        values = []
        named = dict.fromkeys(message_fields_of(self.node, self.source))
        # Also show the message's application properties, because one may have the name of a header field. Then the
        # source reads the header field, and the target the property.
        read = (MessageField(PROPERTIES, name) for name in witness.message.application_properties or {})
        for message_field in named | dict.fromkeys(read):
            section = getattr(witness.message, message_field.section)
            if isinstance(section, dict):
                value = section.get(message_field.field)
                label = message_field.field
            else:
                value = None if section is None else getattr(section, message_field.field)
                label = f"{message_field.section}.{message_field.field}"
            kind = getattr(value, "type", None)
            content = getattr(value, "value", value)
            text = _written(content)
            values.append(f"{label} {text}" if kind is None else f"{label} the {kind.value} {text}")
        return ", ".join(values)


def _written(content: object) -> str:
    match content:
        case None:
            return "missing"
        case bool():
            return str(content).upper()
        case bytes():
            return f"0x{content.hex().upper()}"
        case float():
            return special_name(content) or str(content)
        case str():
            return repr(content)
        case _:
            return str(content)


def renamed(node: ast.Expression, names: Mapping[ast.Identifier, ast.Identifier]) -> ast.Expression:
    """Return ``node`` with its names replaced according to ``names``."""
    if isinstance(node, ast.Identifier):
        return names.get(node, node)
    return ast.exchanged(node, lambda part: renamed(part, names))


@lru_cache(maxsize=20_000)
def parsed(text: str, dialect: Dialect) -> ast.Expression | TranspilerError:
    """Parse ``text``, the text of a candidate; return the error instead of a tree if the dialect rejects it."""
    try:
        tree = parse_selector(text, dialect)
    except TranspilerError as error:
        return error
    assert tree is not None
    return tree


def _computed(node: ast.Expression) -> list[ast.Expression]:
    """Return the distinct outermost arithmetic expressions of ``node`` that contain names.

    A unary plus does not count, because it computes nothing; nor do operands of IS NULL, whose value does not matter.
    """
    if isinstance(node, ast.IsNull):
        return []
    if isinstance(node, ast.Sign) and node.operator is ast.Arithmetic.ADD:
        return _computed(node.operand)
    if isinstance(node, ast.Calculate | ast.Sign):
        return [node] if not is_constant(node) and not reads_clock(node) else []
    return list(dict.fromkeys(computed for child in ast.children(node) for computed in _computed(child)))


def _skeleton(node: ast.Expression) -> list[object]:
    """Return the shape of the arithmetic expression ``node``: its operators in order, and None for each operand."""
    return [inner.operator if isinstance(inner, ast.Calculate | ast.Sign) else None for inner in ast.walk(node)]


def _are_unequal(left: object, right: object) -> bool:
    return _is_number(left) and _is_number(right) and left != right and (left == left or right == right)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
