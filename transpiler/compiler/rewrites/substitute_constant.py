"""If a term states that a value equals a constant, evaluate the other tests of that value with the constant."""

from __future__ import annotations

from dataclasses import replace

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.rewrites.combine_in_lists import in_or_equal
from transpiler.compiler.rewrites.fold_constants import fold_constants


def substitute_constant(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a = 5 AND a > 3`` as ``a = 5``, and ``a = 5 AND a <> 5`` as FALSE.

    Of the constants in ``a IN (1, 5) AND a > 3``, those for which all tests hold are kept.
    """
    if not isinstance(node, ir.And):
        return node
    for term in node.terms:
        match term:
            case ir.Compare(operator=Comparison.EQ, left=value, right=ir.Constant() as constant):
                constants: tuple[ir.Constant, ...] = (constant,)
            case ir.In(value=value, members=constants, negated=False):
                pass
            case _:
                continue
        tests = [other for other in node.terms if other is not term]
        truths = [_decide_all(other, value, constants) for other in tests]
        held = [truth for truth in truths if truth is not None]
        if held:
            members = tuple(constant for constant, *each in zip(constants, *held, strict=True) if all(each))
            undecided = [test for test, truth in zip(tests, truths, strict=True) if truth is None]
            return ir.all_of(in_or_equal(value, members, negated=False) if members else ir.FALSE, *undecided)
    return node


def _decide_all(test: ir.Predicate, value: ir.Value, constants: tuple[ir.Constant, ...]) -> list[bool] | None:
    """Return for each constant whether ``test`` holds if ``value`` equals it; None if that cannot be determined."""
    truths = []
    for constant in constants:
        truth = _decide(test, value, constant)
        if truth is None:
            return None
        truths.append(truth)
    return truths


def _decide(test: ir.Predicate, value: ir.Value, constant: ir.Constant) -> bool | None:
    match test:
        case ir.Compare(left=tested, right=ir.Constant() as other) if other.type == constant.type:
            content = _content(tested, value, constant)
            decided = test if content is None else fold_constants(replace(test, left=content))
        case ir.In(value=tested, members=members) if all(member.type == constant.type for member in members):
            content = _content(tested, value, constant)
            decided = test if content is None else fold_constants(replace(test, value=content))
        case ir.Like(value=tested) | ir.Topic(value=tested) | ir.IsNull(value=tested) | ir.IsNan(value=tested):
            content = _content(tested, value, constant)
            decided = test if content is None else fold_constants(replace(test, value=content))
        case ir.Matches(value=tested, expression=expression, negated=negated):
            content = _content(tested, value, constant)
            return None if content is None else _matches(expression, str(content.value), negated)
        case _:
            return None
    return decided.value if isinstance(decided, ir.BoolConst) else None


def _matches(expression: str, text: str, negated: bool) -> bool | None:
    # Imported in the function to save start-up time: few selectors need the regular expression engine.
    from transpiler.base.regex.search import SearchLimitError, compile_regular
    from transpiler.base.regex.syntax import RegexError

    try:
        return compile_regular(expression).search(text) is not negated
    except (RegexError, SearchLimitError):
        return None


def _content(tested: ir.Value, value: ir.Value, constant: ir.Constant) -> ir.Constant | None:
    """Return ``tested`` computed with ``constant`` in place of ``value``; None if it is not computed from ``value``."""
    # NaN equals NaN in Spark, but not under IEEE 754, whose rules are used when constants are compared at compile time.
    if constant.value != constant.value:
        return None
    if tested == value:
        return constant
    match tested:
        case ir.Apply(function=ir.Function.TRIMMED, arguments=(inner,)) if inner == value:
            return ir.constant(str(constant.value).strip(" "))
        case _:
            return None
