"""Effects of the permissions of a RabbitMQ user at each exchange and queue of a virtual host.

A permission is a regular expression that is searched in a name. An empty permission matches only the empty name, and
the default exchange has the name ``amq.default`` here (``rabbit_auth_backend_internal:check_resource_access``,
``rabbit_access_control``). Publishing requires write permission for the exchange. Binding requires write permission for
the destination and read permission for the source (``rabbit_channel:binding_action``). At a topic exchange, a topic
permission limits the routing keys; without one, every key is allowed (``check_topic_access``). The effects of a user's
tags in the management interface are not computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from transpiler.base.errors import TopologyError
from transpiler.base.regex.search import SearchLimitError, compile_regular
from transpiler.base.regex.syntax import Flavor, RegexError
from transpiler.tools.topology_report.labels import Finding, exchange_title
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.model import Topology, unknown_name
from transpiler.topology.records import DEFAULT_EXCHANGE, Exchange
from transpiler.topology.setting import DELAYED, PERMISSION, TOPIC_PERMISSION, USER, Setting

_ACTIONS = ("configure", "write", "read")
#: The action that each permission allows at an exchange, and at a queue, in words.
_AT_EXCHANGE: Mapping[str, str] = {
    "write": "publish to it",
    "read": "bind from it",
    "configure": "declare and delete it",
}
_AT_QUEUE: Mapping[str, str] = {"read": "consume from it", "write": "bind it", "configure": "declare and delete it"}
_OF_DEFAULT = "amq.default"


def allowed(topology: Topology, user: str) -> Iterator[Finding]:
    """Yield for each exchange and queue a finding on what ``user`` may do there.

    Args:
        topology: The topology of a virtual host, with the permissions of its file.
        user: The name of the user. Raises ``TopologyError`` if the file does not contain ``user``, or has no users.
    """
    users = [one.of for one in topology.settings if one.kind in (USER, PERMISSION)]
    if not users:
        raise TopologyError.at(
            "topology.unknown",
            "the file contains no users and permissions; perhaps export the definitions of the whole "
            "broker, which contain them",
        )
    if user not in users:
        raise unknown_name("user", user, dict.fromkeys(users), ())
    given = {one.name: one.value for one in topology.settings if (one.kind, one.of) == (PERMISSION, user)}
    of_topics = {one.name: one.value for one in topology.settings if (one.kind, one.of) == (TOPIC_PERMISSION, user)}
    if not given:
        yield Finding("allowed", user, "the user has no permissions in this virtual host, and cannot connect to it")
        return
    for exchange in topology.exchange_by_name.values():
        answers = {action: _matches(given.get(action, ""), exchange.name or _OF_DEFAULT) for action in _ACTIONS}
        if exchange.internal:
            answers["write"] = False
        if exchange.name == DEFAULT_EXCHANGE:
            # Clients cannot bind, declare or delete the default exchange, whatever their permissions are.
            answers["read"] = answers["configure"] = False
        limits = {}
        if _asks_for_topics(topology, exchange):
            limits = {
                action: of_topics[f"{action} {exchange.name}"]
                for action in ("write", "read")
                if f"{action} {exchange.name}" in of_topics
            }
        subject = exchange_title(exchange.name)
        yield _finding(subject, ("exchange", exchange.name), _AT_EXCHANGE, answers, limits)
    for queue in topology.queues:
        answers = {action: _matches(given.get(action, ""), queue.name) for action in _ACTIONS}
        yield _finding(queue.name, ("queue", queue.name), _AT_QUEUE, answers, {})


def _asks_for_topics(topology: Topology, exchange: Exchange) -> bool:
    """Return True if topic permissions apply to ``exchange``: it has the type topic, not a similar type of a plugin."""
    by_plugin = exchange.kind.requires_selector or exchange.kind.choosing is not None
    is_delayed = Setting("exchange", exchange.name, DELAYED, "true") in topology.settings
    return exchange.kind.key is KeyTest.WORDS and not by_plugin and not is_delayed


def _finding(
    subject: str,
    about: tuple[str, str],
    words: Mapping[str, str],
    answers: Mapping[str, bool | None],
    limits: Mapping[str, str],
) -> Finding:
    parts = []
    for action, text in words.items():
        if answers[action] is False:
            continue
        perhaps = "perhaps " if answers[action] is None else ""
        keys = f" with keys that match {limits[action] or '^$'}" if action in limits else ""
        parts.append(f"{perhaps}{text}{keys}")
    details = {**answers, **({"keys": dict(limits)} if limits else {})}
    return Finding("allowed", subject, f"may {', '.join(parts)}" if parts else "may do nothing", about, details)


def _matches(pattern: str, name: str) -> bool | None:
    """Return True if the permission ``pattern`` matches ``name``; None if its regular expression is not supported."""
    try:
        return compile_regular(pattern or "^$", Flavor.PCRE).search(name)
    except RegexError as error:
        # RabbitMQ denies access if the regular expression is invalid (``wrong``). If only this project does not support
        # it, the result is not known.
        return False if error.wrong else None
    except SearchLimitError:
        return None
