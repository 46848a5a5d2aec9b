"""Route one message: publish it to an exchange, an address or a destination, under the rules of the topology's broker.

Sources: the exchanges chapter of the Qpid Broker-J book, the AMQP 0-10 and JMS mappings. Every message can be routed:
an error is always about an argument, or about a name in a dict, such as an exchange that the topology does not have.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from transpiler.base.arguments import unexpected
from transpiler.message.message import Message, MessageLike, as_message
from transpiler.message.publication import EXCHANGE, Sent, sent_in, without_publication
from transpiler.message.sections import Properties
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.conditions import Keys
from transpiler.reference.exchange_walk import subject_of
from transpiler.reference.route_path import RoutePath, follow
from transpiler.reference.routed import Routed, Traced, arrival, arrive, settle
from transpiler.topology.model import Topology, check_entries, check_exchange, check_topology
from transpiler.topology.publishing import Publisher, check_has_routing_types, own_default, relay_target
from transpiler.topology.receivers import (
    DEFAULT_SETTINGS,
    PublishOptions,
    PublishSettings,
    Sender,
    read_settings,
    resolve_sender,
)
from transpiler.topology.records import Exchange

#: The application header that contains the subject in AMQP 0-10.
_SUBJECT_HEADER = "qpid.subject"


def route_message(
    topology: Topology,
    message: MessageLike,
    exchange: str | None = None,
    routing_keys: Sequence[str | None] | None = None,
    **options: Unpack[PublishOptions],
) -> tuple[str, ...]:
    """Return the names of the queues that a message reaches.

    Args:
        topology: The exchanges, bindings and queues, as ``read_topology`` returns them.
        message: A ``Message``, or a dict of plain properties or of message JSON.
        exchange: The exchange, or for a JMS broker the destination, to which the message was published. If None, the
            exchange is the one that a dict ``message`` names, else the topology's ``default_exchange``.
        routing_keys: The routing keys; if None, the routing key is the message's subject.
        address: A Qpid address to which the message is sent, as for ``publish``.
        publish_to: ``"exchange"``, or ``"to"`` for the anonymous relay, as for ``publish``.
        routing_type: For Artemis ``"ANYCAST"`` or ``"MULTICAST"``.
        publisher: The settings that decide the outcome. The queues do not depend on them.

    Returns:
        The names, distinct and sorted.

    Raises:
        TopologyError: The topology does not have the exchange (for which ``publish`` returns an outcome); and in all
            cases in which ``publish`` raises.
    """
    keywords: dict[str, Any] = {**options}
    if keywords.pop("path", False):
        text = "route_message: the argument path=True will be removed in the next version; call route_path(…) instead"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return route_path(topology, message, exchange, routing_keys, **keywords)  # type: ignore[return-value]
    settings = read_settings("route_message", PublishOptions, options)
    routed = trace(topology, message, exchange, routing_keys, settings).routed
    check_exchange(exchange, topology)
    return routed.queues


def route_path(
    topology: Topology,
    message: MessageLike,
    exchange: str | None = None,
    routing_keys: Sequence[str | None] | None = None,
    **options: Unpack[PublishOptions],
) -> RoutePath:
    """Follow a message beyond its queues: to where it goes when it is rejected, expires or exceeds a limit.

    The message is routed as it was published, without the headers that a broker adds to a dead letter.

    Args:
        topology: The exchanges, bindings and queues, as ``read_topology`` returns them.
        message: A ``Message``, or a dict of plain properties or of message JSON.
        exchange: The exchange or destination, as for ``route_message``.
        routing_keys: The routing keys; if None, the routing key is the message's subject.
        address: A Qpid address to which the message is sent, as for ``publish``.
        publish_to: ``"exchange"``, or ``"to"`` for the anonymous relay, as for ``publish``.
        routing_type: For Artemis ``"ANYCAST"`` or ``"MULTICAST"``.
        publisher: The settings that decide the outcome of a message that reaches no queue.

    Returns:
        The queues, and a step for each dead-letter exchange or address, expiry address, alternate and shovel on the
        path.

    Raises:
        TopologyError: As ``route_message``.
    """
    settings = read_settings("route_path", PublishOptions, options)
    traced = trace(topology, message, exchange, routing_keys, settings)
    check_exchange(exchange, topology)
    return follow(traced)


def publish(
    topology: Topology,
    message: MessageLike,
    exchange: str | None = None,
    routing_keys: Sequence[str | None] | None = None,
    **options: Unpack[PublishOptions],
) -> Routed:
    """Publish a message to the exchange of this name; return the queues that it reaches, and its outcome.

    The outcome of a message that reaches no queue depends on the ``publisher`` and on the exchange. If the topology
    does not have the exchange, the outcome is ``no-exchange``.

    Exchanges that route a message to one of their bindings by a hash or at random, such as RabbitMQ's
    ``x-consistent-hash``, yield ``possible_queues``. The outcome is ``delivered`` if each choice is a queue, and
    ``undecided`` if only some choices are queues.

    For a JMS broker ``exchange`` is a destination (Artemis: ``address`` or ``address::queue``, with a
    ``routing_type``; ActiveMQ: ``queue://name``, ``topic://name`` or a list with commas), and the routing key is part
    of the destination. JMS brokers have two more outcomes: ``dead-letter`` and ``error``.

    Args:
        topology: The exchanges, bindings and queues, as ``read_topology`` returns them.
        message: A ``Message``, or a dict of plain properties or of message JSON. The members ``exchange`` and
            ``routing_key`` or ``routing_keys`` of a dict are used if the parameters are not given. If the member
            ``exchange`` is None, the message was published to the topology's ``default_exchange``.
        exchange: The exchange, or the destination. It can be omitted if the topology has its own ``default_exchange``;
            ``""`` is the broker's default exchange.
        routing_keys: The routing keys. If None, the routing key is the message's subject, as in AMQP 1.0. RabbitMQ's CC
            and BCC headers add more keys; at a broker without such headers only the first key counts. A message with an
            empty list has no key.
        address: Instead of an exchange, the address of a Qpid sender (``queue``, ``exchange`` or ``exchange/subject``;
            for RabbitMQ also ``/queues/queue`` and ``/exchanges/exchange/key``), or the result of ``resolve_sender``
            for the address.
        publish_to: ``"exchange"``, or ``"to"`` for the anonymous relay, which sends the message to the address in its
            ``to`` field, and rejects the message if the address is absent or leads nowhere.
        routing_type: For Artemis ``"ANYCAST"`` or ``"MULTICAST"``; None if the sender does not set a routing type.
        publisher: The settings that decide the outcome of a message that reaches no queue.

    Raises:
        TopologyError: An address leads nowhere, or neither the arguments nor the topology name an exchange.
        ValueError: Parameters exclude each other, or ``routing_type`` is given for a broker without routing types.
        TypeError: A parameter has the wrong type.
    """
    return trace(topology, message, exchange, routing_keys, read_settings("publish", PublishOptions, options)).routed


def trace(
    topology: Topology,
    message: MessageLike,
    exchange: str | None = None,
    routing_keys: Sequence[str | None] | None = None,
    settings: PublishSettings = DEFAULT_SETTINGS,
) -> Traced:
    """Publish a message like ``publish``, and also return the exchanges that the message reached."""
    check_topology(topology)
    if not isinstance(exchange, str | None):
        raise unexpected("exchange", "the name of an exchange", exchange)
    check_has_routing_types(topology, settings.routing_type)
    sent = Sent()
    says_exchange = isinstance(message, Mapping) and EXCHANGE in message
    if isinstance(message, Mapping):
        sent, message = sent_in(message), without_publication(message)
    message = as_message(message)
    settings.check_target(exchange is not None)
    address, publisher = settings.address, settings.publisher
    if topology.rules.addressing.names_destinations:
        settings.check_destination(topology)
        exchange = sent.exchange if exchange is None else exchange
        routing_type = sent.routing_type if settings.routing_type is None else settings.routing_type
        if exchange is None or routing_keys is not None:
            raise ValueError(f"{topology.rules.name}: the argument exchange must name the destination of the message")
        return _send(topology, message, exchange, routing_type, publisher)
    keys: Keys | None = sent.routing_keys if routing_keys is None else _checked(routing_keys)
    if settings.publish_to == "to":
        return _relay(topology, message, keys, publisher)
    if address is not None:
        sender = address if isinstance(address, Sender) else resolve_sender(topology, address)
        topology, name = sender.topology, sender.exchange
        message = _with_subject(message, sender.subject)
        keys = keys if sender.key is None else (sender.key,)
    else:
        exchange_name = sent.exchange if exchange is None else exchange
        if exchange_name is None:
            exchange_name = topology.default_exchange if says_exchange else own_default(topology)
        name = exchange_name
    published_to = topology.exchange_by_name.get(name)
    if published_to is None:
        return Traced(Routed((), "no-exchange", name), message, topology)
    if not topology.rules.several_keys or keys is None:
        keys = (_first_key(message, keys),)
    return _publish(topology, message, published_to, keys, publisher)


def _checked(routing_keys: Sequence[str | None]) -> Keys:
    """Return the parameter ``routing_keys`` as a tuple; raise ``TypeError`` if it is not a sequence of str and None."""
    if not isinstance(routing_keys, Sequence) or isinstance(routing_keys, str | bytes):
        hint = f"perhaps routing_keys=[{routing_keys!r}]" if isinstance(routing_keys, str) else None
        raise unexpected("routing_keys", "a list of texts", routing_keys, hint)
    for key in routing_keys:
        if not isinstance(key, str | None):
            raise unexpected("routing_keys", "a list of texts", key, "among them")
    return tuple(routing_keys)


def _first_key(message: Message, keys: Keys | None) -> str | None:
    """Return the only routing key of a message at a broker whose messages have one key: the first of ``keys``.

    If ``keys`` is None, the key is the message's subject. Return None if there is no key.
    """
    return subject_of(message) if keys is None else keys[0] if keys else None


def _relay(topology: Topology, message: Message, keys: Keys | None, publisher: Publisher) -> Traced:
    # AMQP's specification of the anonymous relay: "messages sent to the relay node will be relayed to a node at the
    # address given in the to field ... Messages ... that don't contain a valid value for the to field ... will be
    # rejected by the peer."
    target = relay_target(topology, message.properties.to if message.properties is not None else None)
    if target is None:
        return Traced(Routed((), "rejected"), message, topology)
    key = _first_key(message, keys) if target.key is None else target.key
    return _publish(topology, message, topology.exchange_by_name[target.exchange], (key,), publisher)


def _send(
    topology: Topology, message: Message, destination: str, routing_type: str | None, publisher: Publisher
) -> Traced:
    """Send a message to ``destination`` of a JMS broker, which may be a list of several destinations."""
    check_entries(topology)
    parts = [
        arrival(topology, message, topology.exchange_by_name[send.exchange], (send.key,), publisher)
        for send in topology.rules.addressing.sends(destination, routing_type, topology.exchange_by_name)
    ]
    return settle(topology, message, destination, parts)


def _publish(topology: Topology, message: Message, exchange: Exchange, keys: Keys, publisher: Publisher) -> Traced:
    if exchange.internal:
        routed = Routed((), publisher.outcome(exchange, topology.rules), exchange.name)
        return Traced(routed, message, topology)
    return arrive(topology, message, exchange, keys, publisher)


def _with_subject(message: Message, default: str | None) -> Message:
    """Return ``message`` with the subject ``default`` of its sender, if it has no subject of its own.

    Qpid's documentation of addresses: "The subject may also be set on each message individually to override the default
    if required. In each case any specified subject is also added as a qpid.subject entry in the application-headers
    field".
    """
    if default is None or subject_of(message) is not None:
        return message
    header = {_SUBJECT_HEADER: AmqpValue(AmqpType.STRING, default)}
    return replace(
        message,
        properties=replace(message.properties or Properties(), subject=default),
        application_properties={**(message.application_properties or {}), **header},
    )
