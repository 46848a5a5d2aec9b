"""The patterns of keys, elements and calls with selectors, one record for each.

Readers look up the patterns, and contain no names themselves.

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


class SelectorPattern(NamedTuple):
    """A place in files where selectors occur: the kind of file, the pattern of keys or calls, and the dialect or None.

    ``near`` is a regular expression that the file must match, because without it ``pattern`` may mean something else.
    If ``is_certain`` is False, a text at this place is a selector only if it looks like a condition. ``reason`` is not
    empty for filters in another language: they are not read, and ``reason`` says why.
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
#: Matches files that use Artemis's core API but not JMS. A file that uses both APIs has sessions of both, whose methods
#: look alike, so the dialect of a selector in it is not certain.
_CORE_ALONE = rf"(?s)\A(?!.*(?:javax|jakarta)\.jms).*(?:{_ARTEMIS_CORE})"

SELECTOR_PATTERNS: tuple[SelectorPattern, ...] = (
    # Selectors that are values of these keys in JSON, YAML, properties and XML files.
    SelectorPattern("data", "messageSelector"),
    SelectorPattern("data", "jmsSelector"),
    SelectorPattern("data", "jmsMessageSelector"),
    SelectorPattern("data", "apacheOrgSelectorFilterString"),
    SelectorPattern("data", "message/selector"),
    SelectorPattern("data", "*jms*/selector"),
    SelectorPattern("data", "*activemq*/selector"),
    SelectorPattern("data", "*artemis*/selector"),
    SelectorPattern("data", "*amqp*/selector"),
    SelectorPattern("data", "*qpid*/selector"),
    *(
        SelectorPattern("data", f"*{holder}*/*Selector", is_certain=False)
        for holder in ("jms", "activemq", "artemis", "amqp", "qpid", "solace")
    ),
    # A key that the user chose, such as "orderSelector", in the configuration of a program that mentions messaging.
    SelectorPattern("yaml", "*Selector", near=_MESSAGING, is_certain=False),
    SelectorPattern("data", "sqlFilter/sqlExpression", reason=_SERVICE_BUS),
    SelectorPattern("code", "SqlRuleFilter($)", reason=_SERVICE_BUS),
    SelectorPattern("code", "SqlFilter($)", near=_SERVICE_BUS_FILES, reason=_SERVICE_BUS),
    SelectorPattern("code", "sqlExpression = $", near=_SERVICE_BUS_FILES, reason=_SERVICE_BUS),
    # Selectors in an argument of the bindings of Broker-J and Qpid C++.
    SelectorPattern("data", "xFilterJmsSelector", "qpid-java"),
    SelectorPattern("data", "rjmsSelector", "rabbitmq-jms"),
    SelectorPattern("data", "xJmsSelector", "rabbitmq-jms"),
    SelectorPattern("data", "amqpSqlFilter", "rabbitmq"),
    SelectorPattern("data", "sqlFilter", "rabbitmq"),
    # Selectors in a broker property of a queue, a divert or a bridge of Artemis.
    SelectorPattern("data", "filterString", "artemis-core"),
    # Selectors in the configuration of MicroProfile's channels (SmallRye, Quarkus) and of Spring Cloud Stream's
    # binders.
    SelectorPattern("data", "mp/messaging/incoming/selector"),
    SelectorPattern("data", "spring/cloud/stream/consumer/selector"),
    # Selectors in the configuration of Camel's Kafka connectors, and in Ansible's collection for Artemis.
    SelectorPattern("data", "camel/source/endpoint/selector"),
    *(
        SelectorPattern("data", f"{holder}/filter", "artemis")
        for holder in ("activemqDiverts", "activemqQueues", "activemqBridges")
    ),
    # Selectors in routes in Camel's YAML.
    SelectorPattern("yaml", "from/parameters/selector"),
    SelectorPattern("yaml", "to/parameters/selector"),
    SelectorPattern("yaml", "pollEnrich/parameters/selector"),
    # Selectors in tests of Citrus. A selector there may also be XPath.
    *(
        SelectorPattern("yaml", f"{action}/selector>value", is_certain=False)
        for action in ("receive", "purge", "expectTimeout")
    ),
    *(SelectorPattern("yaml", f"{action}/select", is_certain=False) for action in ("purge", "expectTimeout")),
    SelectorPattern("xml", "citrusframework:selector>value", is_certain=False),
    *(
        SelectorPattern("xml", f"citrusframework:{action}/select", is_certain=False)
        for action in ("purgeEndpoint", "expectTimeout")
    ),
    # Selectors in Artemis's broker.xml, and in its older file for JMS destinations, whose selectors the broker
    # rewrites.
    *(
        SelectorPattern("xml", f"{holder}/filter/string", "artemis-core")
        for holder in ("queue", "divert", "bridge", "connectorService", "federation")
    ),
    SelectorPattern("xml", "selector/string", "artemis"),
    # Selectors in WildFly's messaging subsystem.
    *(
        SelectorPattern("xml", f"messagingActivemq:{holder}/{attribute}", dialect)
        for holder in ("divert", "queue", "coreQueue", "bridge", "jmsQueue", "jmsBridge")
        for attribute, dialect in (("filter", "artemis-core"), ("selector", "artemis"))
    ),
    # Selectors of ActiveMQ's virtual destinations, and of its bridges to other JMS providers.
    SelectorPattern("xml", "filteredDestination/selector"),
    SelectorPattern("xml", "inboundQueueBridge/selector"),
    SelectorPattern("xml", "outboundQueueBridge/selector"),
    SelectorPattern("xml", "inboundTopicBridge/selector"),
    SelectorPattern("xml", "outboundTopicBridge/selector"),
    # Selectors of triggers and build steps in the XML files of Jenkins.
    SelectorPattern("xml", "*CIBuildTrigger/selector"),
    SelectorPattern("xml", "*CIMessageSubscriberBuilder/selector"),
    # Selectors of Spring's listeners, Spring Integration's adapters and Mule's sources.
    SelectorPattern("xml", "listener/selector"),
    SelectorPattern("xml", "jmsListener/selector"),
    SelectorPattern("xml", "jms:*/selector"),
    SelectorPattern("xml", "jms:selector/expression"),
    # Helper functions with the names of Jakarta Messaging's methods, but with one more argument before the selector.
    *(
        SelectorPattern("code", f"{helper}(*, *, $)", near=_JMS, is_certain=False)
        for helper in ("createConsumer", "createReceiver", "createBrowser")
    ),
    SelectorPattern("code", "createConsumer(*, $)", "artemis-core", near=_CORE_ALONE),
    SelectorPattern("code", "createConsumer(*, $)", "artemis", near=_ARTEMIS_CORE),
    SelectorPattern("code", "createConsumer(_, $)", near=_JMS),
    SelectorPattern("code", "createBrowser(_, $)", near=_JMS),
    # In ActiveMQ's BrokerView, the names of client, subscription and topic precede the selector.
    SelectorPattern("code", "createDurableSubscriber(_, *, $, !)"),
    SelectorPattern("code", "createDurableConsumer(_, *, $)"),
    SelectorPattern("code", "createSharedConsumer(_, *, $)"),
    SelectorPattern("code", "createSharedDurableConsumer(_, *, $)"),
    SelectorPattern("code", "createConnectionConsumer(_, $)", near=_JMS),
    SelectorPattern("code", "createDurableConnectionConsumer(_, *, $)"),
    SelectorPattern("code", "createSharedConnectionConsumer(_, *, $)"),
    SelectorPattern("code", "createSharedDurableConnectionConsumer(_, *, $)"),
    SelectorPattern("code", "createReceiver(_, $)", near=_JMS_RECEIVERS),
    SelectorPattern("code", "createSubscriber(_, $, *)", near=_JMS),
    # Methods of the JMS API for Go that take a selector.
    SelectorPattern("code", "create*WithSelector(..., $)", near=_MESSAGING),
    # Other helper functions: the selector is an argument that is named like a selector or looks like a condition.
    *(
        SelectorPattern("code", f"create*{kind}*(..., $, ...)", near=_MESSAGING_NOT_AZURE, is_certain=False)
        for kind in ("Consumer", "Receiver", "Subscriber", "Browser")
    ),
    SelectorPattern("code", "setMessageSelector($)"),
    SelectorPattern("code", "messageSelector($)"),
    SelectorPattern("code", "*ActivationConfigProperty(propertyName = 'messageSelector', propertyValue = $)"),
    SelectorPattern("code", "*Jms*(selector = $)"),
    # Methods of Apache NMS, the JMS API for .NET, that take a selector.
    SelectorPattern("code", "createConsumerAsync(_, $)", near=_JMS),
    SelectorPattern("code", "createBrowserAsync(_, $)", near=_JMS),
    SelectorPattern("code", "createDurableConsumerAsync(_, *, $)"),
    SelectorPattern("code", "createSharedConsumerAsync(_, *, $)"),
    SelectorPattern("code", "createSharedDurableConsumerAsync(_, *, $)"),
    # Methods of Artemis's management API and core API that take a filter.
    SelectorPattern("code", "setFilterString($)", "artemis"),
    SelectorPattern("code", "createQueue(*, *, $, *)", "artemis", _ARTEMIS_SERVER, False),
    SelectorPattern("code", "createQueue(*, *, *, $, *)", "artemis", _ARTEMIS_SERVER, False),
    # Setters and builders of clients: Vert.x, Camel, Alpakka; annotations of .NET and of messaging for CDI.
    SelectorPattern("code", "setSelector($)", near=_MESSAGING),
    SelectorPattern("code", "withSelector($)", near=_MESSAGING),
    SelectorPattern("code", "withJmsSelector($)"),
    # Selectors in the builders of Solace's API, and in IBM MQ's object descriptors.
    SelectorPattern("code", "withMessageSelector($)"),
    SelectorPattern("code", "setSelectionString($)"),
    SelectorPattern("code", "selectionString = $", near=r"(?i)ibm|\bmqod\b|\bpymqi\b|cmqc"),
    SelectorPattern(
        "code",
        "selector($)",
        near=r"org\.apache\.camel|EndpointRouteBuilder|ciBuildTrigger|ActiveMQSubscriber|\brhea\b",
    ),
    SelectorPattern("code", "selector($)", near=rf"{_MESSAGING}|citrusframework", is_certain=False),
    SelectorPattern("code", "createConsumer().receive($, *)", near="citrusframework", is_certain=False),
    SelectorPattern("code", "*('ActiveMQSubscriberProviderData', selector = $)"),
    SelectorPattern("code", "ActiveMQSubscriberProviderData(*, *, $, *, *, *, *)"),
    SelectorPattern("code", "ActiveMQSubscriberProviderData(*, $)", is_certain=False),
    SelectorPattern("code", "ActiveMQSubscriberProviderData(*, *, $)", is_certain=False),
    SelectorPattern("code", "*ActiveMq*(selector = $)"),
    SelectorPattern("code", "*Artemis*(selector = $)"),
    SelectorPattern("code", "From(selector = $)", near=_MESSAGING),
    # Methods of Spring's ``JmsTemplate`` and ``JmsClient`` that take a selector.
    SelectorPattern("code", "receive($)", near="JmsClient", is_certain=False),
    SelectorPattern("code", "receiveSelected(..., $)"),
    SelectorPattern("code", "receiveSelectedAndConvert(..., $)"),
    SelectorPattern("code", "browseSelected(..., $, _)"),
    # Assignments, members and named arguments of any call. In web pages, messageSelector is often a CSS selector.
    SelectorPattern("code", "messageSelector = $", near=_BROKERS),
    SelectorPattern("code", "messageSelector = $", is_certain=False),
    SelectorPattern("code", "jmsSelector = $"),
    SelectorPattern("code", "*selector* = $", near=_MESSAGING, is_certain=False),
    SelectorPattern("code", "filterExpression = $", "artemis", near=r"ConsumerConfiguration|ActiveMQ\.Artemis"),
    # SQL filters in calls of RabbitMQ's clients for AMQP 1.0.
    SelectorPattern("code", "filter().sql($)", "rabbitmq"),
    SelectorPattern("code", "StreamFilterOptions(sql = $)", "rabbitmq"),
    # Selector filters in calls of clients for AMQP 1.0: Qpid Proton for Python, go-amqp, rhea.
    SelectorPattern("code", "Selector($)", near=r"(?i)proton"),
    SelectorPattern("code", "NewSelectorFilter($)"),
    SelectorPattern("code", "LinkSelectorFilter($)"),
    SelectorPattern("code", "*JmsSelectorFilter($)"),
    SelectorPattern("code", "wrapDescribed($, *)", near=r"(?i)0x0*468C0*4\b|selector-filter"),
    # Qpid Proton for Java, which has no class for the described type of the filter.
    SelectorPattern("code", "UnknownDescribedType(*, $)", near=r"(?i)0x0*468C0*4|selector"),
    SelectorPattern("code", "setFilter($)", near=r"\buamqp\b"),
    SelectorPattern("code", "*('apache.org:selector-filter:string', ..., $)"),
    # The header ``selector`` of STOMP's frame SUBSCRIBE.
    SelectorPattern("code", "subscribe(selector = $)", near=_STOMP),
    SelectorPattern("code", "Header('selector', $)", near=_STOMP),
    SelectorPattern("code", "set('selector', $)", near=_STOMP),
    SelectorPattern("code", "add('selector', $)", near=_STOMP),
    SelectorPattern("code", "put('selector', $)", near=_STOMP),
    # Parameters of other protocols, such as those of a broker's REST interface.
    SelectorPattern("code", "*('selector', $)", near=_MESSAGING, is_certain=False),
    # Functions that the files declare, with a parameter named like a selector, or with "selector" in their own name.
    SelectorPattern("code", "def *(*selector* = $)", near=_MESSAGING, is_certain=False),
    SelectorPattern("code", "def *selector*(..., $)", near=_MESSAGING, is_certain=False),
    # Selectors in calls of this project's own functions and commands.
    *(
        SelectorPattern("code", f"{call}", near=_OURS)
        for function in ("compileSelector", "transpileSelector", "parseSelector", "evaluate", "explainSelector")
        for call in (f"{function}($)", f"{function}(selector = $)")
    ),
    *(
        SelectorPattern("code", call, near=_OURS)
        for call in (
            *("portSelector($)", "assertMatches($)", "assertNoMatch($)", "explainMatches(*, $)", "verify(*, $)"),
            *("subsumes($, *)", "subsumes(*, $)", "equivalent($, *)", "equivalent(*, $)"),
        )
    ),
    *(
        SelectorPattern("shell", f"selector-sql {name} $")
        for name in ("sql", "match", "explain", "check", "compare", "port")
    ),
    *(SelectorPattern("shell", f"selector-spark {name} $") for name in ("filter", "explain", "verify")),
    SelectorPattern("shell", "selector-sql check -e $"),
    # Selectors in options of the commands of Artemis and ActiveMQ.
    SelectorPattern("shell", "artemis --filter $", "artemis"),
    SelectorPattern("shell", "activemq --msgsel $", "activemq"),
    SelectorPattern("shell", "activemq-admin --msgsel $", "activemq"),
    # Selectors in the URIs of Camel's components, and in the statements of Lenses's connectors.
    SelectorPattern(
        "text",
        r"(?:\b(?:jms|sjms2?|activemq6?|amqp|artemis)\d*|\ufffc):[^?\s]*\?(?:[^\s?]*&)?"
        r"(?:jmsMessageSelector|messageSelector|(?:consumer\.)?selector)="
        # Selectors in the options of an ActiveMQ destination (``queue?consumer.selector=``).
        r"|[\w.>*]\?(?:[^\s?]*&)?consumer\.selector=",
    ),
    SelectorPattern("text", r"\b(?i:WITHJMSSELECTOR)\s*=\s*"),
    # Selectors in a pipeline of Jenkins (Jenkinsfile).
    SelectorPattern("text", r"\b[aA]ctiveMQSubscriber(?:ProviderData)?\b[^}]*?\bselector:\s*"),
)

#: For each YAML pattern that has one, the regular expression ``near`` that the file must match.
_NEAR_IN_YAML = {
    record.pattern: record.near for record in SELECTOR_PATTERNS if record.language == "yaml" and record.near
}
#: Ends of keys whose selectors are of Kubernetes or CSS.
_OTHER_SELECTORS = tuple(
    f"{word}selector"
    for word in "label labels node pod namespace object field service network css dom element xpath html query".split()
)
#: Fast tests that rule out most files before they are read. A file can have selectors only if it contains the word of
#: one of these pairs, and also matches the pair's regular expression if there is one. Begin the expression with
#: letters, so that the search is fast.
_CREATED = ("create", re.compile(r"create\w*(?:consumer|subscriber|browser|receiver|queue)"))
_WORDS: Sequence[tuple[str, re.Pattern[str] | None]] = (
    _CREATED,
    *((word, None) for word in ("select", "filter", "msgsel", "jmsclient", "468c0", "subscriberproviderdata")),
    *((word, None) for word in ("spark_ext", "sql", "transpiler")),
)
#: The same pairs for source code. There, a word such as "select" alone is often a variable, so its pair has an
#: expression.
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
    """Return ``name``, an XML element, attribute or key, in the normal form in which steps of a path are compared.

    Case and separators are removed: ``step('Message-Selector')`` is ``':messageselector'``.
    """
    return f"{_squeezed(namespace)}:{_squeezed(name)}"


def find_pattern(path: Sequence[str], language: Language = "data") -> SelectorPattern | None:
    """Return the record of the first selector pattern that matches the path of keys ``path``; None if none matches."""
    if not path:
        return None
    last, known = path[-1].rpartition(":")[2], _by_last(language)
    is_own = last.endswith("selector") and not last.endswith(_OTHER_SELECTORS)
    candidates = [*known.get(last, ()), *(known["*"] if is_own else ())]
    steps = "/".join(path)
    return next((record for pattern, record in candidates if pattern.search(steps)), None)


def is_near(pattern: str, text: str) -> bool:
    """Return True if the file ``text`` matches the expression ``near`` that belongs to the YAML pattern ``pattern``."""
    near = _NEAR_IN_YAML.get(pattern)
    return near is None or re.search(near, text) is not None


def names_of(path: Sequence[str]) -> list[str]:
    """Return the keys ``path`` in the normal form in which selector patterns are compared with them."""
    return [step(name) for name in path]


@cache
def _by_last(language: Language) -> dict[str, list[tuple[re.Pattern[str], SelectorPattern]]]:
    """Return the patterns of ``language`` as regular expressions, grouped by the last step of their path.

    Patterns whose last step begins with a wildcard are in the group ``*``.
    """
    found: dict[str, list[tuple[re.Pattern[str], SelectorPattern]]] = {}
    for record in SELECTOR_PATTERNS:
        if record.language in ("data", language):
            parts = [part.rpartition(":") for part in record.pattern.split("/")]
            pattern = "(?:/[^/]*)*/".join(map(_step_pattern, parts))
            last = parts[-1][2].rpartition(">")[2]
            name = "*" if last.startswith("*") else _squeezed(last)
            found.setdefault(name, []).append((re.compile(f"(?:^|/){pattern}$"), record))
    return found


def _step_pattern(part: tuple[str, str, str]) -> str:
    namespace, _, name = part
    if ">" in name:
        outer, _, inner = name.partition(">")
        return f"{_step_pattern((namespace, '', outer))}/{_step_pattern((namespace, '', inner))}"
    # A name with wildcards on both sides, such as ``*selector*``, may also match in the namespace of the element.
    inner = _squeezed(name).strip("*")
    if name.startswith("*") and name.endswith("*") and inner:
        return f"[^/]*{inner}[^/]*"
    before = f"[^/:]*{_squeezed(namespace)}[^/:]*" if namespace else "[^/:]*"
    return f"{before}:{_squeezed(name).replace('*', '[^/:]*')}"


@cache
def text_pattern() -> re.Pattern[str]:
    """Return the regular expression for what precedes a selector inside a longer text, such as a Camel URI."""
    return re.compile("|".join(record.pattern for record in SELECTOR_PATTERNS if record.language == "text"))


def is_worth_reading(text: str, is_code: bool) -> bool:
    """Return False if a fast search shows that no pattern of ``SELECTOR_PATTERNS`` can match in the file ``text``."""
    lowered = text.lower()
    words = _WORDS_OF_CODE if is_code else _WORDS
    # Search for the words first, because most files contain no word, and a word is found faster than a match of a
    # regular expression.
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
