"""Rules: a rule is one disjunct of a binding's condition, as the row of its signature's constants and its delivery."""

from __future__ import annotations

from typing import NamedTuple

from transpiler.routing.signatures import Parameter, Signature


class Delivery(NamedTuple):
    """The effect of a matching binding: the delivery to a queue, or the step to another exchange.

    ``state`` is the state of the exchange graph to which the binding belongs. ``queue`` is an index into
    ``RoutingPlan.queues``; ``onward`` is the state to which the step leads. One of the two is None.
    """

    state: int
    onward: int | None
    queue: int | None


class Rule(NamedTuple):
    """One row of a constant table, which comes from one disjunct of a binding's condition.

    ``state`` is the state of the exchange graph to which the binding belongs. ``key`` contains the constants that
    values of the message must equal, ``parameters`` the constants of the residual predicate.
    """

    state: int
    key: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    delivery: Delivery


#: The rules (bindings with their constants), grouped by expression signature.
Rules = dict[Signature, list[Rule]]
