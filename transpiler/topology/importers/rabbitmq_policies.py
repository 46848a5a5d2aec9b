"""RabbitMQ's policies and parameters: alternates, dead letters, federation and shovels of a topology.

Of the policies that match a name the one of highest priority counts, alone; a queue's own argument goes before it.
Operator policies are merged with it setting by setting, but RabbitMQ refuses ``alternate-exchange`` in one: it limits
queues. An export has them among its ``parameters``, with a definition that is an object or a list of pairs. A
shovel's end without a host in its URI is this broker; a host with a name is taken for another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.entries import Entry, Findings, kind_of, refuse
from transpiler.base.regex.search import Regular, SearchLimitError, compile_regular
from transpiler.base.regex.syntax import Flavor, RegexError
from transpiler.topology.model import Exchange, Link, Queue
from transpiler.topology.targets import TargetType

#: The values of ``apply-to`` of policies for exchanges; those of the others are kinds of queues.
_FOR_EXCHANGES = ("all", "exchanges")
_FOR_QUEUES = ("queues", "classic_queues", "quorum_queues", "streams")

_ALTERNATE = "alternate-exchange"

#: Hosts in a URI that are this broker.
_HERE = frozenset({"", "localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class _Policy:
    name: str
    priority: float
    entry: Entry
    applied: str
    definition: Entry

    @property
    def alternate(self) -> str | None:
        """The alternate that it gives to exchanges."""
        if self.applied not in _FOR_EXCHANGES or not self.definition.has(_ALTERNATE):
            return None
        return self.definition.text(_ALTERNATE)


class Policies:
    """The policies of a virtual host."""

    def __init__(self, entries: Iterator[Entry], findings: Findings) -> None:
        self._findings = findings
        policies = [policy for entry in entries if (policy := self._policy(entry)) is not None]
        policies.sort(key=lambda policy: -policy.priority)
        #: The policies and their patterns; None is one that is not served, and may match any name.
        self._policies: list[tuple[_Policy, Regular | None]] = []
        #: The patterns that could not be tried on a name.
        self._untried: list[Regular | None] = []
        lowest = min((policy.priority for policy in policies if policy.alternate is not None), default=None)
        for policy in policies:
            # Of two with one priority the broker takes either.
            decides = policy.applied in _FOR_EXCHANGES and lowest is not None and policy.priority >= lowest
            pattern = self._pattern(policy, decides)
            if pattern is not None or decides:
                self._policies.append((policy, pattern))

    def _policy(self, entry: Entry) -> _Policy | None:
        applied = entry.text("apply-to", "all")
        if applied not in (*_FOR_EXCHANGES, *_FOR_QUEUES):
            message = f"{applied!r} is not understood; the policy is taken for one of queues"
            self._findings.add("import.unknown", entry.at("apply-to"), message)
            return None
        definition = Entry.of(entry.data.get("definition") or {}, entry.at("definition"))
        priority = entry.data.get("priority") or 0
        if isinstance(priority, bool) or not isinstance(priority, int | float):
            refuse("topology.type", entry.at("priority"), "expected a number")
        return _Policy(entry.text("name", ""), priority, entry, applied, definition)

    def of_queue(self, name: str, kind: str = "classic") -> Mapping[str, Any]:
        """Return the settings that the policies give to a queue of a kind; none where a pattern cannot be tried."""
        applied = ("all", "queues", "streams" if kind == "stream" else f"{kind}_queues")
        return self._settings(name, applied)

    def federates(self, kind: TargetType, name: str) -> bool:
        """Return True if a policy gives an exchange or a queue an upstream."""
        settings = self._settings(name, _FOR_EXCHANGES) if kind == "exchange" else self.of_queue(name)
        return any(setting.startswith("federation") for setting in settings)

    def _settings(self, name: str, applied: tuple[str, ...]) -> Mapping[str, Any]:
        try:
            for policy, pattern in self._policies:
                if policy.applied in applied and pattern is not None and pattern.search(name):
                    return policy.definition.data
        except SearchLimitError:
            pass
        return {}

    def _pattern(self, policy: _Policy, decides: bool) -> Regular | None:
        """Return a policy's regular expression, which is tried on names in a time that grows with their length.

        One that is not served may match any name where it ``decides`` about an alternate, its own or that of one behind
        it; else it is left out.
        """
        place = policy.entry.at("pattern")
        try:
            return compile_regular(policy.entry.text("pattern"), Flavor.PCRE)
        except RegexError as error:
            message = f"is no regular expression that is served: {error}"
            hint = "perhaps spell the names out" if not error.wrong else None
            if decides and error.wrong:
                refuse("topology.pattern", place, message)
            fate = "it may give an alternate to each exchange" if decides else "the policy is left out"
            self._findings.add("import.pattern", place, f"{message}; {fate}", hint)
            return None

    def alternates(self, exchange: str, path: str) -> frozenset[str | None]:
        """Return the alternate that the policies give to an exchange, or several where a pattern cannot be tried.

        Findings name ``path``, the exchange's place in the file.
        """
        perhaps: list[_Policy] = []
        matching: list[_Policy] = []
        for policy, pattern in self._policies:
            if policy.applied in _FOR_EXCHANGES:
                found = self._search(pattern, exchange)
                # Of two with one priority the broker takes either.
                if found is None and (not matching or policy.priority == matching[0].priority):
                    perhaps.append(policy)
                elif found:
                    matching.append(policy)
        first = matching[0] if matching else None
        for other in matching[1:]:
            assert first is not None
            if other.priority == first.priority and other.alternate != first.alternate:
                message = f"the policies {first.name!r} and {other.name!r} match {exchange!r} with one priority"
                hint = f"the broker takes either, and here it is {first.name!r}: perhaps give them unlike priorities"
                self._findings.add("import.policy", path, message, hint)
                break
        return frozenset({None if first is None else first.alternate, *(policy.alternate for policy in perhaps)})

    def _search(self, pattern: Regular | None, exchange: str) -> bool | None:
        """Return whether a pattern matches the name of an exchange; None where it cannot be tried."""
        try:
            return None if pattern is None else pattern.search(exchange)
        except SearchLimitError as error:
            if pattern not in self._untried:
                self._untried.append(pattern)
                message = f"a pattern cannot be tried on {exchange!r}, and may match names like it: {error}"
                self._findings.add("import.pattern", "policies", message)
            return None


def check_operator_policy(entry: Entry, findings: Findings) -> None:
    """Add a finding for an operator policy that would give an alternate."""
    definition = entry.data.get("definition")
    # An export of 3.10 has pairs here, as Erlang keeps them.
    pairs = definition.items() if isinstance(definition, Mapping) else definition
    if not isinstance(pairs, Iterable) or isinstance(pairs, str):
        refuse("topology.type", entry.at("definition"), mismatch("an object", kind_of(definition)))
    if any(pair[0] == _ALTERNATE for pair in pairs if isinstance(pair, list | tuple) and pair):
        message = f"RabbitMQ takes no {_ALTERNATE} in an operator policy; it is left out"
        findings.add("import.operator-policy", entry.at("definition"), message, "set it with a policy")


def dead_letters(entry: Entry, arguments: Entry, policies: Policies) -> Link | None:
    """Return the way of a queue's dead letters, if it has one; a stream keeps its messages."""
    name = entry.text("name")
    kind = str(arguments.data.get("x-queue-type") or entry.data.get("type") or "classic")
    if kind == "stream":
        return None
    policy = policies.of_queue(name, kind)

    def setting(of: str) -> Any:
        value = arguments.data.get(f"x-{of}")
        return policy.get(of) if value is None else value

    exchange, key = setting("dead-letter-exchange"), setting("dead-letter-routing-key")
    if not isinstance(exchange, str):
        return None
    conditions = ["rejected", "expired"]
    limited = setting("max-length") is not None or setting("max-length-bytes") is not None
    if limited and setting("overflow") != "reject-publish":
        conditions.append("over the queue's length")
    if kind == "quorum" or setting("delivery-limit") is not None:
        conditions.append("delivered too often")
    when = f"{', '.join(conditions[:-1])} or {conditions[-1]}"
    return Link("dead-letter", when, name, exchange, key=key if isinstance(key, str) else None, path=entry.path)


def federation(policies: Policies, exchanges: list[Exchange], queues: tuple[Queue, ...]) -> Iterator[Link]:
    """Yield the links from upstream brokers to what a policy federates."""
    for exchange in exchanges:
        if policies.federates("exchange", exchange.name):
            yield Link("federation", "published upstream", None, exchange.name, path=exchange.path)
    for queue in queues:
        if policies.federates("queue", queue.name):
            when = "waiting upstream while it has consumers here"
            yield Link("federation", when, None, queue.name, destination_type="queue", path=queue.path)


def shovel(entry: Entry, vhost: str | None, findings: Findings) -> Link | None:
    """Return the link of a shovel; None where both its ends are on other brokers."""
    value = Entry.of(entry.data.get("value") or {}, entry.at("value"))
    source, source_type = _end(value, "src", vhost)
    destination, destination_type = _end(value, "dest", vhost)
    if source is None and destination is None:
        return None
    if source is not None and source_type == "exchange":
        message = f"the shovel {entry.text('name', '')!r} binds a queue of its own to {source!r}, which no answer names"
        findings.add("import.shovel", entry.path, message)
    key = value.data.get("dest-exchange-key")
    key = key if isinstance(key, str) else None
    when = "moved by the shovel " + entry.text("name", "")
    return Link("shovel", when, source, destination, source_type, destination_type, key, entry.path)


def shovel_queues(entry: Entry, vhost: str | None) -> Iterator[tuple[str, str]]:
    """Yield the queues of this broker that a shovel declares when it starts, and their places in the file."""
    value = Entry.of(entry.data.get("value") or {}, entry.at("value"))
    for side in ("src", "dest"):
        name = value.data.get(f"{side}-queue")
        predeclared = value.data.get(f"{side}-predeclared") is True
        # Only shovels of AMQP 0-9-1 have the member, and they declare its queue unless they are told not to.
        if isinstance(name, str) and not predeclared and _end(value, side, vhost) == (name, "queue"):
            yield name, value.at(f"{side}-queue")


def _end(value: Entry, side: str, vhost: str | None) -> tuple[str | None, TargetType]:
    """Return what is here of a shovel's end: the name of a queue or an exchange."""
    uris = value.data.get(f"{side}-uri")
    uri = uris[0] if isinstance(uris, list) and uris else uris
    if isinstance(uri, str) and not _is_here(uri, vhost):
        return None, "queue"
    for kind in ("queue", "exchange"):
        name = value.data.get(f"{side}-{kind}")
        if isinstance(name, str):
            return name, "queue" if kind == "queue" else "exchange"
    # AMQP 1.0 names an address.
    address = value.data.get(f"{side}-address")
    if isinstance(address, str):
        part, _, name = address.removeprefix("/").partition("/")
        if part in ("queue", "queues", "amq"):
            return unquote(name.removeprefix("queue/")), "queue"
        if part in ("exchange", "exchanges"):
            return unquote(name.partition("/")[0]), "exchange"
        return address, "queue"
    # Without an exchange and a queue the message keeps its own.
    return None, "queue"


def _is_here(uri: str, vhost: str | None) -> bool:
    try:
        parts = urlsplit(uri)
        host = parts.hostname or ""
    except ValueError:
        return False
    named = unquote(parts.path.removeprefix("/")) or "/"
    return host in _HERE and (vhost is None or named == vhost)
