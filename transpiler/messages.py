"""Messages, in plain Python, and the subscriptions that their consumers' links belong to.

``Message`` has the sections of an AMQP 1.0 message. ``subscription_of`` says which subscription a link consumes from,
by the attributes with which it was attached (JMS mapping, working draft 10, sections 7 and 8), and ``check_links``
which links a server must refuse. ``message_json`` reads an entry of RabbitMQ's tracing log.
"""

from __future__ import annotations

from transpiler.message.message import Message
from transpiler.message.rabbitmq_trace import message_json
from transpiler.message.sections import Body, Header, Properties
from transpiler.message.subscriptions import Link, Subscription, check_links, subscription_of
from transpiler.message.types import AmqpType, AmqpValue

__all__ = [
    "AmqpType",
    "AmqpValue",
    "Body",
    "Header",
    "Link",
    "Message",
    "Properties",
    "Subscription",
    "check_links",
    "message_json",
    "subscription_of",
]
