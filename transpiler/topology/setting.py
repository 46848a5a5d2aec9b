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


#: The name of a setting of an exchange: RabbitMQ's exchange type ``x-delayed-message``, which holds each message back
#: for some time before it routes the message in the same way as an exchange of the topology's type.
DELAYED = "delayed"

#: The kind of a setting whose value is the reason, in words, why a queue loses messages without a consumer's action.
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
#: The kind of the settings of ``redeliveryPlugin`` itself, which redelivers rejected messages under those policies.
REDELIVERY_PLUGIN = "redeliveryPlugin"
