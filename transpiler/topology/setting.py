"""Settings in a broker's file that do not affect routing."""

from __future__ import annotations

from typing import NamedTuple


class Setting(NamedTuple):
    """A setting of an object of the file, as text, that does not affect routing.

    ``of`` is the name of the object, and ``kind`` its kind, such as queue or policy. ``judged`` is True if the setting
    affects what happens to sent messages in a way that no binding expresses. ``linked`` is True if links or alternate
    destinations of the topology express the setting; it is listed only so that the settings of a policy are complete.
    """

    kind: str
    of: str
    name: str
    value: str
    judged: bool = False
    linked: bool = False


#: The name of a note about an exchange of RabbitMQ's type ``x-delayed-message``: it holds each message back for some
#: time, and then routes it under the rules of another exchange type.
DELAYED = "delayed"

#: The kind of a note that a queue loses messages that no consumer has taken. Its value is the reason, in words.
LOSS = "loss"

#: Kinds of settings of RabbitMQ. ``USER``: of users. ``PERMISSION``: of users' permissions, where ``name`` is the
#: action. ``TOPIC_PERMISSION``: of topic permissions, where ``name`` is the action, a space and the exchange.
USER, PERMISSION, TOPIC_PERMISSION = "user", "permission", "topic permission"


def loss(queue: str, reason: str) -> Setting:
    """Return a setting that warns users: ``queue`` loses messages although it has a destination for dead letters.

    ``reason`` says why, in words.
    """
    return Setting(LOSS, queue, "", reason)


#: The kind of the settings of a redelivery policy in ActiveMQ's ``redeliveryPlugin``.
REDELIVERY = "redeliveryPolicy"
#: The kind of the settings of ActiveMQ's ``redeliveryPlugin`` itself; its policies have the kind ``REDELIVERY``.
REDELIVERY_PLUGIN = "redeliveryPlugin"
