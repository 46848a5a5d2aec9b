"""Rules: one disjunct of one binding's condition, as a row of its signature's constants and what it delivers."""

from __future__ import annotations

from typing import NamedTuple

from transpiler.routing.signatures import Parameter, Signature


class Delivery(NamedTuple):
    """The effect of a matching binding: a queue, or the state that it leads to; and the state that it belongs to.

    A queue is its place in ``RoutingPlan.queues``.
    """

    state: int
    onward: int | None
    queue: int | None


class Rule(NamedTuple):
    """One row of constants: the state whose messages it is for, its key, its other constants, and its delivery."""

    state: int
    key: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    delivery: Delivery


#: The rules of each signature.
Rules = dict[Signature, list[Rule]]
