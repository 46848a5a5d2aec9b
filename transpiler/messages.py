"""Messages in plain Python, files that contain messages, and the subscriptions to which the links of consumers belong.

``read`` yields the messages of a file in any form that the commands read, each as a ``ReadMessage`` with its location.
``Message`` has the sections of an AMQP 1.0 message. ``subscription_of`` returns the subscription from which a link
consumes, given the attributes with which the link was attached (JMS mapping, working draft 10, sections 7 and 8).
``check_links`` finds the links that a server must reject. ``message_json`` reads an entry of RabbitMQ's tracing log.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from transpiler.base.on_demand import names_on_demand
from transpiler.message.message import Message
from transpiler.message.rabbitmq_trace import message_json
from transpiler.message.sections import Body, Header, Properties
from transpiler.message.subscriptions import ConsumerLink, Subscription, check_links, subscription_of
from transpiler.message.types import AmqpType, AmqpValue

if TYPE_CHECKING:
    from transpiler.tools.message_files.read_files import read
    from transpiler.tools.message_files.read_message import ReadMessage

__all__ = [
    "AmqpType",
    "AmqpValue",
    "Body",
    "ConsumerLink",
    "Header",
    "Message",
    "Properties",
    "ReadMessage",
    "Subscription",
    "check_links",
    "message_json",
    "read",
    "subscription_of",
]

#: The module of each public name. It is imported when the name is first used, because importing layouts and stores
#: takes time.
_MODULES = {
    "ReadMessage": "transpiler.tools.message_files.read_message",
    "read": "transpiler.tools.message_files.read_files",
}

_on_demand, __dir__ = names_on_demand(__name__, _MODULES)


def __getattr__(name: str) -> Any:
    if name != "Link":
        return _on_demand(name)
    warnings.warn(
        "transpiler.messages.Link has been renamed to transpiler.messages.ConsumerLink",
        DeprecationWarning,
        stacklevel=2,
    )
    return ConsumerLink
