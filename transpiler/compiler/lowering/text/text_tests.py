"""LIKE in the variants of each broker: by code points or bytes, across line ends or within lines."""

from __future__ import annotations

from typing import Literal, NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BOOLEAN, STRING
from transpiler.compiler.ir.java_regex import regular_expression, segments_of
from transpiler.compiler.lowering.operands import Operand, Outcomes
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import LikeNotString, Wildcards
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.pattern import read_pattern
from transpiler.message.operand_types import OperandType


class PatternForm(NamedTuple):
    """A LIKE pattern without its literal text, so that patterns of the same form can share one predicate.

    ``kind`` is the test: ``abc%`` is "begins" with the ``length`` 3. "matches" stands for a regular expression. If
    ``independent``, Spark's LIKE gives the same result. If ``octets``, the test compares bytes instead of characters.
    """

    kind: Literal["is", "begins", "ends", "contains", "matches"]
    length: int = 0
    independent: bool = True
    octets: bool = False


def text_form(pattern: Pattern) -> PatternForm | None:
    """Return the form of a LIKE pattern with only one literal text, which one comparison can test; None for others."""
    match pattern:
        case (str(),):
            return PatternForm("is")
        case (str() as prefix, Wildcard.ANY):
            return PatternForm("begins", len(prefix))
        case (Wildcard.ANY, str() as suffix):
            return PatternForm("ends", len(suffix))
        case (Wildcard.ANY, str(), Wildcard.ANY):
            return PatternForm("contains")
        case _:
            return None


def fits(value: ir.Value, form: PatternForm, parameter: ir.Value, negated: bool = False) -> ir.Predicate:
    """Return the predicate that ``value`` matches a LIKE pattern; if ``negated``, that it does not.

    The pattern is given as ``form`` and ``parameter``, which is the only literal text of the pattern or, for forms of
    the kind ``matches``, a Java regular expression.
    """
    match form.kind:
        case "begins":
            value = ir.Apply(ir.Function.LEFT, (value, ir.constant(form.length)), STRING)
        case "ends":
            value = ir.Apply(ir.Function.RIGHT, (value, ir.constant(form.length)), STRING)
        case "contains":
            return ir.IsTrue(ir.Apply(ir.Function.CONTAINS, (value, parameter), BOOLEAN), negated)
        case "matches":
            return ir.IsTrue(ir.Apply(ir.Function.MATCHES, (value, parameter), BOOLEAN), negated)
    return ir.Compare(Comparison.NE if negated else Comparison.EQ, value, parameter)


def like(
    operand: Operand, node: ast.Like, written: str, dialect: Dialect, parameter: ir.Value | None = None
) -> Outcomes:
    """Lower LIKE: return the predicates that ``operand`` matches, does not match, or that LIKE throws.

    ``written`` is the pattern as in the selector. If ``parameter`` is not None, it replaces the pattern's constant in
    the SQL (see ``fits``).
    """
    escape = node.escape.value if node.escape else None
    pattern = read_pattern(written, escape, dialect.escapes)
    tests = [
        (item.guard, _Test(item.value, pattern, written, escape, dialect, parameter))
        for item in operand.of(OperandType.STRING)
    ]

    def matches(negated: bool) -> ir.Predicate:
        return ir.any_of(*[ir.all_of(guard, test.predicate(negated)) for guard, test in tests])

    def no_string(outcome: LikeNotString) -> ir.Predicate:
        # In some dialects LIKE is FALSE for a value that is not a string, in other dialects it throws.
        others = [item.type for item in operand.alternatives if item.type is not OperandType.STRING]
        return operand.where(others) if others and dialect.like_not_string is outcome else ir.FALSE

    return Outcomes(
        lambda: matches(False),
        lambda: ir.any_of(matches(True), no_string(LikeNotString.FALSE)),
        lambda: ir.any_of(operand.error, no_string(LikeNotString.THROWS)),
    )


class _Test(NamedTuple):
    """The test that the string ``value`` matches a LIKE pattern; ``written`` is the pattern as in the selector."""

    value: ir.Value
    pattern: Pattern
    written: str
    escape: str | None
    dialect: Dialect
    parameter: ir.Value | None

    def predicate(self, negated: bool) -> ir.Predicate:
        """Return the predicate that the text matches the LIKE pattern; if ``negated``, that it does not match."""
        value, pattern, wildcards = self.value, self.pattern, self.dialect.wildcards
        if wildcards is Wildcards.BYTES:
            value = ir.Apply(ir.Function.BEFORE_NUL, (value,), STRING)
        independent = _is_engine_independent(pattern, self.written, self.escape, self.dialect)
        if _tests_octets(pattern, self.dialect) and not independent:
            value = ir.Apply(ir.Function.OCTETS, (value,), STRING)
        if self.parameter is not None:
            form = pattern_form(pattern, self.written, self.escape, self.dialect)
            assert form is not None
            test = fits(value, form, self.parameter, negated)
        elif independent or wildcards in (Wildcards.CODE_POINTS, Wildcards.BYTES):
            test = ir.Like(value, pattern if independent else _as_tested(pattern, self.dialect), negated)
        else:
            test = ir.Matches(value, pattern_expression(pattern, self.dialect), negated)
        if not independent and wildcards is Wildcards.LINES and _from_bytes(value):
            # RabbitMQ's regular expressions reject bytes that are not UTF-8, so the result of LIKE is unknown for them.
            return ir.all_of(ir.IsTrue(ir.Apply(ir.Function.VALID, (value,), BOOLEAN)), test)
        return test


def pattern_form(pattern: Pattern, written: str, escape: str | None, dialect: Dialect) -> PatternForm | None:
    """Return the form of a LIKE pattern, which ``fits`` combines with the constant that ``pattern_text`` returns.

    Return None if the pattern has no literal text, so that there is no constant to replace by a parameter.
    """
    if not any(isinstance(part, str) for part in pattern):
        return None
    if not _is_engine_independent(pattern, written, escape, dialect):
        return PatternForm("matches", independent=False, octets=_tests_octets(pattern, dialect))
    return text_form(pattern) or PatternForm("matches")


def pattern_text(pattern: Pattern, form: PatternForm, dialect: Dialect) -> str:
    """Return the constant in the test of a LIKE pattern: its literal text, or the pattern as a regular expression.

    ``form`` is the kind of the test. Only ``matches`` tests a regular expression.
    """
    if form.kind != "matches":
        return needle(pattern, dialect)
    return regular_expression(pattern) if form.independent else pattern_expression(pattern, dialect)


def needle(pattern: Pattern, dialect: Dialect) -> str:
    """Return the longest literal text of a LIKE pattern, which every matching string contains.

    If the pattern tests bytes, each character of the text represents one byte.
    """
    return max((part for part in _as_tested(pattern, dialect) if isinstance(part, str)), key=len)


def pattern_expression(pattern: Pattern, dialect: Dialect) -> str:
    """Return the Java regular expression for a LIKE pattern."""
    tested = _as_tested(pattern, dialect)
    match dialect.wildcards:
        case Wildcards.CODE_POINTS | Wildcards.BYTES:
            return regular_expression(tested)
        case Wildcards.BYTES_OF_LINE:
            return _line_expression(tested) + "(?![\\s\\S])"
        case Wildcards.LINES:
            return _line_expression(tested) + "(?=\\n?(?![\\s\\S]))"


def _tests_octets(pattern: Pattern, dialect: Dialect) -> bool:
    """Return True if ``_`` matches one byte in ``dialect``, so that the text and ``pattern`` are compared as bytes."""
    return Wildcard.ONE in pattern and dialect.wildcards in (Wildcards.BYTES, Wildcards.BYTES_OF_LINE)


def _as_tested(pattern: Pattern, dialect: Dialect) -> Pattern:
    if not _tests_octets(pattern, dialect):
        return pattern
    return tuple(part.encode().decode("latin-1") if isinstance(part, str) else part for part in pattern)


def _is_engine_independent(pattern: Pattern, written: str, escape: str | None, dialect: Dialect) -> bool:
    """Return True if the broker's regular expressions match the same texts as Spark's LIKE.

    They can differ if ``_`` matches a byte instead of a character, or if wildcards do not match line ends.
    """
    if Wildcard.ONE in pattern:
        return False
    match dialect.wildcards:
        case Wildcards.CODE_POINTS | Wildcards.BYTES:
            return True
        case Wildcards.BYTES_OF_LINE:
            return Wildcard.ANY not in pattern
        case Wildcards.LINES:
            return _percents(written, escape) <= 1


def _from_bytes(value: ir.Value) -> bool:
    """Return True if ``value`` can be a text that was converted from bytes."""
    match value:
        case ir.Apply(function=ir.Function.TEXT_OF_BYTES):
            return True
        case ir.Apply(arguments=arguments):
            return any(_from_bytes(argument) for argument in arguments)
        case ir.When(value=inner):
            return _from_bytes(inner)
        case _:
            return False


def _percents(written: str, escape: str | None) -> int:
    count, characters = 0, iter(written)
    for character in characters:
        if character == escape:
            next(characters, None)
        elif character == "%":
            count += 1
    return count


def _line_expression(pattern: Pattern) -> str:
    """Return the regular expression for a LIKE pattern whose wildcards do not match line ends.

    Each text between two ``%`` is an atomic group that matches as early as possible. No later match needs to be tried,
    so the expression never backtracks.
    """
    segments = segments_of(pattern, "[^\\n]", _quoted)
    if len(segments) == 1:
        return f"^{segments[0]}"
    middle = "".join(f"(?>[^\\n]*?{segment})" for segment in segments[1:-1] if segment)
    return f"^{segments[0]}{middle}[^\\n]*{segments[-1]}"


def _quoted(text: str) -> str:
    """Return the Java regular expression for literal ``text``."""
    return "".join(f"\\x{{{ord(character):x}}}" if not character.isalnum() else character for character in text)
