"""The subscriptions, consumers and queues of an ActiveMQ broker, as a state file lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transpiler.language.selector.broker_dialects import ACTIVEMQ
from transpiler.language.selector.dialects import Dialect
from transpiler.topology.addressing import activemq_parts
from transpiler.topology.importers.activemq_display import Subscription
from transpiler.topology.importers.activemq_patterns import up_to_any, words_of


def subscriptions_of(state: Mapping[str, Any]) -> Iterator[Subscription]:
    """Yield the subscriptions and consumers in ``state``, a broker's state; one item for each destination of each."""
    for item in (*state.get("subscriptions", ()), *state.get("consumers", ())):
        selector, _ = condition_in_activemq(item)
        for kind, name in activemq_parts(destination_of(item)):
            pattern = words_of(name)
            cut = up_to_any(pattern)
            yield Subscription(str(item.get("name", "")), kind, cut, selector, cut == pattern)


def condition_in_activemq(entry: Mapping[str, Any]) -> tuple[str | None, Dialect]:
    """Return the selector of a subscription or consumer (None if it has no selector), and the dialect."""
    return entry.get("selector") or entry.get("filter") or None, ACTIVEMQ


def destination_of(item: Mapping[str, Any]) -> str:
    """Return the destination of a subscription or consumer, with its kind."""
    if "destination" in item:
        return str(item["destination"])
    queue = str(item["queue"])
    return queue if "://" in queue else f"queue://{queue}"


def queues_of(state: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the queues in a state, without the prefix ``queue://``."""
    for queue in state.get("queues", ()):
        text = str(queue["name"] if isinstance(queue, Mapping) else queue)
        yield text.removeprefix("queue://")
