"""RabbitMQ's policies: which of them counts for an exchange or a queue.

The policy of highest priority that matches a name counts, alone; the broker takes any of several with one priority, by
the order of a hash table, so that what they set is possible. A policy with a setting that a type of queue does not have
matches no queue of that type. A queue's own argument goes before a policy. Operator policies are merged with it setting
by setting, but RabbitMQ refuses ``alternate-exchange`` in one: it limits queues. An export has them among its
``parameters``, with a definition that is an object or a list of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.entries import Entry, Findings, kind_of, refuse
from transpiler.base.regex.search import Regular, SearchLimitError, compile_regular
from transpiler.base.regex.syntax import Flavor, RegexError
from transpiler.topology.targets import TargetType

#: The values of ``apply-to`` of policies for exchanges; those of the others are kinds of queues.
_FOR_EXCHANGES = ("all", "exchanges")
_FOR_QUEUES = ("queues", "classic_queues", "quorum_queues", "streams")

_ALTERNATE = "alternate-exchange"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: its place in the file, what it is ``applied`` to, and its settings."""

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


_OF_MIRRORS = "ha-mode ha-params ha-sync-mode ha-promote-on-shutdown ha-promote-on-failure queue-master-locator"
_OF_STREAMS = "max-age stream-max-segment-size-bytes initial-cluster-size"

#: Settings by which a policy does not match queues of a type: those of RabbitMQ 3.12 and later.
UNKNOWN_TO: Mapping[str, frozenset[str]] = {
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
        self._policies: list[tuple[Policy, Regular | None]] = []
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

    def _policy(self, entry: Entry) -> Policy | None:
        applied = entry.text("apply-to", "all")
        if applied not in (*_FOR_EXCHANGES, *_FOR_QUEUES):
            message = f"{applied!r} is not understood; the policy is taken for one of queues"
            self._findings.add("import.unknown", entry.at("apply-to"), message)
            return None
        definition = Entry.of(entry.data.get("definition") or {}, entry.at("definition"))
        priority = entry.data.get("priority") or 0
        if isinstance(priority, bool) or not isinstance(priority, int | float):
            refuse("topology.type", entry.at("priority"), "expected a number")
        return Policy(entry.text("name", ""), priority, entry, applied, definition)

    def of_queue(self, name: str, kind: str) -> list[Policy | None]:
        """Return the policies of which one counts for a queue of a kind; None where perhaps none does."""
        applied = ("all", "queues", "streams" if kind == "stream" else f"{kind}_queues")
        return self._deciding(name, applied, UNKNOWN_TO.get(kind, frozenset()))

    def federating(self, kind: TargetType, name: str) -> list[Entry]:
        """Return the definitions of policies that give, or may give, an exchange or a queue an upstream."""
        applied = _FOR_EXCHANGES if kind == "exchange" else ("all", "queues", "classic_queues")
        found = (one.definition for one in self._deciding(name, applied) if one is not None)
        return [one for one in found if any(setting.startswith("federation") for setting in one.data)]

    def _deciding(self, name: str, applied: tuple[str, ...], unknown: Set[str] = frozenset()) -> list[Policy | None]:
        """Return the policies of which one counts for a name; None where no policy may match.

        One with settings that are ``unknown`` to the kind of queue does not match it.
        """
        found: list[Policy | None] = []
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

    def warn_of_tie(self, found: list[Policy | None], name: str, path: str) -> None:
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

    def _pattern(self, policy: Policy, decides: bool, of_queues: bool) -> Regular | None:
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
