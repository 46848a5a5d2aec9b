"""The rules of the brokers, as frozen data: predeclared exchanges, reserved names, and how exchanges route.

The base class in ``binding_rules`` defines the rules of matching.

Sources: the exchanges chapter of the Qpid Broker-J book; the AMQP 0-9-1 and 0-10 specifications; where the documents
are silent, the behaviour of the brokers, rule by rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType

from transpiler.base.topics import TopicSyntax
from transpiler.language.binding_rules import BindingRules, HeadersRules, TopicRules
from transpiler.message.types import Equality, NumberEquality
from transpiler.topology.addressing import (
    EXCHANGES,
    FULLY_QUALIFIED,
    ActiveMQDestinations,
    Addressing,
    ArtemisAddresses,
)
from transpiler.topology.exchange_types import HASHING_TYPES, MATCHING_TYPES, UNKNOWN, ExchangeType


class RelayAddress(Enum):
    """The ways in which a broker's anonymous relay interprets the address in a message's field ``to``.

    The anonymous relay is an AMQP node without a name, which forwards messages. See the JMS mapping, section 6.2.
    """

    #: The address is the name of an exchange or else of a queue, or ``exchange/key``; names contain no slash
    #: (Broker-J).
    EXCHANGE_FIRST = "exchange first"
    #: The address is the name of a queue or else of an exchange, or else ``exchange/key`` (Qpid C++).
    QUEUE_FIRST = "queue first"
    #: The address is ``/queues/name``, ``/exchanges/name`` or ``/exchanges/name/key``, percent-encoded (RabbitMQ 4).
    PATH = "path"


@dataclass(frozen=True, slots=True)
class Rules(BindingRules):
    """The rules of one broker for exchanges and bindings.

    ``dialect`` is the name of the dialect of a binding's selector, if the binding names no dialect. ``predeclared`` are
    the exchanges that every virtual host has besides the default exchange, whose name is empty. ``reserved`` are the
    prefixes of reserved names. ``types`` are the types of exchanges that the broker has.
    """

    dialect: str
    predeclared: Mapping[str, ExchangeType] = field(hash=False)
    #: Names of the predeclared exchanges to which clients cannot publish.
    internal: frozenset[str] = frozenset()
    reserved: tuple[str, ...] = ("amq.",)
    types: tuple[ExchangeType, ...] = ("direct", "topic", "fanout", "headers")
    #: The types of exchanges whose bindings can have the argument ``x-filter-jms-selector``.
    selector_types: tuple[ExchangeType, ...] = ()
    #: True if an exchange can be the destination of a binding.
    exchange_to_exchange: bool = True
    #: True if a binding to an exchange can replace the routing key.
    replaces_keys: bool = False
    #: True if the broker silently ignores an alternate exchange that does not exist; False if it is an error.
    tolerates_missing_alternate: bool = False
    #: True if the alternate destination of an exchange can be a queue.
    alternate_queues: bool = False
    #: True if a message can have several routing keys, because the sender's CC and BCC headers add keys.
    several_keys: bool = False
    #: True if the alternate destination gets messages that no binding of its exchange matched; False if it gets
    #: messages that reached no queue.
    alternate_on_no_match: bool = False
    #: True if the default exchange works as an alternate exchange; False if it routes only messages that are published
    #: to it.
    default_as_alternate: bool = True
    #: True if an alternate exchange that cannot route a message passes it to its own alternate exchange.
    alternates_chain: bool = True
    relay: RelayAddress = RelayAddress.EXCHANGE_FIRST
    #: True if the broker releases an unroutable message of an AMQP 1.0 publisher; False if it accepts or rejects it.
    releases_unroutable: bool = False
    addressing: Addressing = EXCHANGES
    #: True if a send fails when the message returns to an exchange on its path; False if the broker then only stops
    #: following this path.
    rings_fail: bool = False

    def with_words(self, words: str) -> Rules:
        """Return the rules with the special characters ``words``: separator, single-word and multi-word wildcard.

        If ``words`` is empty, names have no wildcards.
        """
        if not words:
            return replace(self, topic=replace(self.topic, wild_names=False))
        syntax = replace(self.topic.syntax, delimiter=words[0], one_word=words[1], many_words=words[2])
        return replace(self, topic=replace(self.topic, syntax=syntax))

    @property
    def characters(self) -> str:
        """The separator, single-word and multi-word wildcard, as ``with_words`` accepts them; "" for no wildcards."""
        syntax = self.topic.syntax
        return syntax.delimiter + syntax.one_word + syntax.many_words if self.topic.wild_names else ""

    @property
    def broker(self) -> str:
        """The name of the broker, without the version that distinguishes its rules."""
        return self.name.partition("-3")[0]


_PREDECLARED: dict[str, ExchangeType] = {"amq.direct": "direct", "amq.topic": "topic", "amq.fanout": "fanout"}

QPID_JAVA = Rules(
    "qpid-java",
    dialect="qpid-java",
    predeclared={**_PREDECLARED, "amq.match": "headers"},
    reserved=("amq.", "qpid."),
    types=("direct", "topic", "fanout", "headers", UNKNOWN),
    # The documentation of Broker-J allows a selector for the types direct, topic and fanout. The broker also evaluates
    # the selector of a headers binding.
    selector_types=("direct", "topic", "fanout", "headers"),
    replaces_keys=True,
    alternate_queues=True,
    topic=TopicRules(drops_trailing_empty_words=True),
    headers=HeadersRules(
        ignores_case=True,
        tolerates_unknown_match=True,
        any_of_nothing=True,
        empty_string_is_presence=True,
        equality=Equality(same_type=True),
    ),
)

QPID_CPP = Rules(
    "qpid-cpp",
    dialect="qpid-cpp",
    predeclared={
        **_PREDECLARED,
        "amq.match": "headers",
        "qpid.management": "topic",
        "qmf.default.topic": "topic",
        "qmf.default.direct": "direct",
    },
    reserved=("amq.", "qpid."),
    types=("direct", "topic", "fanout", "headers", "xml"),
    exchange_to_exchange=False,
    alternates_chain=False,
    relay=RelayAddress.QUEUE_FIRST,
    subject_header="qpid.subject",
    headers=HeadersRules(
        defaults_to_all=False,
        counts_x=True,
        equality=Equality(booleans_are_integers=True, refuses_floats=True),
    ),
)

#: RabbitMQ's headers exchange compares Erlang terms, which do not distinguish text from bytes, nor the types of
#: integers. A decimal is a pair of numbers, so it equals only a decimal. From RabbitMQ 3.13 on, the comparison is
#: ``=:=``, and the timestamp in a message's header is in milliseconds.
_ERLANG = Equality(bytes_are_text=True, decimals_apart=True, empty_compounds_alike=True, asks_in_seconds=True)

_RABBITMQ_INTERNAL = ("amq.rabbitmq.trace", "amq.rabbitmq.event", "amq.rabbitmq.log")

RABBITMQ = Rules(
    "rabbitmq",
    dialect="rabbitmq-jms",
    predeclared={
        **_PREDECLARED,
        **dict.fromkeys(("amq.headers", "amq.match"), "headers"),
        **dict.fromkeys(_RABBITMQ_INTERNAL, "topic"),
    },
    types=("direct", "topic", "fanout", "headers", "x-jms-topic", *HASHING_TYPES, UNKNOWN),
    selector_types=("x-jms-topic",),
    internal=frozenset(_RABBITMQ_INTERNAL),
    tolerates_missing_alternate=True,
    direct_replies="amq.rabbitmq.reply-to.",
    several_keys=True,
    alternate_on_no_match=True,
    default_as_alternate=False,
    relay=RelayAddress.PATH,
    releases_unroutable=True,
    topic=TopicRules(empty_key_has_no_words=True),
    headers=HeadersRules(with_x=True, equality=_ERLANG),
)

#: RabbitMQ up to 3.12, whose headers exchange compares with ``==``.
RABBITMQ_3_12 = replace(
    RABBITMQ,
    name="rabbitmq-3.12",
    headers=HeadersRules(with_x=True, equality=replace(_ERLANG, numbers=NumberEquality.EXACT, has_seconds=True)),
)

#: The prefix that makes a word of a binding key a literal word, even if it is spelled like a wildcard.
_ESCAPE = "\\"

#: The rules of Artemis. JMS brokers have no exchanges: their addresses, diverts and virtual destinations are modelled
#: as exchanges that match the words of the destination and a selector. See ``artemis_topology`` and
#: ``activemq_topology`` in ``topology.importers``.
ARTEMIS = Rules(
    "artemis",
    dialect="artemis-core",
    predeclared={},
    reserved=(),
    # An exchange of the type ``UNKNOWN`` stands for the queues that subscribers create at a multicast address, which
    # the file does not contain.
    types=("topic", "fanout", *MATCHING_TYPES, UNKNOWN),
    selector_types=("topic", "fanout", *MATCHING_TYPES),
    replaces_keys=True,
    alternate_queues=True,
    alternate_on_no_match=True,
    addressing=ArtemisAddresses(),
    topic=TopicRules(syntax=TopicSyntax(escape=_ESCAPE), queue_mark=FULLY_QUALIFIED),
    rings_fail=True,
)

ACTIVEMQ = replace(
    ARTEMIS,
    name="activemq",
    dialect="activemq",
    addressing=ActiveMQDestinations(),
    topic=TopicRules(syntax=TopicSyntax(many_words=">", escape=_ESCAPE)),
)

RULES: Mapping[str, Rules] = MappingProxyType(
    {rules.name: rules for rules in (QPID_JAVA, QPID_CPP, RABBITMQ, RABBITMQ_3_12, ARTEMIS, ACTIVEMQ)}
)
