"""Evaluate tests of constants, and NaN tests of values that can never be NaN, at compile time."""

from __future__ import annotations

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import SparkType

#: Maximum length of a constant that is matched with a pattern at compile time, in characters. Spark
#: matches longer constants.
MAX_FOLDED = 2_000


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
            # Imported only here because text and pattern are rarely both constants.
            from transpiler.compiler.rewrites.match_constants import fits

            return ir.BoolConst(fits(text, pattern) is not negated)
        case ir.Topic(value=ir.Constant(value=str() as text), pattern=words, negated=negated) if (
            len(text) <= MAX_FOLDED
        ):
            from transpiler.compiler.rewrites.match_constants import fits_words

            return ir.BoolConst(fits_words(text, words) is not negated)
        case ir.IsNan(value=ir.Constant(value=value), negated=negated):
            return ir.BoolConst((value != value) is not negated)
        case ir.IsNan(value=ir.Apply(function=ir.Function.TO_DOUBLE, arguments=(inner,)), negated=negated):
            # Of all types that are widened to a double, only a 32-bit float can be NaN.
            return ir.IsNan(inner, negated) if inner.type.kind is SparkType.FLOAT else ir.BoolConst(negated)
        case ir.IsNan(
            value=ir.Apply(function=ir.Function.FIRST, arguments=(*before, last), type=first_type), negated=negated
        ):
            # The first of several values is NaN or NULL. If the last value is never NaN, it can be dropped: the result
            # is then NULL in its place, and NULL is not NaN either.
            if not isinstance(fold_constants(ir.IsNan(last)), ir.BoolConst):
                return node
            return ir.IsNan(
                before[0] if len(before) == 1 else ir.Apply(ir.Function.FIRST, tuple(before), first_type), negated
            )
        case _:
            return node
