"""Recognize tests of the type of an untyped value, which is a VARIANT or a text, and VARIANTs that are parsed JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.compiler.ir.functions import Function
from transpiler.compiler.ir.nodes import Apply, Compare, Constant, In, Matches, Predicate, Value


class TypeTest(NamedTuple):
    """The test that a VARIANT has one of several types.

    ``type_name`` is the IR value that computes the name of the VARIANT's type. ``names`` are the accepted type names;
    if ``is_prefix``, a type is accepted if its name begins with one of ``names``.
    """

    type_name: Value
    names: tuple[str, ...]
    is_prefix: bool


def type_test(predicate: Predicate) -> TypeTest | None:
    """Return ``predicate`` as a test of the type of a VARIANT; None if it is another predicate."""
    match predicate:
        case Compare(operator=Comparison.EQ, left=value, right=Constant() as member):
            members: tuple[Constant, ...] = (member,)
        case In(value=value, members=members, negated=False):
            pass
        case _:
            return None
    is_prefix = False
    match value:
        case Apply(function=Function.LEFT, arguments=(inner, _)):
            value, is_prefix = inner, True
    if not (isinstance(value, Apply) and value.function is Function.VARIANT_TYPE):
        return None
    return TypeTest(value, tuple(str(member.value) for member in members), is_prefix)


def are_exclusive(tests: Sequence[TypeTest | None]) -> bool:
    """Return True if all ``tests`` test the type of the same VARIANT, and at most one of them holds in each row."""
    known = [test for test in tests if test is not None]
    if len(known) < len(tests) or len({test.type_name for test in known}) != 1:
        return False
    return not any(
        first.startswith(second) or second.startswith(first)
        for index, test in enumerate(known)
        for other in known[:index]
        for first in test.names
        for second in other.names
    )


def tested_value(predicate: Predicate) -> Value | None:
    """Return the VARIANT or text whose type ``predicate`` tests; None if ``predicate`` is not a test of a type.

    The type of a text is tested by a regular expression.
    """
    match predicate:
        case Matches(value=value):
            return value
        case In(negated=True):
            # ``type_test`` recognizes only IN. The same value is tested without NOT.
            predicate = replace(predicate, negated=False)
    test = type_test(predicate)
    return test.type_name.arguments[0] if test is not None and isinstance(test.type_name, Apply) else None


def is_parsed_json(variant: Value) -> bool:
    """Return True if ``variant`` is parsed from JSON text, so that its values have only the types of JSON."""
    while isinstance(variant, Apply) and variant.function in (Function.VARIANT_AT, Function.FIRST):
        variant = variant.arguments[0]
    return isinstance(variant, Apply) and variant.function is Function.PARSE_JSON
