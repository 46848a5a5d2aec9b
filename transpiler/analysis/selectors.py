"""Which lowering a dialect has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.lowering import Lowering
from transpiler.analysis.names import Missing, Names
from transpiler.analysis.parameters import NO_PARAMETERS, Parameters
from transpiler.layouts.layout import Layout
from transpiler.selector.dialects import JMS, Dialect
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.analysis.broker_lowering import BrokerLowering


def selector_lowering(
    layout: Layout,
    missing: Missing,
    source: Source,
    dialect: Dialect,
    now: int | None = None,
    parameters: Parameters = NO_PARAMETERS,
) -> Lowering | BrokerLowering:
    """The lowering of a dialect: one truth at a time, or, where evaluation may throw and types are told apart, all.

    ``now`` is what UTC() yields, in milliseconds since the epoch; without it, the time of the query. ``parameters``
    stand for the literals at their places.
    """
    if is_plain(dialect):
        return Lowering(Names(layout, missing, source), source, parameters)
    # The other dialects' modules are as large as all of this one's, and most programs have one dialect.
    from transpiler.analysis.broker_lowering import BrokerLowering
    from transpiler.analysis.broker_names import BrokerNames

    return BrokerLowering(BrokerNames(layout, missing, source, dialect), source, dialect, now, parameters)


def is_plain(dialect: Dialect) -> bool:
    """Whether evaluation never throws, and one truth of a condition needs no other one."""
    return dialect.fields is JMS.fields
