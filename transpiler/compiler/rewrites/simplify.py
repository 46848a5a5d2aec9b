"""The laws that simplify a single test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import SparkType

if TYPE_CHECKING:
    from transpiler.base.topics import TopicPattern

#: Maximum length of a constant that is matched with a LIKE or topic pattern at compile time, in characters. Spark
#: matches longer constants.
MAX_FOLDED = 2_000


def orient_comparison(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``5 < a`` as ``a > 5``: swap the operands and mirror the operator if only the left one is constant."""
    if isinstance(node, ir.Compare) and isinstance(node.left, ir.Constant) and not isinstance(node.right, ir.Constant):
        return ir.Compare(node.operator.mirrored, node.right, node.left)
    return node


def fold_constants(node: ir.Predicate) -> ir.Predicate:
    """Rewrite a test that contains only constants as TRUE or FALSE."""
    match node:
        case ir.Compare(operator=operator, left=ir.Constant(value=left), right=ir.Constant(value=right)):
            return ir.BoolConst(ir.compare_constants(operator, left, right))
        case ir.IsTrue(value=ir.Constant(value=value), negated=negated):
            return ir.BoolConst(bool(value) is not negated)
        case ir.IsNull(value=ir.Constant(), negated=negated):
            return ir.BoolConst(negated)
        case ir.In(value=ir.Constant(value=value), members=members, negated=negated):
            return ir.BoolConst((value in [member.value for member in members]) is not negated)
        case ir.Like(value=ir.Constant(value=str() as text), pattern=pattern, negated=negated) if (
            len(text) <= MAX_FOLDED
        ):
            return ir.BoolConst(_fits(text, pattern) is not negated)
        case ir.Topic(value=ir.Constant(value=str() as text), pattern=words, negated=negated) if (
            len(text) <= MAX_FOLDED
        ):
            return ir.BoolConst(_fits_words(text, words) is not negated)
        case ir.IsNan(value=ir.Constant(value=value), negated=negated):
            return ir.BoolConst((value != value) is not negated)
        case ir.IsNan(value=ir.Apply(function=ir.Function.TO_DOUBLE, arguments=(inner,)), negated=negated):
            # Of all types that are widened to a double, only a 32-bit float can be NaN.
            return ir.IsNan(inner, negated) if inner.type.kind is SparkType.FLOAT else ir.BoolConst(negated)
        case ir.IsNan(
            value=ir.Apply(function=ir.Function.FIRST, arguments=(*before, last), type=first_type), negated=negated
        ):
            # ``node`` tests if COALESCE(a, b, …) is NaN. If the last argument can never be NaN, it is dropped: in the
            # rows in which it was the result, the result becomes NULL, which is not NaN either.
            if not isinstance(fold_constants(ir.IsNan(last)), ir.BoolConst):
                return node
            return ir.IsNan(
                before[0] if len(before) == 1 else ir.Apply(ir.Function.FIRST, tuple(before), first_type), negated
            )
        case _:
            return node


def _fits(text: str, pattern: Pattern) -> bool:
    """Return True if ``text`` matches the LIKE pattern, by the regular expression that Spark would evaluate."""
    # Imported in the function to save start-up time: the two operands of a LIKE are rarely both constants.
    from transpiler.compiler.ir.java_regex import regular_expression

    return re.match(regular_expression(pattern), text) is not None


def _fits_words(text: str, pattern: TopicPattern) -> bool:
    """Return True if the words of ``text`` match the topic pattern ``pattern``.

    The function simulates a nondeterministic automaton: after each token of the pattern, ``ends`` contains the numbers
    of words that the tokens so far can match.
    """
    # Imported in the function to save start-up time: selectors have no topic patterns.
    from transpiler.base.topics import MANY_WORDS, ONE_WORD, TOPIC_SYNTAX

    words = TOPIC_SYNTAX.words(text)
    ends = {0}
    for token in pattern:
        if not ends:
            return False
        if token == MANY_WORDS:
            ends = set(range(min(ends), len(words) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(words) and token in (ONE_WORD, words[end])}
    return len(words) in ends


def unwrap_boolean(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``b = TRUE`` and ``b <> FALSE`` as ``b``, and ``b = FALSE`` and ``b <> TRUE`` as ``NOT b``."""
    match node:
        case ir.Compare(operator=operator, left=left, right=ir.Constant(value=bool() as value)):
            return ir.IsTrue(left, negated=(operator is Comparison.EQ) is not value)
        case _:
            return node


def match_literal_pattern(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a LIKE 'text'`` as ``a = 'text'``: a LIKE pattern without wildcards matches only its own text."""
    match node:
        case ir.Like(value=value, pattern=() | (str(),) as pattern, negated=negated):
            return ir.Compare(
                Comparison.NE if negated else Comparison.EQ, value, ir.constant("".join(map(str, pattern)))
            )
        case _:
            return node


def match_any_text(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a LIKE '%'`` as ``a IS NOT NULL``, because every text matches, and ``a NOT LIKE '%'`` as FALSE."""
    match node:
        case ir.Like(value=value, pattern=(Wildcard.ANY,), negated=negated):
            return ir.FALSE if negated else ir.IsNull(value, negated=True)
        case _:
            return node


def cancel_complements(node: ir.Predicate) -> ir.Predicate:
    """Rewrite the complement of a test that is never NULL as the opposite test, and remove a double complement.

    The complement of a test that can be NULL is kept: if the test is NULL, its complement holds, but the opposite test
    does not.
    """
    match node:
        case ir.NotTrue(predicate=ir.BoolConst(value=value)):
            return ir.BoolConst(not value)
        case ir.NotTrue(predicate=ir.IsNull() | ir.IsNan() as inner):
            return type(inner)(inner.value, not inner.negated)
        case ir.NotTrue(predicate=ir.NotTrue(predicate=inner)):
            return inner
        case _:
            return node
