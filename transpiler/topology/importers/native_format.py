"""The project's own form of a topology, in JSON or YAML: strict, small, and complete.

``broker`` names the rules; ``queues`` and ``exchanges`` are declarations; ``bindings`` lead from a ``source`` to a
``queue`` or an ``exchange``; ``addresses`` are Qpid addresses, each of which creates its subscription queue and
bindings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.entries import Entry, kind_of, refuse
from transpiler.message.json import value_to_json
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.broker_rules import RULES, Rules
from transpiler.topology.exchange_types import ExchangeType
from transpiler.topology.importers.binding_arguments import read_arguments
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.receivers import with_addresses
from transpiler.topology.records import (
    DEFAULT_EXCHANGE,
    SELECTOR_ARGUMENT,
    XQUERY_ARGUMENT,
    Alternate,
    Arguments,
    Binding,
    Exchange,
    Link,
    LinkKind,
    Queue,
    Unroutable,
)
from transpiler.topology.setting import Setting
from transpiler.topology.targets import Entered, TargetType

_TYPES: tuple[ExchangeType, ...] = tuple(dict.fromkeys(kind for rules in RULES.values() for kind in rules.types))
_LINKS: tuple[LinkKind, ...] = get_args(LinkKind)
_TARGETS: tuple[TargetType, ...] = get_args(TargetType)
_PARTS = ("queues", "exchanges", "bindings", "links")
_UNROUTABLE: tuple[Unroutable, ...] = ("discard", "reject", "return")

#: ``_QUEUE``: the boolean members of queues with their defaults. ``_EXCHANGE``: those of exchanges.
_QUEUE = {"durable": True, "auto_delete": False, "exclusive": False, "declared": True}
_EXCHANGE = {"durable": True, "auto_delete": False, "internal": False, "declared": True}


def topology_from_native(data: Mapping[str, Any]) -> Topology:
    """Return the topology in an object in the project's own form; raise ``TopologyError`` with the path of an error."""
    root = Entry.of(data, "")
    root.only(("broker", "default_exchange", "words", *_PARTS, "readers", "addresses", "shown", "settings"))
    rules = RULES[root.one_of("broker", tuple(RULES))]
    if root.has("words"):
        rules = _with_words(rules, root.text("words"), root.at("words"))
    exchanges = tuple(_exchange(entry) for entry in root.entries("exchanges"))
    queues = tuple(_queue(item, path) for item, path in root.items("queues"))
    bindings = tuple(_binding(entry) for entry in root.entries("bindings"))
    default = root.text("default_exchange", DEFAULT_EXCHANGE)
    links = tuple(_link(entry) for entry in root.entries("links"))
    readers = None
    if root.has("readers"):
        readers = frozenset(name for name, _ in _texts(root, "readers", "the name of a queue"))
    displayed = topology_from_native(root.data["shown"]) if root.has("shown") else None
    topology = Topology(
        rules,
        exchanges,
        queues,
        bindings,
        default,
        links=links,
        readers=readers,
        displayed=displayed,
        settings=tuple(_setting(entry) for entry in root.entries("settings")),
    )
    return with_addresses(topology, tuple(_texts(root, "addresses", "an address")))


def _with_words(rules: Rules, words: str, path: str) -> Rules:
    if words and (len(words) != 3 or len(set(words)) < 3):
        refuse("topology.wildcards", path, "expected three different characters: between words, for one word, for any")
    return rules.with_words(words)


def _texts(root: Entry, name: str, what: str) -> Iterator[tuple[str, str]]:
    for item, path in root.items(name):
        if not isinstance(item, str):
            refuse("topology.type", path, mismatch(what, kind_of(item)))
        yield item, path


def topology_to_dict(topology: Topology) -> dict[str, Any]:
    """Return the project's own form of a topology, without defaults. ``topology_from_dict`` can read it back.

    Args:
        topology: The exchanges, bindings and queues, as ``read_topology`` returns them.
    """
    check_topology(topology)
    result: dict[str, Any] = {"broker": topology.rules.name}
    if topology.default_exchange != DEFAULT_EXCHANGE:
        result["default_exchange"] = topology.default_exchange
    if topology.rules.topic != RULES[topology.rules.name].topic:
        result["words"] = topology.rules.characters
    result["queues"] = [_queue_to_dict(queue) for queue in topology.queues]
    result["exchanges"] = [_exchange_to_dict(exchange) for exchange in topology.exchanges]
    result["bindings"] = [_binding_to_dict(binding) for binding in topology.bindings]
    result["links"] = [_link_to_dict(link) for link in topology.links]
    result["settings"] = [_setting_to_dict(setting) for setting in topology.settings]
    result = {name: part for name, part in result.items() if part != []}
    if topology.displayed is not None:
        result["shown"] = topology_to_dict(topology.displayed)
    return result if topology.readers is None else result | {"readers": sorted(topology.readers)}


def _queue(item: Any, path: str) -> Queue:
    if not isinstance(item, str | Mapping):
        refuse("topology.type", path, mismatch("an object or a name", kind_of(item)))
    entry = Entry({"name": item} if isinstance(item, str) else item, path)
    entry.only(("name", *_QUEUE, "alternate", "arguments"))
    return Queue(
        entry.text("name"),
        alternate=_alternate(entry),
        arguments=read_arguments(entry, "arguments", tagged=True),
        path=path,
        **entry.flags(_QUEUE),
    )


def _exchange(entry: Entry) -> Exchange:
    entry.only(("name", "type", "alternate", "unroutable", *_EXCHANGE, "entered", "reason"))
    return Exchange(
        entry.text("name"),
        entry.one_of("type", _TYPES),
        _alternate(entry),
        entry.one_of("unroutable", _UNROUTABLE, "discard"),
        path=entry.path,
        entered=_entered(entry),
        reason=entry.text("reason", ""),
        **entry.flags(_EXCHANGE),
    )


def _entered(entry: Entry) -> Entered | None:
    if not entry.has("entered"):
        return None
    inner = Entry.of(entry.data["entered"], entry.at("entered"))
    inner.only(("by", "qualified", "affixes"))
    by = inner.text("by") if inner.has("by") else None
    return Entered(by, inner.flag("qualified", False), _affixes(inner))


def _affixes(entry: Entry) -> tuple[str, str] | None:
    """Return the text before a name and the text after it; None if the entry has no affixes."""
    if not entry.has("affixes"):
        return None
    around = [text for text, _ in _texts(entry, "affixes", "text around a name")]
    if len(around) != 2:
        refuse("topology.type", entry.at("affixes"), "expected the text before a name and that behind it")
    return around[0], around[1]


def _alternate(entry: Entry) -> Alternate | None:
    """Return the alternate destination in an entry: a plain name is an exchange, and ``{queue: name}`` a queue."""
    if isinstance(entry.data.get("alternate"), str):
        return Alternate(entry.data["alternate"])
    node = _node(entry, "alternate")
    return None if node is None else Alternate(*node)


def _node(entry: Entry, name: str) -> tuple[str, TargetType] | None:
    if not entry.has(name):
        return None
    inner = Entry.of(entry.data[name], entry.at(name))
    inner.only(_TARGETS)
    return _destination(inner)


def _destination(entry: Entry) -> tuple[str, TargetType]:
    named = [kind for kind in _TARGETS if entry.has(kind)]
    if len(named) != 1:
        refuse("topology.destination", entry.path, "names a queue or an exchange, one of the two")
    return entry.text(named[0]), named[0]


def _binding(entry: Entry) -> Binding:
    entry.only(("source", *_TARGETS, "key", "selector", "xquery", "arguments"))
    destination, destination_type = _destination(entry)
    arguments = read_arguments(entry, "arguments", tagged=True)
    for member, argument in (("selector", SELECTOR_ARGUMENT), ("xquery", XQUERY_ARGUMENT)):
        if entry.has(member):
            if argument in arguments:
                refuse("topology.duplicate", entry.at(member), f"stands as arguments.{argument} as well")
            arguments[argument] = AmqpValue(AmqpType.STRING, entry.text(member))
    return Binding(entry.text("source"), destination, entry.text("key", ""), arguments, destination_type, entry.path)


def _link(entry: Entry) -> Link:
    entry.only(("kind", "when", "from", "to", "key", "pattern", "affixes"))
    # A link without ``from`` or ``to`` begins or ends at another broker.
    source, source_type = _node(entry, "from") or (None, "queue")
    destination, destination_type = _node(entry, "to") or (None, "queue")
    key, pattern = (entry.text(name) if entry.has(name) else None for name in ("key", "pattern"))
    kind, when = entry.one_of("kind", _LINKS), entry.text("when", "")
    ends = source, destination, source_type, destination_type
    return Link(kind, when, *ends, key, entry.path, pattern, _affixes(entry))


def _setting(entry: Entry) -> Setting:
    entry.only(("kind", "of", "name", "value", "judged", "linked"))
    texts = (entry.text("kind"), entry.text("of", ""), entry.text("name", ""), entry.text("value"))
    return Setting(*texts, entry.flag("judged", False), entry.flag("linked", False))


def _setting_to_dict(setting: Setting) -> dict[str, Any]:
    return {name: value for name, value in setting._asdict().items() if value not in ("", False)}


def _queue_to_dict(queue: Queue) -> Any:
    result = {"name": queue.name} | _changed(queue, _QUEUE) | _alternate_to_dict(queue.alternate)
    result |= _arguments_to_dict(queue.arguments)
    return queue.name if result.keys() == {"name"} else result


def _changed(item: Queue | Exchange, defaults: Mapping[str, object]) -> dict[str, Any]:
    return {name: getattr(item, name) for name, default in defaults.items() if getattr(item, name) != default}


def _exchange_to_dict(exchange: Exchange) -> dict[str, Any]:
    result = {"name": exchange.name, "type": exchange.type} | _alternate_to_dict(exchange.alternate)
    if exchange.entered is not None:
        entered: dict[str, Any] = {"by": exchange.entered.by, "qualified": exchange.entered.qualified}
        entered["affixes"] = None if exchange.entered.affixes is None else list(exchange.entered.affixes)
        result["entered"] = {name: value for name, value in entered.items() if value}
    return result | _changed(exchange, {"unroutable": "discard", "reason": "", **_EXCHANGE})


def _binding_to_dict(binding: Binding) -> dict[str, Any]:
    result: dict[str, Any] = {"source": binding.source, binding.destination_type: binding.destination}
    if binding.key:
        result["key"] = binding.key
    return result | _arguments_to_dict(binding.arguments)


def _link_to_dict(link: Link) -> dict[str, Any]:
    ends = (("from", link.source_type, link.source), ("to", link.destination_type, link.destination))
    result: dict[str, Any] = {"kind": link.kind, "when": link.when}
    result |= {end: {kind: name} for end, kind, name in ends if name is not None}
    result |= {"affixes": list(link.affixes)} if link.affixes is not None else {}
    return result | {name: getattr(link, name) for name in ("key", "pattern") if getattr(link, name) is not None}


def _alternate_to_dict(alternate: Alternate | None) -> dict[str, Any]:
    if alternate is None:
        return {}
    return {"alternate": alternate.name if alternate.type == "exchange" else {alternate.type: alternate.name}}


def _arguments_to_dict(arguments: Arguments) -> dict[str, Any]:
    if not arguments:
        return {}
    return {"arguments": {name: value_to_json(value) for name, value in arguments.items()}}
