"""The rules of the brokers, as frozen data: what is predeclared, which names are reserved, how exchanges route.

The rules of matching are the part of a record that ``binding_rules`` defines.

Sources: the exchanges chapter of the Qpid Broker-J book; the AMQP 0-9-1 and 0-10 specifications; where the documents
are silent, what the brokers do, rule by rule.
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
    """The anonymous relay's reading of the address in a message's ``to``: the JMS mapping, section 6.2."""

    #: The name of an exchange or else of a queue, or ``exchange/key``; a name has no slash (Broker-J).
    EXCHANGE_FIRST = "exchange first"
    #: The name of a queue or else of an exchange, or else ``exchange/key`` (Qpid C++).
    QUEUE_FIRST = "queue first"
    #: ``/queues/name``, ``/exchanges/name`` or ``/exchanges/name/key``, percent-encoded (RabbitMQ 4).
    PATH = "path"


@dataclass(frozen=True, slots=True)
class Rules(BindingRules):
    """One broker's rules for exchanges and bindings.

    ``dialect`` names the selector language of the bindings' selectors that name no other one. ``predeclared`` are the
    exchanges that every virtual host has beside the default exchange, whose name is empty.
    """

    dialect: str
    predeclared: Mapping[str, ExchangeType] = field(hash=False)
    #: Exchanges that nobody can publish to from outside.
    internal: frozenset[str] = frozenset()
    reserved: tuple[str, ...] = ("amq.",)
    types: tuple[ExchangeType, ...] = ("direct", "topic", "fanout", "headers")
    #: The types of exchanges whose bindings may carry ``x-filter-jms-selector``.
    selector_types: tuple[ExchangeType, ...] = ()
    #: An exchange can be the destination of a binding.
    exchange_to_exchange: bool = True
    #: A binding to an exchange can replace the routing key.
    replaces_keys: bool = False
    #: An alternate that does not exist is left out in silence; elsewhere it is refused.
    tolerates_missing_alternate: bool = False
    #: A queue can be an alternate.
    alternate_queues: bool = False
    #: A message can be published with several routing keys: the sender's CC and BCC headers add some.
    several_keys: bool = False
    #: The alternate gets what no binding matched; elsewhere what reached no queue by any path.
    alternate_on_no_match: bool = False
    #: As an alternate too the default exchange routes by queue names; elsewhere only what is published to it.
    default_as_alternate: bool = True
    #: The alternate of an alternate is used in turn.
    alternates_chain: bool = True
    relay: RelayAddress = RelayAddress.EXCHANGE_FIRST
    #: To a publisher of AMQP 1.0 the broker releases a message that it cannot route; others accept or reject it.
    releases_unroutable: bool = False
    addressing: Addressing = EXCHANGES
    #: A message that comes back to an exchange on its path makes the send fail; elsewhere it goes no further there.
    rings_fail: bool = False

    def with_words(self, words: str) -> Rules:
        """Return the rules with other characters between words, for one word and for any; "" for no wildcards."""
        if not words:
            return replace(self, topic=replace(self.topic, wild_names=False))
        syntax = replace(self.topic.syntax, delimiter=words[0], one_word=words[1], many_words=words[2])
        return replace(self, topic=replace(self.topic, syntax=syntax))

    @property
    def characters(self) -> str:
        """The characters between words, for one word and for any, as ``with_words`` takes them."""
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
    # The chapter names the first three; the broker's code evaluates the selector of a headers binding as well.
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

#: The exchange compares Erlang's terms, which have no types for text and bytes and none for integers; a decimal is a
#: pair. Since RabbitMQ 3.13 it compares with ``=:=``, and reads a header's timestamp as milliseconds.
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

#: The prefix of a word of a binding key that a sender writes as a wildcard, and that the broker takes as it is.
_ESCAPE = "\\"

#: The brokers of JMS have no exchanges. What their addresses, diverts and virtual destinations do is said in exchanges
#: that match the words of the destination and a selector: see ``artemis_topology`` and ``activemq_topology`` in
#: ``topology.importers``.
ARTEMIS = Rules(
    "artemis",
    dialect="artemis-core",
    predeclared={},
    reserved=(),
    # The queues that subscribers make at a multicast address are unknown.
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
