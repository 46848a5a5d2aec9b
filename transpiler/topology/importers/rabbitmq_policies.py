"""RabbitMQ's policies, as far as messages go by them: alternates of exchanges, dead letters of queues, federation.

Of the policies that match a name the one of highest priority counts, alone. Operator policies are merged with it
setting by setting, but RabbitMQ refuses ``alternate-exchange`` in one: its settings limit queues. An export has them
among its ``parameters``, with a definition that is an object or a list of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from transpiler.diagnostics import mismatch
from transpiler.message.json import kind_of
from transpiler.regex.search import Regular, SearchLimitError, compile_regular
from transpiler.regex.syntax import Flavor, RegexError
from transpiler.topology.importers.json_reader import Entry, Findings, refuse
from transpiler.topology.model import DestinationType

#: The values of ``apply-to`` of policies for exchanges; those of the others are kinds of queues.
_FOR_EXCHANGES = ("all", "exchanges")
_FOR_QUEUES = ("queues", "classic_queues", "quorum_queues", "streams")

_ALTERNATE = "alternate-exchange"


@dataclass(frozen=True, slots=True)
class _Policy:
    name: str
    priority: float
    entry: Entry
    applied: str
    definition: Mapping[str, Any]

    @property
    def alternate(self) -> str | None:
        """The alternate that it gives to exchanges."""
        if self.applied not in _FOR_EXCHANGES:
            return None
        definition = Entry(self.definition, self.entry.at("definition"))
        return definition.text(_ALTERNATE) if definition.has(_ALTERNATE) else None


class Policies:
    """The policies of a virtual host."""

    def __init__(self, entries: Iterator[Entry], findings: Findings) -> None:
        self._findings = findings
        policies = [policy for entry in entries if (policy := self._policy(entry)) is not None]
        policies.sort(key=lambda policy: -policy.priority)
        self._policies = []
        lowest = min((policy.priority for policy in policies if policy.alternate is not None), default=None)
        for policy in policies:
            # Of two with one priority the broker takes either.
            pattern = self._pattern(
                policy, policy.applied in _FOR_EXCHANGES and lowest is not None and policy.priority >= lowest
            )
            if pattern is not None:
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
        return _Policy(entry.text("name", ""), priority, entry, applied, definition.data)

    def of_queue(self, name: str, kind: str = "classic") -> Mapping[str, Any]:
        """Return the settings that the policies give to a queue of a kind; none where a pattern cannot be tried."""
        applied = ("all", "queues", "streams" if kind == "stream" else f"{kind}_queues")
        return self._settings(name, applied)

    def federates(self, kind: DestinationType, name: str) -> bool:
        """Return True if a policy gives an exchange or a queue an upstream."""
        settings = self._settings(name, _FOR_EXCHANGES) if kind == "exchange" else self.of_queue(name)
        return any(setting.startswith("federation") for setting in settings)

    def _settings(self, name: str, applied: tuple[str, ...]) -> Mapping[str, Any]:
        try:
            for policy, pattern in self._policies:
                if policy.applied in applied and pattern.search(name):
                    return policy.definition
        except SearchLimitError:
            pass
        return {}

    def _pattern(self, policy: _Policy, decides: bool) -> Regular | None:
        """Return a policy's regular expression, which is tried on names in a time that grows with their length.

        One that is not served is refused where it ``decides`` about an alternate, its own or that of one behind it.
        """
        place = policy.entry.at("pattern")
        try:
            return compile_regular(policy.entry.text("pattern"), Flavor.PCRE)
        except RegexError as error:
            message = f"is no regular expression that is served: {error}"
            hint = "spell the names out" if not error.wrong else None
            if decides:
                refuse("topology.pattern", place, message, hint)
            self._findings.add("import.pattern", place, f"{message}; the policy is left out", hint)
            return None

    def alternate(self, exchange: str, path: str) -> str | None:
        """Return the alternate that the policies give to an exchange; findings name ``path``, its place in the file."""
        try:
            for_exchanges = ((one, pattern) for one, pattern in self._policies if one.applied in _FOR_EXCHANGES)
            matching = [policy for policy, pattern in for_exchanges if pattern.search(exchange)]
        except SearchLimitError as error:
            refuse("topology.pattern", "policies", f"a pattern cannot be tried on an exchange's name: {error}")
        if not matching:
            return None
        first = matching[0]
        for other in matching[1:]:
            if other.priority == first.priority and other.alternate != first.alternate:
                message = f"the policies {first.name!r} and {other.name!r} match {exchange!r} with one priority"
                hint = f"the broker takes either, and here it is {first.name!r}: give them unlike priorities"
                self._findings.add("import.policy", path, message, hint)
                break
        return first.alternate


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
