"""Rules: a rule is one disjunct of a binding's condition, as the row of its signature's constants and its delivery."""

from __future__ import annotations

from typing import NamedTuple

from transpiler.routing.signatures import Parameter, Signature


class Delivery(NamedTuple):
    """The effect of a matching binding in ``state``: the delivery to a queue, or the step to the next state.

    ``queue`` is an index into ``RoutingPlan.queues``. The unused one of ``queue`` and ``onward`` is None.
    """

    state: int
    onward: int | None
    queue: int | None


class Rule(NamedTuple):
    """One row of constants, for messages in ``state``.

    ``key`` contains the constants of the keys, ``parameters`` the constants of the residual predicate.
    """

    state: int
    key: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    delivery: Delivery


#: The rules, grouped by signature.
Rules = dict[Signature, list[Rule]]
