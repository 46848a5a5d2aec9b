"""Which lowering a dialect has."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, NoReturn

from transpiler.errors import UnsupportedFeatureError
from transpiler.layouts.layout import Layout
from transpiler.lowering.literal_parameters import NO_PARAMETERS, Parameters
from transpiler.lowering.lowering import Lowering
from transpiler.lowering.names import Missing, Names
from transpiler.lowering.receiving import ANYONE, Receiver
from transpiler.selector.dialects import DIALECTS, JMS, Dialect
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.lowering.broker_lowering import BrokerLowering

#: The fields of the record that say how text reads, and not what it means.
_SPELLING = frozenset(
    "name max_length max_nesting max_terms max_tokens blank_is_no_selector identifiers double_quotes reserved_words "
    "comments numeric_literals not_binding associativity on_throw".split()
)
_MEANING = tuple(field.name for field in fields(Dialect) if field.name not in _SPELLING)
#: Questions that the SQL answers together with the width of integers: only as some broker does.
_WITH_INTEGERS = ("type_ladder", "unlike_types", "division", "remainder", "in_not_string", "evaluation")


def selector_lowering(
    layout: Layout,
    missing: Missing,
    source: Source,
    dialect: Dialect,
    receiver: Receiver = ANYONE,
    parameters: Parameters = NO_PARAMETERS,
) -> Lowering | BrokerLowering:
    """The lowering of a dialect: one truth at a time, or, where evaluation may throw and types are told apart, all.

    ``receiver`` says the time of UTC() and JMSExpiration, and the consumer's destination. ``parameters`` stand for the
    literals at their places. A record of one's own that neither of them answers is an
    ``UnsupportedFeatureError``, and never compiled as another dialect.
    """
    if is_plain(dialect):
        return Lowering(Names(layout, missing, source, receiver), source, parameters)
    _check(dialect)
    # The other dialects' modules are as large as all of this one's, and most programs have one dialect.
    from transpiler.lowering.broker_lowering import BrokerLowering
    from transpiler.lowering.broker_names import BrokerNames

    return BrokerLowering(BrokerNames(layout, missing, source, dialect, receiver), source, dialect, parameters)


def is_plain(dialect: Dialect) -> bool:
    """Whether a dialect means what jms does: evaluation never throws, and one truth of a condition needs no other."""
    return dialect is JMS or not _other_answers(dialect)


def _other_answers(dialect: Dialect) -> list[str]:
    return [name for name in _MEANING if getattr(dialect, name) != getattr(JMS, name)]


def _check(dialect: Dialect) -> None:
    if dialect.fields is JMS.fields:
        _refuse(dialect, _other_answers(dialect)[0], "the header fields of jms", "give it a broker's table of fields")
    integers = dialect.integer_arithmetic
    brokers = [broker for broker in DIALECTS.values() if broker is not JMS and broker.integer_arithmetic is integers]
    for name in _WITH_INTEGERS:
        if not any(getattr(broker, name) is getattr(dialect, name) for broker in brokers):
            _refuse(dialect, name, f"the integers of '{integers.value}'", "take the answer of a broker with the same")


def _refuse(dialect: Dialect, name: str, beside: str, hint: str) -> NoReturn:
    held = getattr(dialect, name)
    raise UnsupportedFeatureError.at(
        "dialect.rules",
        f"{dialect.title} has {name} = '{getattr(held, 'value', held)}' with {beside}, and there is no SQL for both",
        hint=f"{hint}; the reference evaluator takes any record",
    )
