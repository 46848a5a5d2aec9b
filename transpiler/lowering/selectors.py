"""The lowering of a selector over a layout, and the records of a dialect that SQL has no answer for."""

from __future__ import annotations

from typing import NoReturn

from transpiler.errors import UnsupportedFeatureError
from transpiler.layouts.layout import Layout
from transpiler.lowering.literal_parameters import NO_PARAMETERS, Parameters
from transpiler.lowering.names.names import Missing, Names
from transpiler.lowering.names.receiving import ANYONE, Receiver
from transpiler.lowering.selector_lowering import SelectorLowering
from transpiler.message.operand_types import UnsignedLong
from transpiler.selector.dialect_rules import Division, FloatOrder, IntegerArithmetic, NumericPromotion
from transpiler.selector.dialects import Dialect
from transpiler.source import Source


def selector_lowering(
    layout: Layout,
    missing: Missing,
    source: Source,
    dialect: Dialect,
    receiver: Receiver = ANYONE,
    parameters: Parameters = NO_PARAMETERS,
) -> SelectorLowering:
    """The lowering of one selector by the rules of a dialect.

    ``receiver`` says the time of UTC() and JMSExpiration, and the consumer's destination. ``parameters`` stand for the
    literals at their places. A record of one's own with answers that no SQL joins is an ``UnsupportedFeatureError``.
    """
    _check(dialect)
    return SelectorLowering(Names(layout, missing, source, dialect, receiver), source, dialect, parameters)


def _check(dialect: Dialect) -> None:
    """Refuse a record whose numbers Spark cannot hold together."""
    types, any_size = dialect.types, dialect.integer_arithmetic is IntegerArithmetic.BIGNUM
    if any_size and types.special_doubles:
        _refuse(dialect, "types", "NaN and infinities", "arithmetic of any size, in which they are errors")
    if types.unsigned_long is UnsignedLong.EXACT and not any_size:
        _refuse(dialect, "types", "unsigned longs as they are", "arithmetic of 64 bits")
    if any_size and dialect.division in (Division.TRUNCATING, Division.TRUNCATING_THROWING):
        _refuse(dialect, "division", "a division that truncates", "arithmetic of any size")
    if dialect.float_order is FloatOrder.COMPARE_TO and dialect.type_ladder is NumericPromotion.EXACT:
        _refuse(dialect, "float_order", "Java's order of -0.0 and NaN", "a comparison of numbers by exact value")


def _refuse(dialect: Dialect, name: str, first: str, second: str) -> NoReturn:
    raise UnsupportedFeatureError.at(
        "dialect.rules",
        f"{dialect.title} has, by its {name}, {first} together with {second}, and there is no SQL for both",
        hint="take both answers from one broker; the reference evaluator takes any record",
    )
