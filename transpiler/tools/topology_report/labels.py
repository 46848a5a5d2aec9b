"""Labels of exchanges and bindings for pictures and reports: conditions in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from transpiler.base.diagnostics import shortened
from transpiler.base.topics import MANY_WORDS
from transpiler.topology.binding_text import headers_text
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.model import Topology
from transpiler.topology.records import (
    CHOICE_ARGUMENT,
    DEFAULT_EXCHANGE,
    DIVERT_ARGUMENT,
    EXCLUSIVE_ARGUMENT,
    SELECTOR_ARGUMENT,
    XQUERY_ARGUMENT,
    Binding,
    Exchange,
    Link,
)

#: Maximum length of a selector or query in a label, in characters.
MAX_TEXT = 48


class Finding(NamedTuple):
    """A finding of a report: its kind, its subject (the name or binding that it is about, as text), and the reason.

    ``about`` is the element itself: a binding, a link, or the kind and name of an exchange or queue. It is None if the
    finding is not about a single element. ``details`` are further members of the finding's JSON, such as an example
    message.
    """

    kind: str
    subject: str
    reason: str
    about: Binding | Link | tuple[str, str] | None = None
    details: Mapping[str, Any] = MappingProxyType({})

    def names(self) -> dict[str, Any]:
        """Return the names of the element that the finding is about, as members of a JSON object."""
        match self.about:
            case Binding() as binding:
                to = {binding.destination_type: binding.destination}
                return {"exchange": binding.source, "to": to, "key": binding.key}
            case Link() as link:
                named: dict[str, Any] = {} if link.source is None else {link.source_type: link.source}
                end = None if link.destination is None else {link.destination_type: link.destination}
                return named | {"link": link.kind, "to": end} | ({} if link.key is None else {"key": link.key})
            case (kind, name):
                return {kind: name}
            case _:
                return {}


def exchange_title(name: str) -> str:
    """Return the exchange ``name`` as text. The default exchange, whose name is empty, gets a title."""
    return name or "default exchange"


def of_no_way_out(topology: Topology, exchange: Exchange) -> str:
    """Return the text that is printed for ``exchange`` if ``topology`` has no bindings or links from it."""
    if ("exchange", exchange.name) in topology.cut:
        return "what it leads to is not in this part"
    if exchange.name == DEFAULT_EXCHANGE:
        return "each queue is bound to it by its name"
    if not exchange.is_unknown:
        return "nothing is bound to it" if topology.knows_subscribers else "who subscribes is not in the file"
    return topology.rules.addressing.unknown


def binding_label(topology: Topology, binding: Binding) -> str:
    """Return the condition of ``binding`` as text; empty if it accepts every message of its exchange."""
    kind, headers = topology.exchange_by_name[binding.source].kind, topology.headers(binding)
    parts: list[str] = []
    if not topology.rules.addressing.has_exchanges:
        parts += [f"divert {binding.text(DIVERT_ARGUMENT)}"] if DIVERT_ARGUMENT in binding.arguments else []
        parts += ["exclusive"] if EXCLUSIVE_ARGUMENT in binding.arguments else []
        parts += [binding.text(CHOICE_ARGUMENT) or ""] if CHOICE_ARGUMENT in binding.arguments else []
    if headers is not None:
        parts.append(shortened(headers_text(headers), MAX_TEXT))
    elif kind.choosing is not None:
        parts.append(kind.choosing.text(binding.key))
        if kind.key is KeyTest.WORDS and topology.rules.topic.pattern(binding.key) != (MANY_WORDS,):
            parts.append(binding.key)
    elif not kind.ignores_key:
        parts.append(binding.key or '""')
    for argument in (SELECTOR_ARGUMENT, XQUERY_ARGUMENT):
        text = " ".join((binding.text(argument) or "").split())
        if text:
            parts.append(shortened(text, MAX_TEXT))
    return " | ".join(parts)


def binding_finding(topology: Topology, kind: str, binding: Binding, reason: str) -> Finding:
    """Return a finding of the kind ``kind`` about ``binding``; its source, destination and label are the subject."""
    label = binding_label(topology, binding)
    ends = f"{exchange_title(binding.source)} → {binding.destination}"
    return Finding(kind, f"{ends}: {label}" if label else ends, reason, binding)
