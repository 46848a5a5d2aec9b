"""Which policies of RabbitMQ, and which address settings of Artemis, are in effect, and which settings they hide.

Of RabbitMQ's policies that match a name the one of highest priority counts, alone (``rabbit_policy:match_all``).
Artemis merges all settings that match an address, the most specific first (``HierarchicalObjectRepository``). Which
entry of ActiveMQ's policies counts is not computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from transpiler.base.regex.search import SearchLimitError, compile_regular
from transpiler.base.regex.syntax import Flavor, RegexError
from transpiler.base.topics import MANY_WORDS
from transpiler.tools.topology_report.labels import Finding
from transpiler.topology.importers.artemis_addresses import matches_later
from transpiler.topology.importers.rabbitmq_policies import UNKNOWN_TO
from transpiler.topology.model import Topology

#: The settings of a policy that say what it matches.
_WHERE = ("pattern", "apply-to", "priority")

_ADDRESS_SETTING, _POLICIES = "address-setting", ("policy", "operator policy")


def policies(topology: Topology) -> Iterator[Finding]:
    """Yield for each queue, exchange and address the policies in effect, and the policies that match nothing."""
    listed: dict[tuple[str, str], dict[str, str]] = {}
    for one in topology.settings:
        if one.kind in (*_POLICIES, _ADDRESS_SETTING):
            listed.setdefault((one.kind, one.of), {})[one.name] = one.value
    matched: set[tuple[str, str]] = set()
    of_addresses = {of: values for (kind, of), values in listed.items() if kind == _ADDRESS_SETTING}
    yield from _address_settings(topology, of_addresses, matched)
    for kind in _POLICIES:
        found = [_Policy(kind, of, values) for (one, of), values in listed.items() if one == kind]
        yield from _policies(topology, found, matched)
    if any(one.kind == "policyEntry" for one in topology.settings):
        yield Finding("policy", "policyEntry", "which of ActiveMQ's policies counts at a destination is not computed")
    for kind, of in listed:
        if (kind, of) not in matched:
            yield Finding("policy", f"{kind} {of}", "it matches nothing in the file")


class _Policy(NamedTuple):
    """A policy of RabbitMQ, with its settings and with what it matches."""

    kind: str
    name: str
    values: Mapping[str, str]

    @property
    def priority(self) -> float:
        """The priority, by which the highest counts."""
        return float(self.values.get("priority", "0"))

    @property
    def text(self) -> str:
        """The policy's name, its priority and its settings."""
        return f"{self.kind} {self.name} (priority {self.values.get('priority', '0')}): {_settings(self.values)}"

    def applies(self, kind: str, name: str, queue_type: str) -> bool | None:
        """Return whether the policy matches an exchange or a queue; None if its pattern is not evaluated."""
        applied = self.values.get("apply-to", "all")
        of_type = "streams" if queue_type == "stream" else f"{queue_type}_queues"
        fitting = ("all", "exchanges") if kind == "exchange" else ("all", "queues", of_type)
        if applied not in fitting or (kind == "queue" and UNKNOWN_TO.get(queue_type, set()) & self.values.keys()):
            return False
        try:
            return compile_regular(self.values.get("pattern", ""), Flavor.PCRE).search(name)
        except (RegexError, SearchLimitError):
            return None


def _policies(topology: Topology, listed: list[_Policy], matched: set[tuple[str, str]]) -> Iterator[Finding]:
    types = {one.of: one.value for one in topology.settings if (one.kind, one.name) == ("queue", "queue-type")}
    own: dict[str, dict[str, str]] = {}
    for one in topology.settings:
        if one.kind == "queue":
            own.setdefault(one.of, {})[one.name] = one.value
    nodes = chain(
        (("queue", one.name) for one in topology.queues if one.declared),
        (("exchange", one.name) for one in topology.exchanges if one.declared and not one.internal),
    )
    for kind, name in nodes:
        found = []
        for policy in listed:
            answer = policy.applies(kind, name, types.get(name, "classic"))
            if answer is not False:
                matched.add((policy.kind, policy.name))
                found.append((policy, answer is None))
        found.sort(key=lambda one: -one[0].priority)
        if not found:
            continue
        first, *others = found
        parts = [first[0].text + (", if its pattern matches, which is not evaluated" if first[1] else "")]
        ties = [one for one, _ in others if one.priority == first[0].priority]
        parts += [f"or, as the broker chooses, {one.text}" for one in ties]
        parts += [f"hides {one.text}" for one, _ in others if one not in ties]
        kept = {of: value for of, value in own.get(name, {}).items() if kind == "queue" and of in first[0].values}
        parts += [f"the queue's own arguments go before it: {_settings(kept)}"] if kept else []
        yield Finding("policy", name, "; ".join(parts), (kind, name))


def _settings(values: Mapping[str, str]) -> str:
    return ", ".join(f"{of} {value}" for of, value in values.items() if of not in _WHERE) or "nothing"


def _address_settings(
    topology: Topology, listed: Mapping[str, Mapping[str, str]], matched: set[tuple[str, str]]
) -> Iterator[Finding]:
    if not listed:
        return
    topic = topology.rules.topic
    words = {match: topic.name_pattern(match) for match in listed}
    # The most specific first: without any-words, then longer ones.
    ordered = sorted(listed, key=lambda match: (MANY_WORDS in words[match], -len(match)))
    for address in topology.exchange_by_name:
        found = [one for one in ordered if address and matches_later(words[one], topic.name_pattern(address))]
        if not found:
            continue
        matched.update((_ADDRESS_SETTING, one) for one in found)
        values: dict[str, tuple[str, str]] = {}
        hidden: list[str] = []
        for match in found:
            for name, value in listed[match].items():
                if name in values:
                    hidden.append(f"{name} {value} of {match}")
                values.setdefault(name, (value, match))
        text = ", ".join(f"{name} {value} (of {match})" for name, (value, match) in values.items())
        more = f"; hides {', '.join(hidden)}" if hidden else ""
        yield Finding("policy", address, text + more, ("exchange", address))
