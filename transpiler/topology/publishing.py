"""Settings of publishers: the target of a message, and the outcome of a message that reaches no queue.

Sources: the exchanges chapter of the Qpid Broker-J book, section 4.6.4, for the outcomes of unroutable messages; the
JMS mapping, working draft 10, section 6.2, for the anonymous relay; RabbitMQ's address format for AMQP 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args
from urllib.parse import unquote

from transpiler.base.arguments import check_choice
from transpiler.base.diagnostics import first_of
from transpiler.base.errors import LayoutError, TopologyError
from transpiler.base.hints import Hint, Setting, Verbatim
from transpiler.topology.broker_rules import RelayAddress, Rules
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE, Exchange, Unroutable
from transpiler.topology.targets import Outcome

#: The AMQP version of the publisher.
Protocol = Literal["0-8", "0-9", "0-9-1", "0-10", "1.0"]

PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)

#: The target of messages: an exchange with a routing key, or the anonymous relay, which uses the message's ``to``.
PublishTo = Literal["exchange", "to"]

PUBLISH_TO: tuple[PublishTo, ...] = get_args(PublishTo)

#: Maximum number of exchanges that an error lists.
_MAX_LISTED = 8

_BEHAVIOURS: Mapping[Unroutable, Outcome] = MappingProxyType(
    {"discard": "discarded", "reject": "rejected", "return": "returned"}
)


@dataclass(frozen=True, slots=True)
class Publisher:
    """The settings of a publisher that decide the outcome of messages that reach no queue.

    Args:
        protocol: The publisher's protocol. If None, it is unknown: both settings apply, then the exchange's own
            behaviour. A protocol ignores the setting of another protocol.
        mandatory: The flag ``mandatory`` of AMQP 0-8 to 0-9-1.
        reject_unroutable: The capability REJECT_UNROUTABLE that a sending link of AMQP 1.0 requests of its target.

    Raises:
        TranspilerError: ``protocol`` is not in ``PROTOCOLS``.
    """

    protocol: Protocol | None = None
    mandatory: bool = False
    reject_unroutable: bool = False

    def __post_init__(self) -> None:
        if self.protocol is not None:
            check_choice("protocol", self.protocol, PROTOCOLS)

    def outcome(self, exchange: Exchange, rules: Rules) -> Outcome:
        """Return the outcome of a message that reaches no queue from ``exchange`` or from its alternate exchange."""
        if exchange.internal:
            # No publisher can send messages to an internal exchange.
            return "rejected"
        match self.protocol:
            case None:
                if self.mandatory:
                    return "returned"
                return "rejected" if self.reject_unroutable else _BEHAVIOURS[exchange.unroutable]
            case "1.0":
                # The Broker-J book, of AMQP 1.0: "the message is discarded unless the sending link has requested the
                # REJECT_UNROUTABLE target capability, or the Exchange has its unroutableMessageBehaviour attribute set
                # to REJECT".
                if rules.releases_unroutable:
                    return "returned"
                return "rejected" if self.reject_unroutable or exchange.unroutable == "reject" else "discarded"
            case "0-10":
                # The Broker-J book, of AMQP 0-10: "If the message is still unroutable after considering the alternate
                # binding,the message is discarded."
                return "discarded"
            case _:
                # The Broker-J book: "If using AMQP protocols 0-8..0-9-1, and the publisher set the mandatory flag ...,
                # the message is returned to the Producer. Otherwise, the message is discarded."
                return "returned" if self.mandatory or exchange.unroutable == "return" else "discarded"


#: A publisher with unknown settings.
ANY_PUBLISHER = Publisher()


def own_default(topology: Topology, offers: Sequence[str] = ()) -> str:
    """Return the exchange of messages that name no exchange: the topology's own ``default_exchange``.

    If the topology sets no ``default_exchange`` but has exchanges or bindings, raise ``TopologyError``: users must
    choose the broker's nameless exchange explicitly. ``offers`` are additional hints for the error.
    """
    if topology.default_exchange != DEFAULT_EXCHANGE or not (topology.exchanges or topology.bindings):
        return topology.default_exchange
    declared = [exchange.name for exchange in topology.exchanges if not exchange.internal]
    names = sorted(declared or filter(None, topology.exchange_by_name))
    raise no_exchange(
        Hint(
            "perhaps give ",
            Setting("exchange", Verbatim("NAME")),
            f", where NAME is {'the exchange' if len(names) == 1 else 'one of the exchanges'} "
            f"{first_of(names, _MAX_LISTED)}; for the default exchange, which routes a message to the queue named by "
            "its routing key: ",
            Setting("exchange", DEFAULT_EXCHANGE),
            *chain.from_iterable(("; ", offer) for offer in offers),
        )
    )


def no_exchange(hint: str) -> TopologyError:
    """Return the error about messages whose exchange is not given anywhere."""
    message = "the exchange of the messages is unknown: there is no option exchange, and no column or member exchange"
    return TopologyError.at("route.no-exchange", message, hint=hint)


def asks_for_key(key_exchanges: Collection[str], exchange: str | None) -> bool:
    """Return True if messages to ``exchange``, or to any exchange if it is None, need a routing key.

    ``key_exchanges`` are the exchanges whose routing depends on the key; they include the default exchange.
    If ``exchange`` is None, the default exchange is ignored, because otherwise a key would be needed for every
    topology.
    """
    if exchange is not None:
        return exchange in key_exchanges
    return any(name != DEFAULT_EXCHANGE for name in key_exchanges)


def no_key(hint: str) -> LayoutError:
    """Return the error that messages have no routing key: neither a column or member for it, nor a subject."""
    message = (
        "the topology routes by key, but the routing keys of the messages are unknown: there is no column or member "
        "routing_key, and no subject"
    )
    return LayoutError.at("route.no-key", message, hint=hint)


def check_has_routing_types(topology: Topology, routing_type: str | None) -> None:
    """Raise ``ValueError`` if ``routing_type`` is given and the broker has no routing types."""
    if routing_type is not None and not topology.rules.addressing.routing_types:
        raise ValueError(f"{topology.rules.name}: routing_type applies only to messages to an Artemis broker")


class Target(NamedTuple):
    """The name of an exchange, and the routing key; None is the message's own subject."""

    exchange: str
    key: str | None


def relay_target(topology: Topology, to: str | None) -> Target | None:
    """Return the exchange and routing key to which the anonymous relay sends a message with the address ``to``.

    Return None if ``to`` is absent or names no exchange or queue of the topology: the relay then rejects the message.
    """
    if to is None:
        return None
    if topology.rules.relay is RelayAddress.PATH:
        return _path_target(topology, to)
    # "When sending to a queue, the queue's name is set as the routing key and the message is transferred to the
    # default (or nameless) exchange": the AMQP 0-10 mapping.
    match topology.relay_nodes.get(to):
        case "queue":
            return Target(DEFAULT_EXCHANGE, to)
        case "exchange":
            return Target(to, None)
    name, _, key = to.partition("/")
    # A trailing slash does not set a key.
    return Target(name, key or None) if topology.relay_nodes.get(name) == "exchange" else None


_EXCHANGES, _QUEUES = "/exchanges/", "/queues/"

#: Pattern of a percent sign that does not begin an encoded byte.
_LONELY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")


def _path_target(topology: Topology, to: str) -> Target | None:
    """Return the target of the RabbitMQ address ``to`` (version 2 of the format); None if it is not a valid target."""
    if to.startswith(_QUEUES) and len(to) > len(_QUEUES):
        queue = _unquoted(to.removeprefix(_QUEUES))
        return None if queue is None else Target(DEFAULT_EXCHANGE, queue)
    if not to.startswith(_EXCHANGES):
        return None
    name, slash, rest = to.removeprefix(_EXCHANGES).partition("/")
    exchange, key = _unquoted(name), _unquoted(rest)
    # The default exchange has no address of its own: messages to it are addressed to a queue.
    if not exchange or key is None or "/" in rest or exchange not in topology.exchange_by_name:
        return None
    return Target(exchange, key if slash else "")


def _unquoted(text: str) -> str | None:
    """Decode percent-encoding; return None if the bytes are not well-formed UTF-8."""
    if _LONELY_PERCENT.search(text):
        return None
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return None
