"""Retries as timelines: how long a message waits between deliveries, how often it is delivered, and where it ends.

RabbitMQ retries in two ways. First, a rejected message is dead-lettered to a queue in which it expires, and then comes
back: the broker does not count these rounds, and drops a message only if it comes back without having been rejected
(``mc:is_cycle_v2``). Second, a quorum queue redelivers a message at once, or from RabbitMQ 4.3 on after a delay, up to
its delivery limit. Artemis waits for
``redelivery-delay``, multiplied for each delivery, up to ``max-redelivery-delay`` or by default ten times the delay
(``QueueImpl.calculateRedeliveryDelay``, ``AddressSettings``). Broker-J redelivers at once, up to
``maximumDeliveryAttempts``. In ActiveMQ the clients decide. If the broker has a ``redeliveryPlugin``, it sends a
message that a client gives up to its destination again, by the closest policy that matches the destination
(``RedeliveryPlugin.sendToDeadLetterQueue``, ``RedeliveryPolicyMap``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

from transpiler.tools.topology_report.labels import Finding
from transpiler.tools.topology_report.letters import Letters, State
from transpiler.tools.topology_report.policies import (
    InEffect,
    address_settings,
    destinations,
    matching_entries,
    node_of,
    queue_settings,
)
from transpiler.topology.model import Topology
from transpiler.topology.records import ATTEMPTS_ARGUMENT, Link
from transpiler.topology.setting import REDELIVERY, REDELIVERY_PLUGIN

#: Defaults of Artemis's ``AddressSettings``: at most ``_ATTEMPTS`` deliveries, and a maximum redelivery delay of
#: ``_TIMES_DELAY`` times the redelivery delay.
_ATTEMPTS, _TIMES_DELAY = 10, 10
#: The default delivery limit of RabbitMQ's quorum queues (``rabbit_quorum_queue``), and the first version that has it.
_QUORUM_LIMIT, _WITH_LIMIT = 20, (4, 0)
#: The first version of RabbitMQ whose quorum queues have delayed retries, and count only failed deliveries.
_WITH_DELAYS = (4, 3)
#: ``_MAX_LISTED`` is the maximum number of waits listed in a text, ``_MAX_STEPS`` that of queues passed between two
#: deliveries, and ``_MAX_DELIVERIES`` that of deliveries listed in JSON.
_MAX_LISTED, _MAX_STEPS, _MAX_DELIVERIES = 6, 12, 1000
#: Largest integer of a setting, and largest delay of ActiveMQ, in milliseconds: Java's largest long.
_LARGEST = 2**63 - 1

_BY_CONSUMER = (
    "the broker counts no rounds, so that it ends only where the consumer stops it, as by the count in x-death"
)


def retries(topology: Topology) -> Iterator[Finding]:
    """Yield for each queue with redelivery how long a message waits, how often it is delivered, and where it ends."""
    links: dict[str, list[Link]] = {}
    for link in topology.onward:
        if link.source is not None and link.source_type == "queue" and link.kind in ("dead-letter", "alternate"):
            links.setdefault(link.source, []).append(link)
    addressing = topology.rules.addressing
    if addressing.has_exchanges:
        settings = queue_settings(topology)
        yield from _by_expiry(topology, links, settings)
        yield from _by_limit(topology, links, settings)
    elif addressing.has_expiry_address:
        yield from _of_artemis(topology)
    else:
        yield from _of_activemq(topology)


def _by_expiry(
    topology: Topology, links: Mapping[str, list[Link]], settings: Mapping[str, Mapping[str, InEffect]]
) -> Iterator[Finding]:
    """Yield the retries of RabbitMQ in which a message waits in another queue until it expires and comes back."""
    letters = Letters(topology)
    waits = {name: wait for name, of in settings.items() if (wait := _number(of.get("message-ttl"))) is not None}
    for queue in topology.queues:
        for link in links.get(queue.name, ()):
            for round_ in _rounds(letters, queue.name, letters.target(link), waits):
                *waiting, last = round_
                if not waiting:
                    continue
                total = sum(waits[name] for name in waiting)
                way = " → ".join((*(f"{name} (waits {_time(waits[name])})" for name in waiting), last))
                timeline = [{"queue": name, "wait_ms": waits[name]} for name in waiting]
                if last == queue.name and queue.name in waits:
                    ends = "what expired all the way is dropped when it comes back; what was rejected goes round again"
                elif last == queue.name:
                    ends = _BY_CONSUMER
                elif last in waits:
                    # RabbitMQ detects cycles of dead letters: it drops a message that comes back to a queue if no
                    # consumer has rejected it on the way.
                    ends = f"the broker drops it when it comes to {last} again, for nobody has rejected it on the way"
                else:
                    ends = f"it stays in {last}"
                again = f"delivered again after {_time(total)}" if last == queue.name else f"there after {_time(total)}"
                details = _details(timeline, None if last == queue.name else 0, total, ends)
                open_ = [settings[name]["message-ttl"].condition for name in round_ if name in waits]
                reason = f"{link.when} → {way}: {again}; {ends}{_conditions(open_)}"
                yield Finding("retries", queue.name, reason, ("queue", queue.name), details)


def _conditions(listed: Iterable[str]) -> str:
    """Return the end of a sentence with the conditions in ``listed``, each once and without empty ones.

    The result is empty if there are no conditions.
    """
    found = [*dict.fromkeys(filter(None, listed))]
    return f"; this holds {' and '.join(found)}" if found else ""


def _rounds(letters: Letters, origin: str, start: State, waits: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield the sequences of queues through which a message passes from ``start`` on, waiting in each until it expires.

    A sequence ends at ``origin``, at a queue that is not in ``waits`` (the waiting times), or at a queue that it
    already contains.
    """
    pending: list[tuple[State, tuple[str, ...], frozenset[State]]] = [(start, (), frozenset())]
    found: dict[tuple[str, ...], None] = {}
    while pending:
        state, queues, seen = pending.pop()
        if state.kind == "queue":
            queues = (*queues, state.name)
            ends = state.name == origin or state.name not in waits or state in seen
            if ends or len(queues) > _MAX_STEPS or not letters.graph.get(state):
                found[queues] = None
                continue
        elif state in seen:
            continue
        pending += [(target, queues, seen | {state}) for target in sorted(letters.graph.get(state, ()), reverse=True)]
    yield from found


def _by_limit(
    topology: Topology, links: Mapping[str, list[Link]], settings: Mapping[str, Mapping[str, InEffect]]
) -> Iterator[Finding]:
    """Yield the queues that redeliver a rejected message at once, up to a limit."""
    for queue in topology.queues:
        of = settings.get(queue.name, {})
        if of.get("queue-type", InEffect("", "")).value == "quorum":
            finding = _of_quorum(topology, queue.name, of, _end(topology, links.get(queue.name, ())))
            listed = (of[name].condition for name in _OF_QUORUM if name in of)
            yield finding._replace(reason=finding.reason + _conditions(listed))
            continue
        limit = _number(of.get(ATTEMPTS_ARGUMENT))
        if limit is None or limit < 1:
            continue
        ends = _end(topology, links.get(queue.name, ()))
        reason = f"delivered {limit:,} times, again at once; then {ends}"
        timeline = [{"queue": queue.name, "wait_ms": 0}] * min(limit - 1, _MAX_DELIVERIES)
        yield Finding("retries", queue.name, reason, ("queue", queue.name), _details(timeline, limit, 0, ends))


#: The settings of RabbitMQ's quorum queues that affect retries.
_OF_QUORUM = ("delivery-limit", "delayed-retry-type", "delayed-retry-min", "delayed-retry-max")


def _of_quorum(topology: Topology, name: str, settings: Mapping[str, InEffect], ends: str) -> Finding:
    """Return the finding about redelivery in the quorum queue ``name``; ``ends`` says what follows the last delivery.

    RabbitMQ delays a message by the shortest delay times the number of its failed deliveries
    (``rabbit_fifo:should_delay``). A delivery whose message the consumer requeues has not failed; from RabbitMQ 4.3 on,
    it does not count towards the limit.
    """
    limit, source = _quorum_limit(topology, settings)
    version = _version(topology)
    delays = _delayed_retry(settings) if version is None or version >= _WITH_DELAYS else None
    kind, least, most = delays or ("", 0, 0)
    requeued = ""
    if kind in ("all", "returned"):
        requeued = f"; what a consumer requeues is delivered again after {_time(least)}"
    elif version is not None and version >= _WITH_DELAYS:
        requeued = "; what a consumer requeues is delivered again at once"
    requeued += ", which does not count" if requeued and limit is not None else ""
    count = _MAX_LISTED + 1 if limit is None else min(limit, _MAX_DELIVERIES)
    waits = [min(least * number, most) if kind in ("all", "failed") else 0 for number in range(1, count + 1)]
    shown = f"after {_listed(waits)}" if any(waits) else "at once"
    if limit is None and not delays:
        return Finding("retries", name, source + requeued, ("queue", name))
    timeline = [{"queue": name, "wait_ms": wait} for wait in waits]
    if limit is None:
        details = _details(timeline, None, sum(waits), None)
        return Finding("retries", name, f"{source}: delivered again {shown}{requeued}", ("queue", name), details)
    reason = f"delivered {limit + 1:,} times, again {shown} ({source}){requeued}; then {ends}"
    return Finding("retries", name, reason, ("queue", name), _details(timeline, limit + 1, sum(waits), ends))


def _delayed_retry(settings: Mapping[str, InEffect]) -> tuple[str, int, int] | None:
    """Return the type and the shortest and longest delay (in milliseconds) of delayed retries; None without them.

    The rules are those of ``rabbit_quorum_queue:get_delayed_retry_config``.
    """
    kind, least = settings.get("delayed-retry-type"), _number(settings.get("delayed-retry-min"))
    if kind is None or kind.value not in ("all", "failed", "returned") or least is None or least <= 0:
        return None
    most = _number(settings.get("delayed-retry-max"), least)
    return kind.value, least, most if most is not None and most > 0 else least


def _listed(waits: Sequence[int]) -> str:
    """Return ``waits`` as text, of which only the first are listed."""
    return ", ".join(map(_time, waits[:_MAX_LISTED])) + (", …" if len(waits) > _MAX_LISTED else "")


def _version(topology: Topology) -> tuple[int, int] | None:
    """Return the first two numbers of the broker's version; None if the version is not known."""
    version = re.match(r"(\d{1,9})\.(\d{1,9})", topology.version)
    return None if version is None else (int(version[1]), int(version[2]))


def _quorum_limit(topology: Topology, settings: Mapping[str, InEffect]) -> tuple[int | None, str]:
    """Return the delivery limit of a quorum queue, and where it comes from.

    If there is no known limit, return None and the reason.
    """
    given = settings.get("delivery-limit")
    limit = _number(given)
    if given is not None and limit is not None:
        return (limit, f"delivery-limit {limit}, {given.of}") if limit >= 0 else (None, "no delivery limit")
    version = _version(topology)
    if version is None:
        return None, f"from RabbitMQ 4.0 on delivered {_QUORUM_LIMIT + 1} times at most; before it without a limit"
    if version >= _WITH_LIMIT:
        return _QUORUM_LIMIT, f"delivery-limit {_QUORUM_LIMIT}, the default from RabbitMQ 4.0 on"
    return None, "delivered again at once and without a limit: it has no delivery-limit"


def _end(topology: Topology, links: Iterable[Link]) -> str:
    """Return where a message goes after its last delivery, as text."""
    targets = dict.fromkeys(
        f"{'queue' if link.destination_type == 'queue' else topology.rules.addressing.nouns[0]} "
        + (link.destination or "(default exchange)")
        + ("" if link.key is None or link.destination_type == "queue" else f" with key {link.key!r}")
        for link in links
        if link.destination is not None
    )
    return f"to {' and '.join(targets)}" if targets else "it is lost, without a dead-letter target"


def _of_activemq(topology: Topology) -> Iterator[Finding]:
    reason = "clients deliver again by their own redelivery policy, which is not in the broker's file"
    yield Finding("retries", topology.rules.name, reason)
    policies: dict[str, dict[str, InEffect]] = {}
    for one in topology.settings:
        if one.kind == REDELIVERY:
            policies.setdefault(one.of, {})[one.name] = InEffect(one.value, one.of)
    plugin = {one.name: one.value == "true" for one in topology.settings if one.kind == REDELIVERY_PLUGIN}
    if not plugin:
        return
    dead: dict[str, dict[str, None]] = {}
    for link in topology.onward:
        if link.kind == "dead-letter" and link.source is not None and link.destination is not None:
            dead.setdefault(link.source, {})[link.destination] = None
    unused = dict.fromkeys(policies)
    for index in destinations(topology):
        # The target of dead letters may be missing here: another file can define the dead-letter strategy, and the
        # queues of a topic's subscriptions are in no file.
        letters = f"to {' and '.join(dead[index])}" if index in dead else "to the dead-letter queue, if there is one"
        found = matching_entries(policies, index)
        if found:
            unused.pop(found[0], None)
            yield _redelivered(index, found[0], policies[found[0]], plugin, letters, node_of(topology, index))
        else:
            ends = f"it goes {letters}"
            if not plugin["fallbackToDeadLetter"]:
                ends = "it is lost, because fallbackToDeadLetter is false"
            reason = f"no policy of the broker's redeliveryPlugin matches: {ends}"
            yield Finding("retries", index, reason, node_of(topology, index), _details([], 0, 0, ends))
    for of in unused:
        subject = "other destinations" if of == "default" else f"destinations of {of}"
        yield _redelivered(subject, of, policies[of], plugin, "to the dead-letter queue, if there is one", None)


def _redelivered(
    subject: str,
    of: str,
    policy: Mapping[str, InEffect],
    plugin: Mapping[str, bool],
    letters: str,
    about: tuple[str, str] | None,
) -> Finding:
    """Return the finding about what a redelivery policy of ActiveMQ does.

    Args:
        subject: The destinations to which the policy applies.
        of: The entry of the policy, such as ``queue a.>``.
        policy: The settings of the policy.
        plugin: The settings of the broker's ``redeliveryPlugin``.
        letters: Where dead letters of the destinations go.
        about: The kind and name of the destination, None for several destinations.
    """
    ends = letters
    if not plugin["sendToDlqIfMaxRetriesExceeded"]:
        ends = "it is lost, because sendToDlqIfMaxRetriesExceeded is false"
    count, first = _number(policy.get("maximumRedeliveries"), 6), _number(policy.get("initialRedeliveryDelay"), 1000)
    delay, longest = _number(policy.get("redeliveryDelay"), 1000), _number(policy.get("maximumRedeliveryDelay"), -1)
    multiplier = _fraction(policy.get("backOffMultiplier"), 5.0)
    if count is None or first is None or delay is None or longest is None or multiplier is None:
        return Finding(
            "retries",
            subject,
            f"the delays cannot be calculated, because a setting of the policy {of} is not a number",
            about,
        )
    grows = "useExponentialBackOff" in policy and policy["useExponentialBackOff"].value == "true" and multiplier > 1
    waits = [first]
    for _ in range(min(count if count >= 0 else _MAX_LISTED, _MAX_DELIVERIES) - 1):
        following = int(min(waits[-1] * multiplier, _LARGEST)) if grows and waits[-1] > 0 else delay
        waits.append(max(longest, delay) if grows and longest != -1 and following > longest else following)
    waits = waits if count else []
    shown = _listed(waits)
    times = "without a limit" if count < 0 else "once" if count == 1 else f"{count:,} times"
    reason = f"the policy {of} of the broker's redeliveryPlugin delivers again {times}" + (
        f", after {shown}" if shown else ""
    )
    reason += "" if count < 0 else f"; then {ends}"
    timeline = [{"queue": subject, "wait_ms": wait} for wait in waits]
    limits = (None, None) if count < 0 else (count, ends)
    return Finding("retries", subject, reason, about, _details(timeline, limits[0], sum(waits), limits[1]))


def _of_artemis(topology: Topology) -> Iterator[Finding]:
    settings_at = address_settings(topology)
    addresses: dict[str, str] = {}
    for binding in topology.bindings:
        if binding.destination_type == "queue":
            addresses.setdefault(binding.destination, binding.source)
    links: dict[str, list[Link]] = {}
    for link in topology.onward:
        if link.kind == "dead-letter" and link.source is not None:
            links.setdefault(link.source, []).append(link)
    for queue in topology.queues:
        address = addresses.get(queue.name, queue.name)
        settings = settings_at(address)
        deliveries = _number(settings.get("max-delivery-attempts"), _ATTEMPTS)
        delay = _number(settings.get("redelivery-delay"), 0)
        multiplier = _fraction(
            settings.get("redelivery-delay-multiplier") or settings.get("redelivery-multiplier"), 1.0
        )
        factor = _fraction(settings.get("redelivery-collision-avoidance-factor"), 0.0)
        if deliveries is None or delay is None or multiplier is None or factor is None:
            yield Finding(
                "retries",
                queue.name,
                "the delays cannot be calculated, because a setting is not a number",
                ("queue", queue.name),
            )
            continue
        longest = _number(settings.get("max-redelivery-delay"), delay * _TIMES_DELAY)
        longest = delay * _TIMES_DELAY if longest is None else longest
        count = min(deliveries if deliveries > 0 else _MAX_LISTED + 1, _MAX_DELIVERIES)
        waits = list(islice(_growing(min(delay, longest), multiplier, longest), count - 1))
        ends = _end(topology, (*links.get(queue.name, ()), *(links.get(address, ()) if address != queue.name else ())))
        if settings.get("dead-letter-address", InEffect("", "")).value == address:
            # Artemis (``QueueImpl.sendToDeadLetterAddress``) moves a copy of the message even if the dead-letter
            # address is its own address.
            ends = f"back to address {address}, whose dead-letter address is the address itself"
        shown = _listed(waits)
        varied = f", each up to {factor:.0%} shorter or longer" if factor else ""
        times = f"delivered {deliveries} times" if deliveries > 0 else "delivered without a limit"
        again = f", again after {shown}{varied}" if delay else ", again at once"
        total = sum(waits)
        last = (
            f"; then {ends}, {_time(total)} after the first delivery" if deliveries > 0 and delay else f"; then {ends}"
        )
        reason = times + (again if count > 1 else "") + (last if deliveries > 0 else "")
        timeline = [{"queue": queue.name, "wait_ms": wait} for wait in waits]
        details = _details(timeline, deliveries if deliveries > 0 else None, total, ends if deliveries > 0 else None)
        yield Finding("retries", queue.name, reason, ("queue", queue.name), details)


def _details(timeline: list[dict[str, Any]], deliveries: int | None, total: int, ends: str | None) -> dict[str, Any]:
    """Return the JSON members of a finding about retries, such as ``timeline``.

    The timeline has the waits, each with the time at which it ends. ``deliveries`` is the number of deliveries, None if
    it is not limited. ``total`` is the time of all waits. ``ends`` states where the message ends. Times are in
    milliseconds.
    """
    after = accumulate(step["wait_ms"] for step in timeline)
    steps = [{**step, "until_ms": until} for step, until in zip(timeline, after, strict=True)]
    return {"timeline": steps, "deliveries": deliveries, "total_ms": total, "ends": ends}


def _growing(wait: int, multiplier: float, longest: int) -> Iterator[int]:
    """Yield an endless sequence of waits: ``wait``, then the last one times ``multiplier``, at most ``longest``."""
    exact: float = wait
    while True:
        yield int(exact)
        exact = min(exact * multiplier, longest)


def _number(setting: InEffect | None, default: int | None = None) -> int | None:
    """Return the value of ``setting`` as an integer; ``default`` if there is no setting (None).

    Return None if the value is not an integer that fits into Java's long, because the brokers accept no other number.
    """
    if setting is None:
        return default
    try:
        number = int(setting.value)
    except ValueError:
        return None
    return number if -_LARGEST - 1 <= number <= _LARGEST else None


def _fraction(setting: InEffect | None, default: float) -> float | None:
    """Return the value of ``setting`` as a number; ``default`` if it is None; None if it is not a finite number."""
    try:
        number = default if setting is None else float(setting.value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _time(milliseconds: int) -> str:
    """Return a duration as text in the largest unit without a fraction; otherwise in seconds with a fraction."""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size:,} {unit}"
    return f"{milliseconds:,} ms" if milliseconds < 1000 else f"{milliseconds / 1000:,.1f} s"
