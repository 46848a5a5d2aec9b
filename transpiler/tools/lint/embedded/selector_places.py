"""The places where files keep selectors, one record for each. Readers look them up, and contain no names themselves.

The languages ``data``, ``xml`` and ``yaml`` have paths of steps that lead to a text: keys, elements and attributes. A
step matches without case and punctuation, and ``*`` matches any characters. Other steps may be between two steps,
except in ``a>b``. ``jms:a`` is the name ``a`` in a namespace that contains ``jms``. In code, a key of ``data`` also
counts if a condition follows it. ``code`` is for calls and assignments in programming languages (``code_text``),
``shell`` for commands (``shell_text``), and ``text`` for selectors inside a text of any file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

Language = Literal["data", "xml", "yaml", "code", "shell", "text"]


class Place(NamedTuple):
    """A record about where selectors occur: the kind of file, the pattern of keys or calls, and the dialect or None.

    ``near`` is a regular expression that the file must match, for patterns that have another meaning elsewhere. If
    ``is_certain`` is False, a text that matches the pattern is a selector only if it looks like a condition. ``reason``
    states why texts there are not read, for filters in a language of their own; else it is empty.
    """

    language: Language
    pattern: str
    dialect: str | None = None
    near: str = ""
    is_certain: bool = True
    reason: str = ""


#: Matches files that use Azure Service Bus. The second argument of its createReceiver is not a selector.
_AZURE = r"(?i)azure[./-](?:messaging[./])?service_?-?bus"
_STOMP, _JMS = r"(?i)stomp", rf"(?is)\A(?!.*{_AZURE[4:]}).*(?:jms|session|activemq|qpid|\bnms\b)"
_OURS = r"\b(?:transpiler|spark_ext)\b"
#: Matches files that use JMS, but neither Azure Service Bus nor Qpid Proton. In Proton, the second argument of
#: createReceiver is the name of a link.
_JMS_RECEIVERS = (
    rf"(?is)\A(?!.*(?:{_AZURE[4:]}|proton\.|proton import|import proton)).*(?:jms|session|activemq|qpid|\bnms\b)"
)
_MESSAGING = r"(?i)jms|amqp|activemq|artemis|qpid|stomp|\bnms\b|messaging|solace|jcsmp|\bibmmq\b|com\.ibm\.mq"
_MESSAGING_NOT_AZURE = rf"(?is)\A(?!.*{_AZURE[4:]}).*(?:{_MESSAGING[4:]})"
_SERVICE_BUS_FILES = r"(?i)service_?-?bus"
_SERVICE_BUS = "the filters of Azure Service Bus are a language of their own, which check does not know"
_OF_MESSAGES = re.compile(_MESSAGING)
_BROKERS = r"(?i)jms|amqp|activemq|artemis|qpid|stomp|\bnms\b|ejb|messagedriven"
_JMS_API = re.compile(r"\b(?:javax|jakarta)\.jms\b|\bApache\.NMS\b")
_ARTEMIS_CORE = r"ClientSession|artemis\.api\.core"
_ARTEMIS_SERVER = rf"{_ARTEMIS_CORE}|JMSServerManager"
#: Matches files that use Artemis's core API but not JMS. A file that uses both has sessions of both, which look alike.
_CORE_ALONE = rf"(?s)\A(?!.*(?:javax|jakarta)\.jms).*(?:{_ARTEMIS_CORE})"

PLACES: tuple[Place, ...] = (
    # Keys in JSON, YAML, properties and XML files.
    Place("data", "messageSelector"),
    Place("data", "jmsSelector"),
    Place("data", "jmsMessageSelector"),
    Place("data", "apacheOrgSelectorFilterString"),
    Place("data", "message/selector"),
    Place("data", "*jms*/selector"),
    Place("data", "*activemq*/selector"),
    Place("data", "*artemis*/selector"),
    Place("data", "*amqp*/selector"),
    Place("data", "*qpid*/selector"),
    *(
        Place("data", f"*{holder}*/*Selector", is_certain=False)
        for holder in ("jms", "activemq", "artemis", "amqp", "qpid", "solace")
    ),
    # A key that the user chose, such as "orderSelector", in the configuration of a program that mentions messaging.
    Place("yaml", "*Selector", near=_MESSAGING, is_certain=False),
    Place("data", "sqlFilter/sqlExpression", reason=_SERVICE_BUS),
    Place("code", "SqlRuleFilter($)", reason=_SERVICE_BUS),
    Place("code", "SqlFilter($)", near=_SERVICE_BUS_FILES, reason=_SERVICE_BUS),
    Place("code", "sqlExpression = $", near=_SERVICE_BUS_FILES, reason=_SERVICE_BUS),
    # An argument of the bindings of Broker-J and Qpid C++.
    Place("data", "xFilterJmsSelector", "qpid-java"),
    Place("data", "rjmsSelector", "rabbitmq-jms"),
    Place("data", "xJmsSelector", "rabbitmq-jms"),
    Place("data", "amqpSqlFilter", "rabbitmq"),
    Place("data", "sqlFilter", "rabbitmq"),
    # A property of a queue, a divert or a bridge of Artemis.
    Place("data", "filterString", "artemis-core"),
    # MicroProfile's channels (SmallRye, Quarkus) and the binders of Spring Cloud Stream.
    Place("data", "mp/messaging/incoming/selector"),
    Place("data", "spring/cloud/stream/consumer/selector"),
    # Camel's Kafka connectors, the collection of Ansible for Artemis.
    Place("data", "camel/source/endpoint/selector"),
    *(
        Place("data", f"{holder}/filter", "artemis")
        for holder in ("activemqDiverts", "activemqQueues", "activemqBridges")
    ),
    # Camel's YAML.
    Place("yaml", "from/parameters/selector"),
    Place("yaml", "to/parameters/selector"),
    Place("yaml", "pollEnrich/parameters/selector"),
    # Tests of Citrus, whose selectors may also be XPath.
    *(Place("yaml", f"{action}/selector>value", is_certain=False) for action in ("receive", "purge", "expectTimeout")),
    *(Place("yaml", f"{action}/select", is_certain=False) for action in ("purge", "expectTimeout")),
    Place("xml", "citrusframework:selector>value", is_certain=False),
    *(
        Place("xml", f"citrusframework:{action}/select", is_certain=False)
        for action in ("purgeEndpoint", "expectTimeout")
    ),
    # Artemis's broker.xml, and its older form for JMS destinations, whose selectors the broker rewrites.
    *(
        Place("xml", f"{holder}/filter/string", "artemis-core")
        for holder in ("queue", "divert", "bridge", "connectorService", "federation")
    ),
    Place("xml", "selector/string", "artemis"),
    # WildFly's subsystem.
    *(
        Place("xml", f"messagingActivemq:{holder}/{attribute}", dialect)
        for holder in ("divert", "queue", "coreQueue", "bridge", "jmsQueue", "jmsBridge")
        for attribute, dialect in (("filter", "artemis-core"), ("selector", "artemis"))
    ),
    # ActiveMQ's virtual destinations and its bridges to other providers.
    Place("xml", "filteredDestination/selector"),
    Place("xml", "inboundQueueBridge/selector"),
    Place("xml", "outboundQueueBridge/selector"),
    Place("xml", "inboundTopicBridge/selector"),
    Place("xml", "outboundTopicBridge/selector"),
    # Triggers and build steps in the files of Jenkins.
    Place("xml", "*CIBuildTrigger/selector"),
    Place("xml", "*CIMessageSubscriberBuilder/selector"),
    # Spring's listeners and Spring Integration's adapters, Mule's sources.
    Place("xml", "listener/selector"),
    Place("xml", "jmsListener/selector"),
    Place("xml", "jms:*/selector"),
    Place("xml", "jms:selector/expression"),
    # Helper functions that have one more argument before the selector than the methods of Jakarta Messaging below.
    *(
        Place("code", f"{helper}(*, *, $)", near=_JMS, is_certain=False)
        for helper in ("createConsumer", "createReceiver", "createBrowser")
    ),
    Place("code", "createConsumer(*, $)", "artemis-core", near=_CORE_ALONE),
    Place("code", "createConsumer(*, $)", "artemis", near=_ARTEMIS_CORE),
    Place("code", "createConsumer(_, $)", near=_JMS),
    Place("code", "createBrowser(_, $)", near=_JMS),
    # In ActiveMQ's BrokerView, the names of client, subscription and topic precede the selector.
    Place("code", "createDurableSubscriber(_, *, $, !)"),
    Place("code", "createDurableConsumer(_, *, $)"),
    Place("code", "createSharedConsumer(_, *, $)"),
    Place("code", "createSharedDurableConsumer(_, *, $)"),
    Place("code", "createConnectionConsumer(_, $)", near=_JMS),
    Place("code", "createDurableConnectionConsumer(_, *, $)"),
    Place("code", "createSharedConnectionConsumer(_, *, $)"),
    Place("code", "createSharedDurableConnectionConsumer(_, *, $)"),
    Place("code", "createReceiver(_, $)", near=_JMS_RECEIVERS),
    Place("code", "createSubscriber(_, $, *)", near=_JMS),
    # JMS for Go.
    Place("code", "create*WithSelector(..., $)", near=_MESSAGING),
    # Other helper functions: the selector is an argument that is named like a selector or looks like a condition.
    *(
        Place("code", f"create*{kind}*(..., $, ...)", near=_MESSAGING_NOT_AZURE, is_certain=False)
        for kind in ("Consumer", "Receiver", "Subscriber", "Browser")
    ),
    Place("code", "setMessageSelector($)"),
    Place("code", "messageSelector($)"),
    Place("code", "*ActivationConfigProperty(propertyName = 'messageSelector', propertyValue = $)"),
    Place("code", "*Jms*(selector = $)"),
    # Methods of Apache NMS, the JMS API for .NET.
    Place("code", "createConsumerAsync(_, $)", near=_JMS),
    Place("code", "createBrowserAsync(_, $)", near=_JMS),
    Place("code", "createDurableConsumerAsync(_, *, $)"),
    Place("code", "createSharedConsumerAsync(_, *, $)"),
    Place("code", "createSharedDurableConsumerAsync(_, *, $)"),
    # Artemis's management and core API.
    Place("code", "setFilterString($)", "artemis"),
    Place("code", "createQueue(*, *, $, *)", "artemis", _ARTEMIS_SERVER, False),
    Place("code", "createQueue(*, *, *, $, *)", "artemis", _ARTEMIS_SERVER, False),
    # Setters and builders of clients: Vert.x, Camel, Alpakka; annotations of .NET and of messaging for CDI.
    Place("code", "setSelector($)", near=_MESSAGING),
    Place("code", "withSelector($)", near=_MESSAGING),
    Place("code", "withJmsSelector($)"),
    # Solace's builders, and IBM MQ's object descriptors.
    Place("code", "withMessageSelector($)"),
    Place("code", "setSelectionString($)"),
    Place("code", "selectionString = $", near=r"(?i)ibm|\bmqod\b|\bpymqi\b|cmqc"),
    Place(
        "code",
        "selector($)",
        near=r"org\.apache\.camel|EndpointRouteBuilder|ciBuildTrigger|ActiveMQSubscriber|\brhea\b",
    ),
    Place("code", "selector($)", near=rf"{_MESSAGING}|citrusframework", is_certain=False),
    Place("code", "createConsumer().receive($, *)", near="citrusframework", is_certain=False),
    Place("code", "*('ActiveMQSubscriberProviderData', selector = $)"),
    Place("code", "ActiveMQSubscriberProviderData(*, *, $, *, *, *, *)"),
    Place("code", "ActiveMQSubscriberProviderData(*, $)", is_certain=False),
    Place("code", "ActiveMQSubscriberProviderData(*, *, $)", is_certain=False),
    Place("code", "*ActiveMq*(selector = $)"),
    Place("code", "*Artemis*(selector = $)"),
    Place("code", "From(selector = $)", near=_MESSAGING),
    # Spring's templates.
    Place("code", "receive($)", near="JmsClient", is_certain=False),
    Place("code", "receiveSelected(..., $)"),
    Place("code", "receiveSelectedAndConvert(..., $)"),
    Place("code", "browseSelected(..., $, _)"),
    # Assignments, members and named arguments of any call. In web pages, messageSelector is often a CSS selector.
    Place("code", "messageSelector = $", near=_BROKERS),
    Place("code", "messageSelector = $", is_certain=False),
    Place("code", "jmsSelector = $"),
    Place("code", "*selector* = $", near=_MESSAGING, is_certain=False),
    Place("code", "filterExpression = $", "artemis", near=r"ConsumerConfiguration|ActiveMQ\.Artemis"),
    # RabbitMQ's clients for AMQP 1.0.
    Place("code", "filter().sql($)", "rabbitmq"),
    Place("code", "StreamFilterOptions(sql = $)", "rabbitmq"),
    # Clients of AMQP 1.0: Qpid Proton for Python, go-amqp, rhea.
    Place("code", "Selector($)", near=r"(?i)proton"),
    Place("code", "NewSelectorFilter($)"),
    Place("code", "LinkSelectorFilter($)"),
    Place("code", "*JmsSelectorFilter($)"),
    Place("code", "wrapDescribed($, *)", near=r"(?i)0x0*468C0*4\b|selector-filter"),
    # Qpid Proton for Java, which has no class for the described type of the filter.
    Place("code", "UnknownDescribedType(*, $)", near=r"(?i)0x0*468C0*4|selector"),
    Place("code", "setFilter($)", near=r"\buamqp\b"),
    Place("code", "*('apache.org:selector-filter:string', ..., $)"),
    # The header of STOMP's SUBSCRIBE.
    Place("code", "subscribe(selector = $)", near=_STOMP),
    Place("code", "Header('selector', $)", near=_STOMP),
    Place("code", "set('selector', $)", near=_STOMP),
    Place("code", "add('selector', $)", near=_STOMP),
    Place("code", "put('selector', $)", near=_STOMP),
    # Parameters of other protocols, such as those of a broker's REST interface.
    Place("code", "*('selector', $)", near=_MESSAGING, is_certain=False),
    # Functions that the files declare, with a parameter named like a selector, or with "selector" in their own name.
    Place("code", "def *(*selector* = $)", near=_MESSAGING, is_certain=False),
    Place("code", "def *selector*(..., $)", near=_MESSAGING, is_certain=False),
    # This project's own functions and commands.
    *(
        Place("code", f"{call}", near=_OURS)
        for function in ("compileSelector", "transpileSelector", "parseSelector", "evaluate", "explainSelector")
        for call in (f"{function}($)", f"{function}(selector = $)")
    ),
    *(
        Place("code", call, near=_OURS)
        for call in (
            *("portSelector($)", "assertMatches($)", "assertNoMatch($)", "explainMatches(*, $)", "verify(*, $)"),
            *("subsumes($, *)", "subsumes(*, $)", "equivalent($, *)", "equivalent(*, $)"),
        )
    ),
    *(Place("shell", f"selector-sql {name} $") for name in ("sql", "match", "explain", "check", "compare", "port")),
    *(Place("shell", f"selector-spark {name} $") for name in ("filter", "explain", "verify")),
    Place("shell", "selector-sql check -e $"),
    # The commands of Artemis and ActiveMQ.
    Place("shell", "artemis --filter $", "artemis"),
    Place("shell", "activemq --msgsel $", "activemq"),
    Place("shell", "activemq-admin --msgsel $", "activemq"),
    # The URIs of Camel's components, and the statements of Lenses's connectors.
    Place(
        "text",
        r"(?:\b(?:jms|sjms2?|activemq6?|amqp|artemis)\d*|\ufffc):[^?\s]*\?(?:[^\s?]*&)?"
        r"(?:jmsMessageSelector|messageSelector|(?:consumer\.)?selector)="
        # The options of a destination of ActiveMQ.
        r"|[\w.>*]\?(?:[^\s?]*&)?consumer\.selector=",
    ),
    Place("text", r"\b(?i:WITHJMSSELECTOR)\s*=\s*"),
    # A pipeline of Jenkins in a text.
    Place("text", r"\b[aA]ctiveMQSubscriber(?:ProviderData)?\b[^}]*?\bselector:\s*"),
)

#: For each YAML pattern that has one, the regular expression ``near`` that the file must match.
_NEAR_IN_YAML = {place.pattern: place.near for place in PLACES if place.language == "yaml" and place.near}
#: Ends of keys whose selectors are of Kubernetes or CSS.
_OTHER_SELECTORS = tuple(
    f"{word}selector"
    for word in "label labels node pod namespace object field service network css dom element xpath html query".split()
)
#: Fast tests for files without selectors: pairs of a word and a pattern (or None). Only a file that contains the word
#: and the pattern of some pair can have selectors. A pattern that begins with letters is found fast.
_CREATED = ("create", re.compile(r"create\w*(?:consumer|subscriber|browser|receiver|queue)"))
_WORDS: Sequence[tuple[str, re.Pattern[str] | None]] = (
    _CREATED,
    *((word, None) for word in ("select", "filter", "msgsel", "jmsclient", "468c0", "subscriberproviderdata")),
    *((word, None) for word in ("spark_ext", "sql", "transpiler")),
)
#: The same pairs for source code. They need patterns, because the words alone are often names of variables.
_WORDS_OF_CODE: Sequence[tuple[str, re.Pattern[str] | None]] = (
    _CREATED,
    ("select", re.compile(r"select(?:or|ed|ionstring)")),
    (
        "filter",
        re.compile(r"set_?filter|<filter string|sql(?:rule)?filter|filter_?(?:string|expression|options)"),
    ),
    ("sql", re.compile(r"sql(?:expression|\s*\()")),
    *((word, None) for word in ("jmsclient", "468c0", "subscriberproviderdata", "spark_ext", "transpiler")),
)
#: The character that stands for a part of a text that is known only at run time.
HOLE = "\ufffc"
#: A placeholder that another tool replaces, or an expression of Mule. A text with it is not yet a complete selector.
_PLACEHOLDER = re.compile(rf"^\s*#\[|[$#]\{{|\{{\{{|@[A-Za-z_.]+@|{HOLE}")
#: Operators and keywords that conditions have and prose does not, in upper or lower case.
_OPERATOR = re.compile(
    r"[=<>]|\bis\s+(?:not\s+)?null\b|\bin\s*\(|\blike\s*['\"]|\bbetween\b[^=<>]*\band\b", re.IGNORECASE
)
#: A character of an operand: a letter, a digit or a quote.
_OPERAND = re.compile(r"\w|['\"]")
#: Signs outside quotes that show another language: CSS, queries of URIs, functions, wildcards of destinations,
#: placeholders, XML prefixes, and labels of Kubernetes. A text with them is not even a mistaken selector.
_FOREIGN = re.compile(
    r"^\s*(?:[#/]|\.(?!\d))|^[^\s=<>]*\?[\w.]+=|\.>|<[\w-]+>|\[|;|(?<!&)&(?!&)|[a-z]:[a-z$/]|->|=>|^[\w./-]+=(?!true$|false$)[A-Za-z_][\w.-]*(?:,|$)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'[^']*'")
_PUNCTUATION = re.compile(r"[^a-z0-9*]")


def step(name: str, namespace: str = "") -> str:
    """Return the key, element or attribute ``name`` in the normal form in which steps of a path are compared."""
    return f"{_squeezed(namespace)}:{_squeezed(name)}"


def find_place(path: Sequence[str], language: Language = "data") -> Place | None:
    """Return the record of the first pattern that the path of steps ``path`` matches; None if no pattern does."""
    if not path:
        return None
    last, known = path[-1].rpartition(":")[2], _by_last(language)
    is_own = last.endswith("selector") and not last.endswith(_OTHER_SELECTORS)
    candidates = [*known.get(last, ()), *(known["*"] if is_own else ())]
    steps = "/".join(path)
    return next((place for pattern, place in candidates if pattern.search(steps)), None)


def is_near(pattern: str, text: str) -> bool:
    """Return True if the file ``text`` matches the expression ``near`` that belongs to the YAML pattern ``pattern``."""
    near = _NEAR_IN_YAML.get(pattern)
    return near is None or re.search(near, text) is not None


def names_of(path: Sequence[str]) -> list[str]:
    """Return the keys ``path`` in the normal form in which patterns are compared with them."""
    return [step(name) for name in path]


@cache
def _by_last(language: Language) -> dict[str, list[tuple[re.Pattern[str], Place]]]:
    """Return the patterns of ``language`` by their last step; under ``*`` if the last step begins with a wildcard."""
    found: dict[str, list[tuple[re.Pattern[str], Place]]] = {}
    for place in PLACES:
        if place.language in ("data", language):
            parts = [part.rpartition(":") for part in place.pattern.split("/")]
            pattern = "(?:/[^/]*)*/".join(map(_step_pattern, parts))
            last = parts[-1][2].rpartition(">")[2]
            name = "*" if last.startswith("*") else _squeezed(last)
            found.setdefault(name, []).append((re.compile(f"(?:^|/){pattern}$"), place))
    return found


def _step_pattern(part: tuple[str, str, str]) -> str:
    namespace, _, name = part
    if ">" in name:
        outer, _, inner = name.partition(">")
        return f"{_step_pattern((namespace, '', outer))}/{_step_pattern((namespace, '', inner))}"
    # A name with wildcards on both sides may also match a part of the namespace.
    inner = _squeezed(name).strip("*")
    if name.startswith("*") and name.endswith("*") and inner:
        return f"[^/]*{inner}[^/]*"
    before = f"[^/:]*{_squeezed(namespace)}[^/:]*" if namespace else "[^/:]*"
    return f"{before}:{_squeezed(name).replace('*', '[^/:]*')}"


@cache
def text_pattern() -> re.Pattern[str]:
    """Return the regular expression of a text after which a selector begins, inside a longer text."""
    return re.compile("|".join(place.pattern for place in PLACES if place.language == "text"))


def is_worth_reading(text: str, is_code: bool) -> bool:
    """Return False if a fast search shows that no pattern of ``PLACES`` can match in the file ``text``."""
    lowered = text.lower()
    words = _WORDS_OF_CODE if is_code else _WORDS
    # Search for the words first, because most files contain no word, and a word is found faster than a pattern.
    return any(word in lowered and (pattern is None or pattern.search(lowered)) for word, pattern in words)


def is_messaging(text: str) -> bool:
    """Return True if the file ``text`` mentions a messaging protocol, broker or API."""
    return _OF_MESSAGES.search(text) is not None


def is_of_jms(text: str) -> bool:
    """Return True if the file ``text`` uses the JMS API, or Apache NMS for .NET."""
    return _JMS_API.search(text) is not None


def is_complete(text: str) -> bool:
    """Return True if ``text`` has no placeholder that another tool or the running program replaces."""
    return not _PLACEHOLDER.search(text)


def has_operator(text: str) -> bool:
    """Return True if ``text`` has an operator or keyword of a selector that prose does not have.

    The text may be invalid as a selector.
    """
    return _OPERATOR.search(text) is not None


def is_condition(text: str) -> bool:
    """Return True if ``text`` has an operator and an operand, and no sign of other languages with such operators."""
    return has_operator(text) and _OPERAND.search(text) is not None and not _FOREIGN.search(_QUOTED.sub("", text))


def _squeezed(name: str) -> str:
    return _PUNCTUATION.sub("", name.lower())
