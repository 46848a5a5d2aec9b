"""Bindings whose effect differs from their apparent meaning, because of the type of their exchange."""

from __future__ import annotations

from typing import NamedTuple

from transpiler.base.topics import is_wild
from transpiler.language.binding_rules import HeadersMatch
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding


class Slip(NamedTuple):
    """A probable mistake in a binding: it matches other messages than its author seems to expect.

    If ``is_wide`` is True, the binding matches more messages, otherwise fewer.
    """

    kind: str
    reason: str
    is_wide: bool = False


def slip_of(topology: Topology, binding: Binding) -> Slip | None:
    """Return the probable mistake in ``binding``; None if there is none, or if the broker has no exchanges.

    The mistakes are: a wildcard at a direct exchange, which compares keys as texts; the key "" at a topic exchange,
    which has no words; and a headers binding without pairs to compare, which accepts every message.
    """
    rules = topology.rules
    if not rules.addressing.has_exchanges:
        return None
    exchange = topology.exchange_by_name[binding.source]
    if exchange.kind.key is KeyTest.EQUAL and is_wild(rules.topic.pattern(binding.key)):
        reason = f"a {exchange.type} exchange has no wildcards: only messages with the key {binding.key!r} itself match"
        return Slip("text-wildcard", reason)
    if exchange.kind.key is KeyTest.WORDS and not binding.key:
        return Slip("empty-key", 'only messages without a routing key match the key "" of a topic exchange')
    match = topology.headers(binding)
    if match == HeadersMatch(False, ()) and topology.selector(binding) is None:
        beside = f", whatever its key {binding.key!r} says" if binding.key else ""
        return Slip("takes-all", f"it compares no header and takes every message{beside}", is_wide=True)
    return None
