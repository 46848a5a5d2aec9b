"""Settings in a broker's file that do not affect routing."""

from __future__ import annotations

from typing import NamedTuple


class Setting(NamedTuple):
    """A setting of an object of the file, as text, that does not affect routing.

    ``of`` is the name of the object, and ``kind`` its kind, such as queue or policy. ``judged`` is True if the setting
    decides about sends in a way that no binding expresses. ``linked`` is True if links or alternates of the topology
    express the setting; it is listed only so that the settings of a policy are complete.
    """

    kind: str
    of: str
    name: str
    value: str
    judged: bool = False
    linked: bool = False


#: The name of the setting of an exchange that delays messages and then routes them under the rules of its type.
DELAYED = "delayed"

#: The kind of a setting whose value is the reason, in words, why a queue loses messages without a consumer's action.
LOSS = "loss"

#: Kinds of settings of RabbitMQ. ``USER``: of users. ``PERMISSION``: of users' permissions, where ``name`` is the
#: action. ``TOPIC_PERMISSION``: of topic permissions, where ``name`` is the action, a space and the exchange.
USER, PERMISSION, TOPIC_PERMISSION = "user", "permission", "topic permission"


def loss(queue: str, reason: str) -> Setting:
    """Return the note that ``queue`` loses messages although it has a dead letter destination, with ``reason``."""
    return Setting(LOSS, queue, "", reason)


#: The kind of the settings of a redelivery policy in ActiveMQ's ``redeliveryPlugin``.
REDELIVERY = "redeliveryPolicy"
#: The kind of the settings of ActiveMQ's plugin that delivers again by these policies.
REDELIVERY_PLUGIN = "redeliveryPlugin"
