"""RabbitMQ's policies and parameters: alternates, dead letters, federation and shovels of a topology.

The policy of highest priority that matches a name counts, alone; the broker takes any of several with one priority, by
the order of a hash table, so that what they set is possible. A policy with a setting that a type of queue does not have
matches no queue of that type. A queue's own argument goes before a policy. Operator policies are merged with it setting
by setting, but RabbitMQ refuses ``alternate-exchange`` in one: it limits queues. An export has them among its
``parameters``, with a definition that is an object or a list of pairs. A shovel's end without a host in its URI is this
broker; a host with a name is taken for another one. A stream keeps what a shovel reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from urllib.parse import unquote, urlsplit

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.entries import Entry, Findings, kind_of, refuse
from transpiler.base.regex.search import Regular, SearchLimitError, compile_regular
from transpiler.base.regex.syntax import Flavor, RegexError
from transpiler.topology.records import Exchange, Link, Queue
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
    def gives_letters(self) -> bool:
        """True if the policy may give a queue a way of dead letters."""
        return self.applied != "exchanges" and self.definition.has("dead-letter-exchange")

    @property
    def alternate(self) -> str | None:
        """The alternate that the policy gives to exchanges."""
        if self.applied not in _FOR_EXCHANGES or not self.definition.has(_ALTERNATE):
            return None
        return self.definition.text(_ALTERNATE)


#: The first version in which quorum queues have a delivery limit by default, of 20; a negative one is none.
_DEFAULT_LIMIT = (4, 0)

#: Settings of operator policies that make dead letters, beside those of a policy or the queue.
_LIMITS = {"max-length", "max-length-bytes", "delivery-limit"}

_OF_MIRRORS = "ha-mode ha-params ha-sync-mode ha-promote-on-shutdown ha-promote-on-failure queue-master-locator"
_OF_STREAMS = "max-age stream-max-segment-size-bytes initial-cluster-size"

#: Settings by which a policy does not match queues of a type: those of RabbitMQ 3.12 and later.
_UNKNOWN_TO: Mapping[str, frozenset[str]] = {
    "classic": frozenset(f"{_OF_STREAMS} delivery-limit dead-letter-strategy".split()),
    "quorum": frozenset(f"{_OF_STREAMS} {_OF_MIRRORS} max-priority queue-mode".split()),
}


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
        #: The names of policies with one priority that a finding has reported.
        self._tied: set[tuple[str, str]] = set()
        lowest = min((policy.priority for policy in policies if policy.alternate is not None), default=None)
        last = min((policy.priority for policy in policies if policy.gives_letters), default=None)
        for policy in policies:
            # Each of several with one priority may count.
            decides = policy.applied in _FOR_EXCHANGES and lowest is not None and policy.priority >= lowest
            of_queues = policy.applied != "exchanges" and last is not None and policy.priority >= last
            pattern = self._pattern(policy, decides, of_queues)
            if pattern is not None or decides or of_queues:
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

    def of_queue(self, name: str, kind: str) -> list[_Policy | None]:
        """Return the policies of which one counts for a queue of a kind; None where perhaps none does."""
        applied = ("all", "queues", "streams" if kind == "stream" else f"{kind}_queues")
        return self._deciding(name, applied, _UNKNOWN_TO.get(kind, frozenset()))

    def federates(self, kind: TargetType, name: str) -> bool:
        """Return True if a policy gives, or may give, an exchange or a queue an upstream."""
        applied = _FOR_EXCHANGES if kind == "exchange" else ("all", "queues", "classic_queues")
        found = (one.definition.data for one in self._deciding(name, applied) if one is not None)
        return any(setting.startswith("federation") for data in found for setting in data)

    def _deciding(self, name: str, applied: tuple[str, ...], unknown: Set[str] = frozenset()) -> list[_Policy | None]:
        """Return the policies of which one counts for a name; None where no policy may match.

        One with settings that are ``unknown`` to the kind of queue does not match it.
        """
        found: list[_Policy | None] = []
        highest: float | None = None
        for policy, pattern in self._policies:
            if highest is not None and policy.priority < highest:
                break
            if policy.applied in applied and unknown.isdisjoint(policy.definition.data):
                matches = self._search(pattern, name)
                if matches is not False:
                    found.append(policy)
                if matches:
                    highest = policy.priority
        return found if highest is not None else [*found, None]

    def warn_of_tie(self, found: list[_Policy | None], name: str, path: str) -> None:
        """Add a finding, once for each pair, where policies of one priority match a name."""
        policies = [one for one, pattern in self._policies if one in found and self._search(pattern, name)]
        if len(policies) < 2 or policies[0].priority != policies[-1].priority:
            return
        first, *_, last = policies
        if (first.name, last.name) not in self._tied:
            self._tied.add((first.name, last.name))
            message = f"the policies {first.name!r} and {last.name!r} match {name!r} with one priority"
            hint = "the broker takes either, and what they set is possible: perhaps give them unlike priorities"
            self._findings.add("import.policy", path, message, hint)

    def _pattern(self, policy: _Policy, decides: bool, of_queues: bool) -> Regular | None:
        """Return a policy's regular expression, which is tried on names in a time that grows with their length.

        One that is not served may match any name where it ``decides`` about an alternate, or about dead letters
        ``of_queues``, its own or those of one behind it; else it is left out.
        """
        place = policy.entry.at("pattern")
        try:
            return compile_regular(policy.entry.text("pattern"), Flavor.PCRE)
        except RegexError as error:
            message = f"is no regular expression that is served: {error}"
            hint = "perhaps spell the names out" if not error.wrong else None
            if decides and error.wrong:
                refuse("topology.pattern", place, message)
            fates = (
                ("it may give an alternate to each exchange", decides),
                ("it may decide about dead letters", of_queues),
            )
            fate = " and ".join(text for text, holds in fates if holds) or "the policy is left out"
            self._findings.add("import.pattern", place, f"{message}; {fate}", hint)
            return None

    def alternates(self, exchange: str, path: str) -> frozenset[str | None]:
        """Return the alternate that the policies give to an exchange, or several of which one counts.

        Findings name ``path``, the exchange's place in the file.
        """
        found = self._deciding(exchange, _FOR_EXCHANGES)
        alternates = frozenset(None if one is None else one.alternate for one in found)
        if len(alternates) > 1:
            self.warn_of_tie(found, exchange, path)
        return alternates

    def _search(self, pattern: Regular | None, name: str) -> bool | None:
        """Return whether a pattern matches a name; None where it cannot be tried."""
        try:
            return None if pattern is None else pattern.search(name)
        except SearchLimitError as error:
            if pattern not in self._untried:
                self._untried.append(pattern)
                message = f"a pattern cannot be tried on {name!r}, and may match names like it: {error}"
                self._findings.add("import.pattern", "policies", message)
            return None


def operator_policy(entry: Entry, findings: Findings) -> Entry:
    """Return an operator policy as a policy, without an alternate: RabbitMQ takes none, and a finding says so."""
    definition = entry.data.get("definition")
    # An export of 3.10 has pairs here, as Erlang keeps them.
    pairs = definition.items() if isinstance(definition, Mapping) else definition
    if not isinstance(pairs, Iterable) or isinstance(pairs, str):
        refuse("topology.type", entry.at("definition"), mismatch("an object", kind_of(definition)))
    settings = {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2}
    if settings.pop(_ALTERNATE, None) is not None:
        message = f"RabbitMQ takes no {_ALTERNATE} in an operator policy; it is left out"
        findings.add("import.operator-policy", entry.at("definition"), message, "set it with a policy")
    return Entry({**entry.data, "definition": settings}, entry.path)


def queue_type(entry: Entry, arguments: Entry) -> str:
    """Return the type of a queue."""
    return str(arguments.data.get("x-queue-type") or entry.data.get("type") or "classic")


def dead_letters(
    entry: Entry, arguments: Entry, policies: Policies, limiting: Policies, version: tuple[int, int] | None
) -> list[Link]:
    """Return the ways of a queue's dead letters, of which one is its way; a stream keeps its messages.

    ``limiting`` are the operator policies, ``version`` the first numbers of RabbitMQ's where it is known.
    """
    name, kind = entry.text("name"), queue_type(entry, arguments)
    if kind == "stream":
        return []
    own = {of[2:]: value for of, value in arguments.data.items() if of.startswith("x-") and value is not None}
    ways: dict[Link | None, dict[str, None]] = {}
    deciding, limits = policies.of_queue(name, kind), limiting.of_queue(name, kind)
    for policy, limit in product(deciding, limits):
        settings = own if policy is None else {**policy.definition.data, **own}
        if limit is not None:
            settings = settings | {of: value for of, value in limit.definition.data.items() if of in _LIMITS}
        too_often = _too_often(settings.get("delivery-limit"), version) if kind == "quorum" else ""
        counting = [one.name for one, of in ((policy, deciding), (limit, limits)) if one is not None and len(of) > 1]
        ways.setdefault(_letters(name, settings, entry.path, too_often), {}).update(dict.fromkeys(counting))
    if len(ways) == 1:
        return [link for link in ways if link is not None]
    policies.warn_of_tie(deciding, name, entry.path)
    limiting.warn_of_tie(limits, name, entry.path)
    return [replace(link, when=f"{link.when}, if {_counting(of)}") for link, of in ways.items() if link is not None]


def _counting(names: Iterable[str]) -> str:
    listed = " or ".join(map(repr, names))
    return f"the policy {listed} counts" if listed else "no policy counts"


def _letters(name: str, settings: Mapping[str, Any], path: str, too_often: str) -> Link | None:
    exchange, key = settings.get("dead-letter-exchange"), settings.get("dead-letter-routing-key")
    if not isinstance(exchange, str):
        return None
    key = key if isinstance(key, str) else None
    return Link("dead-letter", _when(settings, too_often), name, exchange, key=key, path=path)


def _too_often(limit: object, version: tuple[int, int] | None) -> str:
    """Return whether a quorum queue lets go of what it has delivered too often, in words; empty if it does not."""
    if isinstance(limit, int):
        return "delivered too often" if limit >= 0 else ""
    if version is None:
        return f"from RabbitMQ {'.'.join(map(str, _DEFAULT_LIMIT))} on delivered too often"
    return "delivered too often" if version >= _DEFAULT_LIMIT else ""


def _when(settings: Mapping[str, Any], too_often: str) -> str:
    """Return when a queue makes dead letters, in words."""
    conditions = ["rejected", "expired"]
    limited = settings.get("max-length") is not None or settings.get("max-length-bytes") is not None
    if limited and settings.get("overflow") != "reject-publish":
        conditions.append("over the queue's length")
    conditions += [too_often] if too_often else []
    return f"{', '.join(conditions[:-1])} or {conditions[-1]}"


def federation(policies: Policies, exchanges: list[Exchange], queues: tuple[Queue, ...]) -> Iterator[Link]:
    """Yield the links from upstream brokers to what a policy federates."""
    for exchange in exchanges:
        if policies.federates("exchange", exchange.name):
            yield Link("federation", "published upstream", None, exchange.name, path=exchange.path)
    for queue in queues:
        if policies.federates("queue", queue.name):
            when = "waiting upstream while it has consumers here"
            yield Link("federation", when, None, queue.name, destination_type="queue", path=queue.path)


def shovel(entry: Entry, vhost: str | None, streams: Set[str], findings: Findings) -> Link | None:
    """Return the link of a shovel; None where both its ends are on other brokers.

    The queues among ``streams`` keep what a shovel reads, from the offset on that its consumer begins at.
    """
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
    is_kept = source_type == "queue" and source in streams
    when = f"{'copied' if is_kept else 'moved'} by the shovel {entry.text('name', '')}"
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
    """Return the queue or the exchange of this broker at an end of a shovel."""
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
