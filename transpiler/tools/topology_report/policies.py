"""The effective policies of RabbitMQ and address settings of Artemis, and the settings that they hide.

Of the RabbitMQ policies that match a name, only the policy with the highest priority applies
(``rabbit_policy:match_all``). A queue's own argument overrides the policy, with two exceptions. For limits and times,
the lower value applies (``rabbit_amqqueue_process:process_args_policy``,
``rabbit_quorum_queue:resolve_delivery_limit``). For the type of delayed retries, the policy's value applies
(``rabbit_quorum_queue:get_delayed_retry_config``). An operator policy overrides a policy, except that of limits the
stricter one applies (``rabbit_policies:merge_policy_value``). Artemis merges all address settings that match an
address, the most specific first (``HierarchicalObjectRepository``). Of ActiveMQ's policy entries that match a
destination only the closest applies (``PolicyMap.getEntryFor``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from transpiler.base.regex.search import SearchLimitError, compile_regular
from transpiler.base.regex.syntax import Flavor, RegexError
from transpiler.base.topics import MANY_WORDS
from transpiler.tools.topology_report.labels import Finding
from transpiler.topology.importers.activemq_patterns import matching_patterns
from transpiler.topology.importers.artemis_addresses import matches_later
from transpiler.topology.importers.rabbitmq_policies import UNKNOWN_TO
from transpiler.topology.model import Topology

#: The settings of a policy that determine which names it matches.
_WHERE = ("pattern", "apply-to", "priority")

#: The rules for a setting that both a policy and the queue's argument have. For ``_LOWER`` settings the lower value
#: applies, and for ``_OF_POLICY`` settings the policy's value. For any other setting, the argument applies.
_LOWER = frozenset(
    "expires message-ttl max-length max-length-bytes delivery-limit delayed-retry-min delayed-retry-max".split()
)
_OF_POLICY = frozenset({"delayed-retry-type"})
#: The rules for a setting that both a policy and an operator policy have. For ``_LOWER_OF_OPERATOR`` settings the lower
#: value applies, for ``_HIGHER_OF_OPERATOR`` settings the higher one. For any other setting, the value of the operator
#: policy applies.
_LOWER_OF_OPERATOR, _HIGHER_OF_OPERATOR = (
    _LOWER - {"delayed-retry-min"},
    frozenset({"delayed-retry-min", "target-group-size"}),
)

_ADDRESS_SETTING, _POLICIES = "address-setting", ("policy", "operator policy")
#: ``_POLICY_ENTRY`` is the kind of ActiveMQ's policies. ``_DEFAULT_ENTRY`` is the name of the policy that applies to a
#: destination if no other policy matches it.
_POLICY_ENTRY, _DEFAULT_ENTRY = "policyEntry", "default"


class InEffect(NamedTuple):
    """The effective value of a setting, and its source: a policy, an argument or an address pattern.

    ``condition`` is the condition in words under which this value applies; empty if it certainly applies.
    """

    value: str
    of: str
    condition: str = ""


def policies(topology: Topology) -> Iterator[Finding]:
    """Yield the effective policies of each queue, exchange and address, and then the policies that match no element."""
    listed = _listed(topology)
    matched: set[tuple[str, str]] = set()
    yield from _address_settings(topology, listed, matched)
    for kind in _POLICIES:
        yield from _policies(topology, _of_kind(listed, kind), matched)
    yield from _policy_entries(topology, listed, matched)
    nodes = [*_nodes(topology)]
    for (kind, of), values in listed.items():
        # Clients can create destinations of ActiveMQ. So a policy that matches no destination in the file may still be
        # needed.
        if (kind, of) in matched or kind == _POLICY_ENTRY:
            continue
        policy = _Policy(kind, of, values)
        reasons = (policy.why_not(node) for node in (nodes if kind in _POLICIES else ()) if policy.names(node.name))
        reason = next(reasons, "its pattern matches nothing in the file")
        yield Finding("policy", f"{kind} {of}", reason)


def _listed(topology: Topology) -> dict[tuple[str, str], dict[str, str]]:
    """Return the settings, by name, of each policy and of each address setting.

    A policy is identified by its kind and name, an address setting by its kind and pattern.
    """
    listed: dict[tuple[str, str], dict[str, str]] = {}
    for one in topology.settings:
        if one.kind in (*_POLICIES, _ADDRESS_SETTING, _POLICY_ENTRY):
            listed.setdefault((one.kind, one.of), {})[one.name] = one.value
    return listed


def _of_kind(listed: Mapping[tuple[str, str], Mapping[str, str]], kind: str) -> list[_Policy]:
    return [_Policy(kind, of, values) for (one, of), values in listed.items() if one == kind]


def queue_settings(topology: Topology) -> dict[str, dict[str, InEffect]]:
    """Return the effective settings of each queue of RabbitMQ or Broker-J, from its arguments and its policies."""
    own = _arguments(topology)
    found: dict[str, dict[str, InEffect]] = {}
    for name, applied in applied_policies(topology).items():
        values = {of: InEffect(value, "argument") for of, value in own.get(name, {}).items()}
        for of, effect in applied.settings.items():
            if of not in values or of in _OF_POLICY or _is_lower(of, effect.value, values[of].value):
                values[of] = effect
        found[name] = values
    return found


class Applied(NamedTuple):
    """The policies that apply to a queue of RabbitMQ, and their merged settings.

    ``names`` maps "policy" and "operator policy" to the name of the policy, empty if no policy applies. A kind is
    absent if it is not certain which policy applies.
    """

    names: Mapping[str, str]
    settings: Mapping[str, InEffect]


def applied_policies(topology: Topology) -> dict[str, Applied]:
    """Return the policies that apply to each queue of RabbitMQ, by the name of the queue."""
    listed, own = _listed(topology), _arguments(topology)
    kinds = {kind: _of_kind(listed, kind) for kind in _POLICIES}
    found: dict[str, Applied] = {}
    for queue in topology.queues:
        queue_type = own.get(queue.name, {}).get("queue-type", "classic")
        names: dict[str, str] = {}
        settings: dict[str, InEffect] = {}
        for kind, policies_ in kinds.items():
            deciding = _matching(policies_, _Node("queue", queue.name, queue_type))
            if not deciding:
                names[kind] = ""
                continue
            first, is_open = deciding[0]
            if not is_open and all(other.priority < first.priority for other, _ in deciding[1:]):
                names[kind] = first.name
            for name, value in first.values.items():
                if name not in _WHERE and _operator_wins(name, value, settings.get(name)):
                    settings[name] = InEffect(value, f"{kind} {first.name}", _condition(deciding))
        found[queue.name] = Applied(names, settings)
    return found


def _condition(matching: list[tuple[_Policy, bool]]) -> str:
    """Return a text for the condition under which the first of ``matching`` applies; empty if it certainly applies.

    ``matching`` are policies in order of priority, each with True if it is unknown whether its pattern matches.
    """
    if not matching:
        return ""
    (first, is_open), *others = matching
    name = f"the {first.kind} {first.name}"
    if is_open:
        return f"if the pattern of {name} matches, which is not evaluated"
    if any(one.priority == first.priority for one, _ in others):
        return f"if the broker chooses {name} among those with its priority"
    return ""


def _operator_wins(name: str, value: str, of_policy: InEffect | None) -> bool:
    """Return True if the operator policy's ``value`` applies, False if the value of the ordinary policy applies.

    Both policies of RabbitMQ may have the setting ``name``. ``of_policy`` is the ordinary policy's value, None if it
    has no such setting.
    """
    if of_policy is None:
        return True
    if name in _HIGHER_OF_OPERATOR:
        return _is_less(of_policy.value, value)
    return name not in _LOWER_OF_OPERATOR or _is_lower(name, value, of_policy.value)


def _is_less(value: str, than: str) -> bool:
    """Return True if ``value`` and ``than`` are integers, and ``value`` is the lower one."""
    try:
        return int(value) < int(than)
    except ValueError:
        return False


def _is_lower(name: str, value: str, than: str) -> bool:
    """Return True if the limit ``value`` of the setting ``name`` applies instead of ``than``, because it is lower.

    A negative delivery limit means no limit.
    """
    if name == "delivery-limit" and (_is_less(value, "0") or _is_less(than, "0")):
        return _is_less(than, value)
    return name in _LOWER and _is_less(value, than)


def address_settings(topology: Topology) -> Callable[[str], dict[str, InEffect]]:
    """Return a function that maps an address of Artemis to its effective settings.

    Each setting comes with the address pattern that sets it.
    """
    listed = {of: values for (kind, of), values in _listed(topology).items() if kind == _ADDRESS_SETTING}
    return lambda address: _merged(topology, listed, address)[0]


class _Node(NamedTuple):
    """A queue or exchange of RabbitMQ. ``queue_type`` is the type of a queue, and meaningless for an exchange."""

    kind: str
    name: str
    queue_type: str


def _nodes(topology: Topology) -> Iterator[_Node]:
    """Yield the queues and exchanges of the file to which policies can apply."""
    arguments = _arguments(topology)
    for queue in topology.queues:
        if queue.declared:
            yield _Node("queue", queue.name, arguments.get(queue.name, {}).get("queue-type", "classic"))
    for exchange in topology.exchanges:
        if exchange.declared and not exchange.internal:
            yield _Node("exchange", exchange.name, "")


class _Policy(NamedTuple):
    """A policy of RabbitMQ with its settings, which include the pattern of the names that it matches."""

    kind: str
    name: str
    values: Mapping[str, str]

    @property
    def priority(self) -> float:
        """The priority of the policy. Of all policies that match, the one with the highest priority applies."""
        return float(self.values.get("priority", "0"))

    @property
    def text(self) -> str:
        """The name, priority and settings of the policy, as text."""
        return f"{self.kind} {self.name} (priority {self.values.get('priority', '0')}): {_settings(self.values)}"

    def names(self, name: str) -> bool | None:
        """Return True if the pattern of the policy matches ``name``; None if the pattern is not evaluated."""
        try:
            return compile_regular(self.values.get("pattern", ""), Flavor.PCRE).search(name)
        except (RegexError, SearchLimitError):
            return None

    def why_not(self, node: _Node) -> str:
        """Return why the policy does not apply to ``node``, although its pattern matches; empty if it applies."""
        applied = self.values.get("apply-to", "all")
        of_type = "streams" if node.queue_type == "stream" else f"{node.queue_type}_queues"
        fitting = ("all", "exchanges") if node.kind == "exchange" else ("all", "queues", of_type)
        if applied not in fitting:
            return f"its pattern matches {node.name}, but it applies only to {applied}"
        unknown = UNKNOWN_TO.get(node.queue_type, frozenset()) & self.values.keys() if node.kind == "queue" else ()
        if unknown:
            listed = ", ".join(sorted(unknown))
            return f"its pattern matches {node.name}, but a {node.queue_type} queue has no {listed}"
        return ""

    def applies(self, node: _Node) -> bool | None:
        """Return True if the policy applies to ``node``; None if its pattern is not evaluated."""
        return False if self.why_not(node) else self.names(node.name)


def _arguments(topology: Topology) -> dict[str, dict[str, str]]:
    own: dict[str, dict[str, str]] = {}
    for one in topology.settings:
        if one.kind == "queue":
            own.setdefault(one.of, {})[one.name] = one.value
    return own


def _matching(listed: list[_Policy], node: _Node) -> list[tuple[_Policy, bool]]:
    """Return the policies of ``listed`` that apply to ``node``; the first of them is the one that counts.

    Each policy comes with True if it is not certain that it matches.
    """
    answers = [(policy, policy.applies(node)) for policy in listed]
    found = [(policy, answer is None) for policy, answer in answers if answer is not False]
    return sorted(found, key=lambda one: -one[0].priority)


def _policies(topology: Topology, listed: list[_Policy], matched: set[tuple[str, str]]) -> Iterator[Finding]:
    arguments = _arguments(topology)
    for node in _nodes(topology):
        kind, name, _ = node
        own = arguments.get(name, {}) if kind == "queue" else {}
        found = _matching(listed, node)
        matched.update((policy.kind, policy.name) for policy, _ in found)
        if not found:
            continue
        first, *others = found
        parts = [first[0].text + (", if its pattern matches, which is not evaluated" if first[1] else "")]
        ties = [one for one, _ in others if one.priority == first[0].priority]
        parts += [f"or, as the broker chooses, {one.text}" for one in ties]
        parts += [f"hides {one.text}" for one, _ in others if one not in ties]
        both = {of: value for of, value in own.items() if of in first[0].values}
        kept = {of: value for of, value in both.items() if of not in _LOWER}
        parts += [f"the queue's own arguments go before it: {_settings(kept)}"] if kept else []
        lower = {
            of: first[0].values[of] if _is_lower(of, first[0].values[of], value) else value
            for of, value in both.items()
            if of in _LOWER
        }
        parts += (
            [f"of the policy's limit and the queue's own the lower one counts: {_settings(lower)}"] if lower else []
        )
        yield Finding("policy", name, "; ".join(parts), (kind, name))


def _settings(values: Mapping[str, str]) -> str:
    return ", ".join(f"{of} {value}" for of, value in values.items() if of not in _WHERE) or "nothing"


def _address_settings(
    topology: Topology, listed: Mapping[tuple[str, str], Mapping[str, str]], matched: set[tuple[str, str]]
) -> Iterator[Finding]:
    of_addresses = {of: values for (kind, of), values in listed.items() if kind == _ADDRESS_SETTING}
    for address in topology.exchange_by_name if of_addresses else ():
        values, hidden, found = _merged(topology, of_addresses, address)
        matched.update((_ADDRESS_SETTING, one) for one in found)
        if found:
            text = ", ".join(f"{name} {value} (of {match})" for name, (value, match, _) in values.items())
            more = f"; hides {', '.join(hidden)}" if hidden else ""
            yield Finding("policy", address, text + more, ("exchange", address))


def destinations(topology: Topology) -> list[str]:
    """Return the destinations that a topology of ActiveMQ names, as ``queue://name`` or ``topic://name``."""
    named = dict.fromkeys((*topology.exchange_by_name, *(queue.name for queue in topology.queues)))
    return [destination for destination in named if "://" in destination]


def matching_entries(entries: Iterable[str], destination: str) -> list[str]:
    """Return those of ``entries`` that match ``destination`` in a map of ActiveMQ. Only the first of them applies.

    An entry is a kind of destinations and a pattern, such as ``queue a.>``. The entry ``default`` is returned only if
    no other entry matches (``PolicyMap.getEntryFor``, ``RedeliveryPolicyMap.getEntryFor``).
    """
    listed = [*entries]
    kind, _, name = destination.partition("://")
    patterns = [of.removeprefix(f"{kind} ") for of in listed if of.startswith(f"{kind} ")]
    found = [f"{kind} {pattern}" for pattern in matching_patterns(patterns, name)]
    return found or [of for of in listed if of == _DEFAULT_ENTRY]


def node_of(topology: Topology, destination: str) -> tuple[str, str]:
    """Return the node of ``destination`` as kind and name: a queue if ``topology`` has that queue, else an exchange."""
    return ("queue" if destination in topology.queue_names else "exchange", destination)


def _policy_entries(
    topology: Topology, listed: Mapping[tuple[str, str], Mapping[str, str]], matched: set[tuple[str, str]]
) -> Iterator[Finding]:
    """Yield for each destination of ActiveMQ the policy entry that applies, with the other entries that match.

    ``listed`` has the settings of each entry. Only one entry applies: unlike in Artemis, settings of the other entries
    are not merged, but hidden. All matching entries are added to ``matched``.
    """
    entries = {of: values for (kind, of), values in listed.items() if kind == _POLICY_ENTRY}
    queues_and_topics = destinations(topology)
    for destination in queues_and_topics if entries else ():
        found = matching_entries(entries, destination)
        matched.update((_POLICY_ENTRY, of) for of in found)
        if found:
            first, *others = [f"policyEntry {of}: {_settings(entries[of])}" for of in found]
            reason = "; ".join([first, *(f"hides {one}" for one in others)])
            yield Finding("policy", destination, reason, node_of(topology, destination))
    if entries and not queues_and_topics:
        yield Finding(
            "policy",
            _POLICY_ENTRY,
            f"the file declares no destination, so these policies match no declared destination: {', '.join(entries)}",
        )


def _merged(
    topology: Topology, listed: Mapping[str, Mapping[str, str]], address: str
) -> tuple[dict[str, InEffect], list[str], list[str]]:
    """Return the effective settings of ``address``, the hidden settings as text, and the patterns that match.

    ``listed`` maps an address pattern to its settings. A setting of a pattern is hidden if a more specific pattern has
    this setting, too.
    """
    topic = topology.rules.topic
    words = {match: topic.name_pattern(match) for match in listed}
    # Sort the patterns from specific to general, because the most specific pattern with a setting determines it.
    # Patterns without the multi-word wildcard come first, and longer patterns before shorter ones.
    ordered = sorted(listed, key=lambda match: (MANY_WORDS in words[match], -len(match)))
    found = [one for one in ordered if address and matches_later(words[one], topic.name_pattern(address))]
    values: dict[str, InEffect] = {}
    hidden: list[str] = []
    for match in found:
        for name, value in listed[match].items():
            if name in values:
                hidden.append(f"{name} {value} of {match}")
            values.setdefault(name, InEffect(value, match))
    return values, hidden, found
