"""RabbitMQ's policies: which policy applies to an exchange or a queue.

Only the matching policy with the highest priority applies. If several have the same priority, the broker chooses one by
the order of a hash table, so their settings are only possible. A policy with a setting that a type of queue does not
have matches no queue of this type. A queue's own argument takes precedence over a policy. Operator policies limit
queues: they are merged with the policy setting by setting, and RabbitMQ rejects ``alternate-exchange`` in them. An
export lists them among its ``parameters``, with a definition that is an object or a list of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.entries import Entry, Findings, kind_of, refuse
from transpiler.base.regex.search import Regular, SearchLimitError, compile_regular
from transpiler.base.regex.syntax import Flavor, RegexError
from transpiler.topology.targets import TargetType

#: Values of ``apply-to``. ``_FOR_EXCHANGES``: for policies that apply to exchanges. ``_FOR_QUEUES``: for policies that
#: apply only to queues, or to queues of one type.
_FOR_EXCHANGES = ("all", "exchanges")
_FOR_QUEUES = ("queues", "classic_queues", "quorum_queues", "streams")

_ALTERNATE = "alternate-exchange"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy. ``applied`` is its ``apply-to``, ``entry`` its entry in the file, and ``definition`` its settings."""

    name: str
    priority: float
    entry: Entry
    applied: str
    definition: Entry

    @property
    def gives_letters(self) -> bool:
        """True if the policy can set the dead-letter exchange of a queue."""
        return self.applied != "exchanges" and self.definition.has("dead-letter-exchange")

    @property
    def alternate(self) -> str | None:
        """The alternate exchange that the policy sets for exchanges; None if it does not set one."""
        if self.applied not in _FOR_EXCHANGES or not self.definition.has(_ALTERNATE):
            return None
        return self.definition.text(_ALTERNATE)


_OF_MIRRORS = "ha-mode ha-params ha-sync-mode ha-promote-on-shutdown ha-promote-on-failure queue-master-locator"
_OF_STREAMS = "max-age stream-max-segment-size-bytes initial-cluster-size"

#: For each type of queue, the settings that prevent a policy from matching such queues, in RabbitMQ 3.12 and later.
UNKNOWN_TO: Mapping[str, frozenset[str]] = {
    "classic": frozenset(f"{_OF_STREAMS} delivery-limit dead-letter-strategy".split()),
    "quorum": frozenset(f"{_OF_STREAMS} {_OF_MIRRORS} max-priority queue-mode".split()),
}


class Policies:
    """The policies (or the operator policies) of a virtual host."""

    def __init__(self, entries: Iterator[Entry], findings: Findings) -> None:
        self._findings = findings
        policies = [policy for entry in entries if (policy := self._policy(entry)) is not None]
        policies.sort(key=lambda policy: -policy.priority)
        #: The policies and the regular expressions by which they apply to names. None is an unsupported expression,
        #: which may match any name.
        self._policies: list[tuple[Policy, Regular | None]] = []
        #: The policies' regular expressions whose test on a name exceeded a limit. A finding has reported each of them.
        self._untried: list[Regular | None] = []
        #: The pairs of names of policies with the same priority that a finding has reported.
        self._tied: set[tuple[str, str]] = set()
        lowest = min((policy.priority for policy in policies if policy.alternate is not None), default=None)
        last = min((policy.priority for policy in policies if policy.gives_letters), default=None)
        for policy in policies:
            # A policy with a lower priority than every policy with an alternate exchange (or with a dead-letter
            # exchange) cannot affect the result. A policy with the same priority can, because RabbitMQ may choose
            # either of them.
            decides = policy.applied in _FOR_EXCHANGES and lowest is not None and policy.priority >= lowest
            of_queues = policy.applied != "exchanges" and last is not None and policy.priority >= last
            pattern = self._pattern(policy, decides, of_queues)
            if pattern is not None or decides or of_queues:
                self._policies.append((policy, pattern))

    def _policy(self, entry: Entry) -> Policy | None:
        applied = entry.text("apply-to", "all")
        if applied not in (*_FOR_EXCHANGES, *_FOR_QUEUES):
            message = f"{applied!r} is not supported; the policy is assumed to apply to queues"
            self._findings.add("import.unknown", entry.at("apply-to"), message)
            return None
        definition = Entry.of(entry.data.get("definition") or {}, entry.at("definition"))
        priority = entry.data.get("priority") or 0
        if isinstance(priority, bool) or not isinstance(priority, int | float):
            refuse("topology.type", entry.at("priority"), "expected a number")
        return Policy(entry.text("name", ""), priority, entry, applied, definition)

    def of_queue(self, name: str, kind: str) -> list[Policy | None]:
        """Return the candidates for the one policy that applies to the queue ``name`` of type ``kind``.

        There are several candidates if policies have the same priority, or if a policy's regular expression cannot be
        tested. None is a candidate if possibly no policy applies.
        """
        applied = ("all", "queues", "streams" if kind == "stream" else f"{kind}_queues")
        return self._deciding(name, applied, UNKNOWN_TO.get(kind, frozenset()))

    def federating(self, kind: TargetType, name: str) -> list[Entry]:
        """Return the definitions of policies that set, or may set, an upstream for an exchange or a queue."""
        applied = _FOR_EXCHANGES if kind == "exchange" else ("all", "queues", "classic_queues")
        found = (one.definition for one in self._deciding(name, applied) if one is not None)
        return [one for one in found if any(setting.startswith("federation") for setting in one.data)]

    def _deciding(self, name: str, applied: tuple[str, ...], unknown: Set[str] = frozenset()) -> list[Policy | None]:
        """Return the candidates for the one policy that applies to ``name``; None among them means possibly no policy.

        A policy is a candidate only if its ``apply-to`` is in ``applied``. ``unknown`` are the settings that the type
        of the queue lacks; a policy with such a setting does not match.
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
        """Add a finding, once for each pair, if policies with the same priority match ``name``."""
        policies = [one for one, pattern in self._policies if one in found and self._search(pattern, name)]
        if len(policies) < 2 or policies[0].priority != policies[-1].priority:
            return
        first, *_, last = policies
        if (first.name, last.name) not in self._tied:
            self._tied.add((first.name, last.name))
            message = f"the policies {first.name!r} and {last.name!r} match {name!r} with the same priority"
            hint = "the broker takes either, and what they set is possible: perhaps give them unlike priorities"
            self._findings.add("import.policy", path, message, hint)

    def _pattern(self, policy: Policy, decides: bool, of_queues: bool) -> Regular | None:
        """Return the compiled regular expression of a policy; add a finding and return None if it is not supported.

        The finding says what the policy may do to any name. ``decides`` is True if that includes alternate exchanges,
        and ``of_queues`` if it includes dead letters; the policy has such settings, or takes precedence over a policy
        that has. If both are False, the finding says that the policy is skipped.
        """
        location = policy.entry.at("pattern")
        try:
            return compile_regular(policy.entry.text("pattern"), Flavor.PCRE)
        except RegexError as error:
            message = f"the regular expression is not supported: {error}"
            hint = "perhaps list the names" if not error.wrong else None
            if decides and error.wrong:
                refuse("topology.pattern", location, message)
            fates = (
                ("the policy may set an alternate for each exchange", decides),
                ("the policy may change the dead-lettering", of_queues),
            )
            fate = " and ".join(text for text, holds in fates if holds) or "the policy is skipped"
            self._findings.add("import.pattern", location, f"{message}; {fate}", hint)
            return None

    def alternates(self, exchange: str, path: str) -> frozenset[str | None]:
        """Return the alternate exchanges that the policies may set for an exchange, of which it has exactly one.

        None in the set means that the exchange may have no alternate exchange. Findings name ``path``, the exchange's
        path in the file.
        """
        found = self._deciding(exchange, _FOR_EXCHANGES)
        alternates = frozenset(None if one is None else one.alternate for one in found)
        if len(alternates) > 1:
            self.warn_of_tie(found, exchange, path)
        return alternates

    def _search(self, pattern: Regular | None, name: str) -> bool | None:
        """Return True if the policy's regular expression matches ``name``; None if it cannot be tested."""
        try:
            return None if pattern is None else pattern.search(name)
        except SearchLimitError as error:
            if pattern not in self._untried:
                self._untried.append(pattern)
                message = f"a pattern cannot be tried on {name!r}, and may match names like it: {error}"
                self._findings.add("import.pattern", "policies", message)
            return None


def operator_policy(entry: Entry) -> Entry:
    """Return an operator policy with its definition as an object."""
    definition = entry.data.get("definition")
    # In an export of RabbitMQ 3.10, the definition is a list of pairs, as in Erlang.
    pairs = definition.items() if isinstance(definition, Mapping) else definition
    if not isinstance(pairs, Iterable) or isinstance(pairs, str):
        refuse("topology.type", entry.at("definition"), mismatch("an object", kind_of(definition)))
    settings = {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2}
    return Entry({**entry.data, "definition": settings}, entry.path)
