"""fold_constants: tests of constants become constants, as do NaN tests of values that are never NaN."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import B, D, N, S, column, compare, is_nan, is_null, not_nan, not_null, one_of
from transpiler.base.text_pattern import Wildcard
from transpiler.base.topics import MANY_WORDS, ONE_WORD
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import DOUBLE, ColumnType, SparkType
from transpiler.compiler.rewrites.simplify import MAX_FOLDED, fold_constants

NAN = float("nan")
BEGINNING = ("a", Wildcard.ANY)
REAL = column("r", ColumnType(SparkType.FLOAT))


def widened(inner: ir.Value) -> ir.Apply:
    return ir.Apply(ir.Function.TO_DOUBLE, (inner,), DOUBLE)


def first(*values: ir.Value) -> ir.Apply:
    return ir.Apply(ir.Function.FIRST, values, DOUBLE)


REWRITTEN = {
    "1 < 2": (compare(1, "<", 2), ir.TRUE),
    "2 <= 1": (compare(2, "<=", 1), ir.FALSE),
    "equal texts": (compare("a", "=", "a"), ir.TRUE),
    "texts of different cases": (compare("a", "=", "A"), ir.FALSE),
    "TRUE is TRUE": (ir.IsTrue(ir.constant(True)), ir.TRUE),
    "TRUE is FALSE": (ir.IsTrue(ir.constant(True), negated=True), ir.FALSE),
    "FALSE is FALSE": (ir.IsTrue(ir.constant(False), negated=True), ir.TRUE),
    "a constant IS NULL": (is_null(5), ir.FALSE),
    "a constant IS NOT NULL": (not_null(5), ir.TRUE),
    "1 IN (1, 2)": (one_of(1, 1, 2), ir.TRUE),
    "3 IN (1, 2)": (one_of(3, 1, 2), ir.FALSE),
    "3 NOT IN (1, 2)": (one_of(3, 1, 2, negated=True), ir.TRUE),
    "'ab' LIKE 'a%'": (ir.Like(ir.constant("ab"), BEGINNING), ir.TRUE),
    "'ba' LIKE 'a%'": (ir.Like(ir.constant("ba"), BEGINNING), ir.FALSE),
    "'ba' NOT LIKE 'a%'": (ir.Like(ir.constant("ba"), BEGINNING, negated=True), ir.TRUE),
    "a line feed under a wildcard": (ir.Like(ir.constant("a\n"), BEGINNING), ir.TRUE),
    "the longest text that is matched here": (ir.Like(ir.constant("a" * MAX_FOLDED), BEGINNING), ir.TRUE),
    "a topic that fits": (ir.Topic(ir.constant("a.b.c"), ("a", MANY_WORDS, "c")), ir.TRUE),
    "a # for no word": (ir.Topic(ir.constant("a.c"), ("a", MANY_WORDS, "c")), ir.TRUE),
    "a * for two words": (ir.Topic(ir.constant("a.b.c"), ("a", ONE_WORD)), ir.FALSE),
    "a topic that does not fit": (ir.Topic(ir.constant("a.b"), ("b", MANY_WORDS), negated=True), ir.TRUE),
    "a topic that is at its end": (ir.Topic(ir.constant("a"), ("a", ONE_WORD)), ir.FALSE),
    "NaN is a NaN": (is_nan(NAN), ir.TRUE),
    "a number is a NaN": (is_nan(5.0), ir.FALSE),
    "a number is no NaN": (not_nan(5.0), ir.TRUE),
    "an integer is never NaN": (is_nan(widened(N)), ir.FALSE),
    "an integer is no NaN": (not_nan(widened(N)), ir.TRUE),
    "a 32-bit float keeps its NaN when it is widened": (is_nan(widened(REAL)), is_nan(REAL)),
    "the first of a double and an integer is NaN with the double": (is_nan(first(D, widened(N))), is_nan(D)),
    "the first of two doubles and an integer": (
        is_nan(first(D, widened(REAL), widened(N))),
        is_nan(first(D, widened(REAL))),
    ),
}

KEPT = {
    "a column and a constant": compare(N, "<", 2),
    "two columns": compare(N, "<", D),
    "a boolean column": ir.IsTrue(B),
    "a null check of a column": is_null(N),
    "a column in a list": one_of(N, 1, 2),
    "a pattern of a column": ir.Like(S, BEGINNING),
    "a topic in a column": ir.Topic(S, ("a", MANY_WORDS)),
    "a text too long to be matched here": ir.Like(ir.constant("a" * (MAX_FOLDED + 1)), BEGINNING),
    "a topic too long to be matched here": ir.Topic(ir.constant("a" * (MAX_FOLDED + 1)), (MANY_WORDS,)),
    "a double that may be NaN": is_nan(D),
    "the first of an integer and a double": is_nan(first(widened(N), D)),
    "a constant inside a complement": ir.NotTrue(ir.TRUE),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_test_of_constants_is_a_truth_value(before: ir.Predicate, after: ir.Predicate) -> None:
    assert fold_constants(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_test_of_a_column_stays(node: ir.Predicate) -> None:
    assert fold_constants(node) is node
