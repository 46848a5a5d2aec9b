"""An ActiveMQ broker's configuration as it was written: its destinations and interceptors, with their locations.

A configuration with which Spring or the broker does not start raises an error with its line: two virtual destinations
with the same name, or a filter that is empty or not a condition. Elements whose routing is not computed are findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from transpiler.base.diagnostics import Diagnostic, Severity, nearest, shortened
from transpiler.base.documents.xml_elements import Element
from transpiler.base.errors import TranspilerError, UnsupportedFeatureError
from transpiler.language.selector.broker_dialects import ACTIVEMQ
from transpiler.language.selector.parsing import parse_selector
from transpiler.topology.addressing import QUEUE_KIND, TOPIC_KIND, activemq_parts
from transpiler.topology.importers.included import is_of_console
from transpiler.topology.importers.known_names import reasons
from transpiler.topology.model import NOT_COMPUTED

_ELSEWHERE: Mapping[str, str] = {
    "jmsBridgeConnectors": "a bridge forwards messages to other brokers",
}

#: Plugins that do not affect routing: they check permissions, log, write statistics, or draw diagrams. The last one
#: discards dead letters, which the links of the topology express.
_HARMLESS_PLUGINS = frozenset(
    """simpleAuthenticationPlugin jaasAuthenticationPlugin jaasCertificateAuthenticationPlugin
    jaasDualAuthenticationPlugin authorizationPlugin shiroPlugin statisticsBrokerPlugin loggingBrokerPlugin
    multicastTraceBrokerPlugin udpTraceBrokerPlugin connectionDotFilePlugin destinationDotFilePlugin
    runtimeConfigurationPlugin discardingDLQBrokerPlugin""".split()
)

_STRATEGY = "id enableAudit expiration maxAuditDepth maxProducersToAudit processExpired processNonPersistent"

#: The properties that an attribute or a child element can set: of a broker, a network connector and a policy.
_BROKER = """id adjustUsageLimits adminView advisorySupport allowTempAutoCreationOnSend anonymousProducerAdvisorySupport
    brokerContext brokerId brokerName brokerObjectName cacheTempDestinations clustered consumerSystemUsage
    consumerSystemUsagePortion dataDirectory dataDirectoryFile dedicatedTaskRunner deleteAllMessagesOnStartup
    destinationFactory destinationInterceptors destinationPolicy destinations destroyApplicationContextOnShutdown
    destroyApplicationContextOnStop diskUsageCheckRegrowThreshold enableMessageExpirationOnActiveDurableSubs
    enableStatistics ioExceptionHandler jmsBridgeConnectors jobSchedulerStore keepDurableSubsActive managementContext
    masterConnectorURI maxInflatedDataSize maxPurgedDestinationsPerSweep maxSchedulerRepeatAllowed maxUncommittedCount
    mbeanInvocationTimeout messageAuthorizationPolicy monitorConnectionSplits networkConnectorStartAsync
    networkConnectorURIs networkConnectors offlineDurableSubscriberTaskSchedule offlineDurableSubscriberTimeout
    passiveSlave persistenceAdapter persistenceFactory persistenceTaskRunnerFactory persistenceThreadPriority persistent
    plugins populateJMSXUserID populateUserNameInMBeans producerSystemUsage producerSystemUsagePortion proxyConnectors
    regionBroker rejectDurableConsumers restartAllowed rollbackOnlyOnAsyncException schedulePeriodForDestinationPurge
    schedulePeriodForDiskUsageCheck schedulerDirectory schedulerDirectoryFile schedulerSupport services shutdownHooks
    shutdownOnMasterFailure shutdownOnSlaveFailure splitSystemUsageForProducersConsumers sslContext start startAsync
    storeOpenWireVersion supportFailOver systemExitOnShutdown systemExitOnShutdownExitCode systemUsage taskRunnerFactory
    taskRunnerPriority tempDataStore timeBeforePurgeTempDestinations tmpDataDirectory transportConnectorURIs
    transportConnectors useAuthenticatedPrincipalForJMSXUserID useJmx useLocalHostBrokerName useLoggingForShutdownErrors
    useMirroredQueues useShutdownHook useTempMirroredQueues useVirtualDestSubs useVirtualDestSubsOnCreation
    useVirtualTopics virtualThreadTaskRunner vmConnectorURI waitForSlave waitForSlaveTimeout"""
_NETWORK = """id advisoryAckPercentage advisoryForFailedForward advisoryPrefetchSize alwaysSyncSend autoStart
    bridgeFactory bridgeTempDestinations brokerName brokerService brokerURL checkDuplicateMessagesOnDuplex clientIdToken
    conduitNetworkQueueSubscriptions conduitSubscriptions connectionFilter consumerPriorityBase consumerTTL
    decreaseNetworkConsumerPriority destinationFilter discoveryAgent dispatchAsync duplex durableDestinations
    dynamicOnly dynamicallyIncludedDestinations excludedDestinations gcDestinationViews gcSweepTime localUri messageTTL
    name networkTTL objectName password prefetchSize remotePassword remoteUserName sslContext staticBridge
    staticallyIncludedDestinations suppressDuplicateQueueSubscriptions suppressDuplicateTopicSubscriptions
    syncDurableSubs uri useBrokerNameAsIdSees useCompression useVirtualDestSubs userName"""
_POLICY = """id advancedMessageStatisticsEnabled advancedNetworkStatisticsEnabled advisdoryForFastProducers
    advisoryForConsumed advisoryForDelivery advisoryForDiscardingMessages advisoryForDispatched
    advisoryForFastProducers advisoryForSlowConsumers advisoryWhenFull allConsumersExclusiveByDefault
    allowTempDestinationStealing alwaysRetroactive blockedProducerWarningInterval consumersBeforeDispatchStarts
    cursorMemoryHighWaterMark deadLetterStrategy destination dispatchPolicy doOptimzeMessageStorage
    durableTopicPrefetch enableAudit expireMessagesPeriod gcInactiveDestinations gcWithNetworkConsumers
    inactiveTimeoutBeforeGC inactiveTimoutBeforeGC includeBodyForAdvisory lazyDispatch maxAuditDepth maxBrowsePageSize
    maxDestinations maxExpirePageSize maxPageSize maxProducersToAudit maxQueueAuditDepth memoryLimit
    messageEvictionStrategy messageGroupMapFactory messageGroupMapFactoryType messageInterceptorStrategy
    minimumMessageSize networkBridgeFilterFactory optimizeMessageStoreInFlightLimit optimizedDispatch
    pendingDurableSubscriberPolicy pendingMessageLimitStrategy pendingQueuePolicy pendingSubscriberPolicy
    persistJMSRedelivered prioritizedMessages producerFlowControl queue queueBrowserPrefetch queuePrefetch
    reduceMemoryFootprint sendAdvisoryIfNoConsumers sendDuplicateFromStoreToDLQ sendFailIfNoSpace
    sendFailIfNoSpaceAfterTimeout slowConsumerStrategy storeUsageHighWaterMark strictOrderDispatch
    subscriptionRecoveryPolicy tempQueue tempTopic timeBeforeDispatchStarts topic topicPrefetch useCache
    useConsumerPriority usePrefetchExtension useTopicSubscriptionInflightStats"""

#: The names of attributes and child elements that a broker accepts, for each element that affects routing. They are the
#: properties of the Java classes of ActiveMQ 5.0 to 6.3 in the packages ``broker.region.virtual``,
#: ``broker.region.policy``, ``network`` and ``command``, and of ``BrokerService``. A property can be written either
#: way.
_KNOWN: Mapping[str, tuple[str, str]] = {
    "broker": (_BROKER, "bean ref property"),
    "networkConnector": (_NETWORK, "bean ref property"),
    "policyMap": ("id policyEntries defaultEntry", "bean ref"),
    "policyEntry": (_POLICY, "bean ref property"),
    "individualDeadLetterStrategy": (
        f"""{_STRATEGY} destinationPerDurableSubscriber queuePrefix queueSuffix topicPrefix topicSuffix
        useQueueForQueueMessages useQueueForTopicMessages""",
        "",
    ),
    "sharedDeadLetterStrategy": (f"{_STRATEGY} deadLetterQueue", ""),
    "destinationInterceptors": ("", "virtualDestinationInterceptor mirroredQueue bean ref"),
    "virtualDestinationInterceptor": ("id", "virtualDestinations"),
    "virtualDestinations": ("", "virtualTopic compositeQueue compositeTopic bean ref"),
    "virtualTopic": (
        "id name prefix postfix local selectorAware concurrentSend transactedSend dropOnResourceLimit "
        "setOriginalDestination",
        "",
    ),
    "compositeQueue": ("id name physicalName forwardOnly sendWhenNotMatched copyMessage concurrentSend", "forwardTo"),
    "compositeTopic": ("id name physicalName forwardOnly sendWhenNotMatched copyMessage concurrentSend", "forwardTo"),
    "forwardTo": ("", "queue topic filteredDestination bean ref"),
    "filteredDestination": ("id selector filter queue topic destination", "filter destination queue topic"),
    "mirroredQueue": ("id prefix postfix copyMessage", ""),
    "destinations": ("", "queue topic tempQueue tempTopic bean ref"),
}

#: Maximum number of imported files that a finding names.
_MAX_IMPORTS = 3

#: The shortest delay of a policy of ActiveMQ's redeliveryPlugin, in milliseconds.
_MIN_REDELIVERY_DELAY = 1000

#: ``_DEFAULT_TOPICS``: the name pattern of the broker's default virtual topics. ``_DEFAULT_PREFIX``: the prefix of
#: their queues. ``_MIRROR_PREFIX``: the default prefix of the topics of mirrored queues.
_DEFAULT_TOPICS, _DEFAULT_PREFIX, _MIRROR_PREFIX = "VirtualTopic.>", "Consumer.*.", "VirtualTopic.Mirror."


@dataclass(frozen=True, slots=True)
class Forward:
    """A target to which a composite destination forwards. ``filter`` is None if every message goes to the target."""

    kind: str
    name: str
    filter: str | None
    location: str


@dataclass(frozen=True, slots=True)
class Composite:
    """A composite queue or topic, which forwards its messages to other destinations.

    ``keeps`` is True if the destination itself also gets the messages, False if it does not, and None if the
    destination gets only the messages that no target took.
    """

    kind: str
    name: str
    forwards: tuple[Forward, ...]
    keeps: bool | None
    location: str


@dataclass(frozen=True, slots=True)
class VirtualTopic:
    """Topics whose messages also go to the queues of consumers. ``declared`` is False for the broker's default ones."""

    name: str
    prefix: str
    postfix: str
    selector_aware: bool
    location: str
    declared: bool = True


@dataclass(frozen=True, slots=True)
class Mirror:
    """Mirrored queues: the messages of each queue also go to a topic, named with ``prefix`` and ``postfix``."""

    prefix: str
    postfix: str
    location: str


def kind_of(destination: Composite | VirtualTopic) -> str:
    """Return the kind (queue or topic) of the names that a virtual destination matches."""
    return destination.kind if isinstance(destination, Composite) else TOPIC_KIND


#: An interceptor of the broker: a tuple of virtual destinations, or mirrored queues.
Interceptor = tuple[Composite | VirtualTopic, ...] | Mirror


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The dead-letter strategy of a policy, for the destinations of ``kind`` that ``pattern`` matches.

    The dead letters go to the single destination ``to``. If ``affixes``, a prefix and a suffix, is set, they go instead
    to a destination for each name, with the affixes around the name. If ``to`` and ``affixes`` are None, the strategy
    is not computed. ``expired`` and ``non_persistent`` are True if expired and non-persistent messages also become dead
    letters.
    """

    kind: str
    pattern: str
    to_kind: str = "queue"
    to: str | None = "ActiveMQ.DLQ"
    affixes: tuple[str, str] | None = None
    expired: bool = True
    non_persistent: bool = False
    location: str = ""


#: The kind of some destinations, and a pattern of their names.
Pattern = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Network:
    """A network connector, which forwards messages of some destinations to another broker.

    It never forwards messages to destinations in ``excluded``, and always forwards those to destinations in ``static``.
    If ``demand`` is True, it forwards messages to other destinations while the other broker has a consumer for them.
    This applies to the destinations in ``dynamic``, or to all if ``dynamic`` is empty
    (``DemandForwardingBridgeSupport.isPermissableDestination``). If ``duplex`` is True, the other broker forwards
    messages to this broker by the same lists.
    """

    name: str
    location: str
    excluded: tuple[Pattern, ...] = ()
    static: tuple[Pattern, ...] = ()
    dynamic: tuple[Pattern, ...] = ()
    demand: bool = True
    duplex: bool = False

    @property
    def always(self) -> str:
        """The text for users about messages to a destination in ``static``: they are always forwarded."""
        return f"forwarded by the network connector {self.name}"

    @property
    def on_demand(self) -> str:
        """The text for users about messages that are forwarded only if another broker has a consumer for them."""
        return f"{self.always} to a consumer of another broker"

    @property
    def subscriber(self) -> str:
        """The name of the queue that stands for the connector's subscriptions to topics."""
        return f"network connector {self.name}"

    @property
    def copied(self) -> str:
        """The text for users about a message of a topic: a subscription of the connector gets a copy."""
        return f"copied by the {self.subscriber}"

    @property
    def brought(self) -> str:
        """The text for users about messages of another broker that a duplex connector brings."""
        return f"brought by the {self.subscriber} to a consumer of this broker"


@dataclass(slots=True)
class ActiveMQConfig:
    """All settings that decide which queue or subscription gets a message."""

    #: The queues that the file declares, with their locations.
    queues: dict[str, str] = field(default_factory=dict)
    #: The topics that the file declares, with their locations.
    topics: dict[str, str] = field(default_factory=dict)
    #: The network connectors, which forward messages to other brokers.
    networks: list[Network] = field(default_factory=list)
    #: The interceptors, through which messages pass in turn. The last one is the outermost and sees messages first.
    interceptors: list[Interceptor] = field(default_factory=list)
    #: The rules for dead letters, in the order of the file; None if a plugin discards all dead letters.
    dead_letters: list[DeadLetters] | None = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)


def activemq_brokers(root: Element) -> Iterator[Element]:
    """Yield the ``broker`` elements of a file."""
    return (element for element in root.walk() if element.name == "broker")


def _of_imports(root: Element) -> Iterator[Diagnostic]:
    """Yield a note about the imported files of the console, and a warning about all other files that are not read."""
    unread = [element for element in root.named("import") if element.unread is not None]
    of_console = [element for element in unread if is_of_console(element)]
    others = [element for element in unread if not is_of_console(element)]
    kinds: tuple[tuple[list[Element], str, Severity], ...] = (
        (of_console, "topology.include", "info"),
        (others, NOT_COMPUTED, "warning"),
    )
    for elements, code, severity in kinds:
        if elements:
            names = [element.attributes["resource"] for element in elements]
            more = f" and {len(names) - _MAX_IMPORTS} more files" if len(names) > _MAX_IMPORTS else ""
            verb, pronoun = ("is", "it contains") if len(names) == 1 else ("are", "they contain")
            message = f"{', '.join(names[:_MAX_IMPORTS])}{more} {verb} imported, and not read: {elements[0].unread}"
            message += f". What {pronoun} is not known" if elements is others else ""
            yield replace(elements[0].warning(code, message), severity=severity)


def read_broker(broker: Element, root: Element) -> ActiveMQConfig:
    """Read the ``broker`` element of a file with the root element ``root``."""
    config = ActiveMQConfig()
    config.findings += _of_imports(root)
    config.findings += broker.elsewhere(_ELSEWHERE)
    for destinations in broker.named("destinations"):
        for queue in destinations.named("queue"):
            config.queues.setdefault(queue.require("physicalName"), queue.location)
        for topic in destinations.named("topic"):
            config.topics.setdefault(topic.require("physicalName"), topic.location)
    for plugin in (one for listed in broker.named("plugins") for one in listed.children):
        if plugin.name == "redeliveryPlugin":
            config.findings += _of_redelivery(plugin, broker)
        elif plugin.name not in _HARMLESS_PLUGINS:
            config.findings.append(plugin.not_computed(f"<{plugin.name}>: the plugin may do anything with a message"))
    if broker.value("networkConnectorURIs"):
        config.findings.append(broker.not_computed(f"networkConnectorURIs: {_OTHER_NETWORK}"))
    for network in (one for listed in broker.named("networkConnectors") for one in listed.children):
        config.networks += _network(network, config)
    for element in broker.walk():
        config.findings += _unknown(element)
    _read_policies(broker, config)
    listed = broker.child("destinationInterceptors")
    if listed is not None:
        names: dict[str, Element] = {}
        config.interceptors += [_interceptor(element, names, config) for element in listed.children]
        return config
    if broker.flag("useVirtualTopics", True):
        config.interceptors.append((VirtualTopic(_DEFAULT_TOPICS, _DEFAULT_PREFIX, "", False, broker.location, False),))
    if broker.flag("useMirroredQueues", False):
        config.interceptors.append(Mirror(_MIRROR_PREFIX, "", broker.location))
    return config


def _of_redelivery(plugin: Element, broker: Element) -> Iterator[Diagnostic]:
    """Yield the findings about a ``redeliveryPlugin``: its effect on routes, and invalid settings.

    ``RedeliveryPlugin.installPlugin`` throws if the broker has no scheduler, or if a delay is shorter than a second.
    """
    what = "<redeliveryPlugin>: a message that is delivered again passes the virtual destinations of its queue again"
    yield plugin.not_computed(what)
    if not broker.flag("schedulerSupport", False):
        message = "a redeliveryPlugin requires schedulerSupport: without it, the broker does not start"
        hint = 'perhaps write <broker schedulerSupport="true">'
        yield replace(plugin.warning("import.refused", message, hint), severity="error")
    for policy in plugin.walk():
        for name in ("initialRedeliveryDelay", "redeliveryDelay") if policy.name == "redeliveryPolicy" else ():
            text = (policy.get(name) or "").strip()
            if text.removeprefix("-").isdecimal() and int(text[:20]) < _MIN_REDELIVERY_DELAY:
                message = f"{name} {text} is less than {_MIN_REDELIVERY_DELAY:,} ms, so the broker does not start"
                yield replace(policy.warning("import.refused", message), severity="error")


#: The name of a network connector without a name: ``NetworkBridgeConfiguration`` of ActiveMQ.
_NETWORK_NAME = "NC"
#: The child elements of a network connector that list destinations, in the order of the fields of ``Network``.
_NETWORK_PARTS = ("excludedDestinations", "staticallyIncludedDestinations", "dynamicallyIncludedDestinations")


#: The elements of network connectors, and the attributes with which only part of their effect is computed.
_NETWORKS = ("networkConnector", "multicastNetworkConnector")
_NETWORK_FILTERS = ("destinationFilter", "connectionFilter", "bridgeFactory")
#: The effect of a network connector that is not computed.
_OTHER_NETWORK = "a network of brokers forwards messages to other brokers and brings theirs"


def _network(network: Element, config: ActiveMQConfig) -> Iterator[Network]:
    """Yield the network connector that the element ``network`` describes, if there is one.

    A finding reports a kind of connector, and an attribute, whose effect is not computed.
    """
    if network.name not in _NETWORKS:
        config.findings.append(network.not_computed(f"<{network.name}>: {_OTHER_NETWORK}"))
        return
    for name in _NETWORK_FILTERS:
        if network.get(name) is not None or network.child(name) is not None:
            what = f"<{network.name} {name}>: the connector perhaps forwards fewer messages than are shown"
            config.findings.append(network.not_computed(what))
    excluded, static, dynamic = (tuple(_listed_in(network, part)) for part in _NETWORK_PARTS)
    demand, duplex = not network.flag("staticBridge", False), network.flag("duplex", False)
    yield Network(network.get("name") or _NETWORK_NAME, network.location, excluded, static, dynamic, demand, duplex)


def _listed_in(network: Element, part: str) -> Iterator[Pattern]:
    for destination in (one for listed in network.named(part) for one in listed.named("queue", "topic")):
        yield from activemq_parts(f"{destination.name}://{destination.require('physicalName')}")


def _unknown(element: Element) -> Iterator[Diagnostic]:
    """Yield errors about attributes and child elements that the broker does not know, in an element for routing.

    Spring does not set an unknown property, so the broker does not start.
    """
    if element.name not in _KNOWN:
        return
    attributes, elements = (names.split() for names in _KNOWN[element.name])
    for name in element.attributes:
        if name not in attributes and ":" not in name and not name.startswith("xmlns"):
            message = f"<{element.name}> has no attribute {name!r}, so the broker does not start"
            yield _refused(element, message, _near(name, attributes))
    for child in element.children:
        if child.name not in (*elements, *attributes):
            message = f"<{child.name}> in <{element.name}> is not understood, so the broker does not start"
            yield _refused(child, message, _near(child.name, [*elements, *attributes]))


def _refused(element: Element, message: str, hint: str | None) -> Diagnostic:
    return replace(element.warning("import.unknown", message, hint), severity="error")


def _near(name: str, known: Sequence[str]) -> str | None:
    near = nearest(name, known)
    return f"perhaps write {near[0]}" if near else None


def _read_policies(broker: Element, config: ActiveMQConfig) -> None:
    if any(each.name == "discardingDLQBrokerPlugin" and each.flag("dropAll", True) for each in broker.walk()):
        config.dead_letters = None
        return
    assert config.dead_letters is not None
    for entry in broker.walk():
        if entry.name not in ("policyEntry", "defaultEntry"):
            continue
        for kind in (QUEUE_KIND, TOPIC_KIND):
            named = entry.get(kind, ">" if entry.name == "defaultEntry" else None)
            for _, name in activemq_parts(f"{kind}://{named}") if named else ():
                config.dead_letters.append(_dead_letters(entry, kind, name, config))


def _dead_letters(entry: Element, kind: str, pattern: str, config: ActiveMQConfig) -> DeadLetters:
    listed = entry.child("deadLetterStrategy")
    if listed is None or not listed.children:
        if listed is not None or entry.get("deadLetterStrategy") is not None:
            config.findings.append(
                entry.warning("topology.not-computed", "its dead-letter strategy is not in the file")
            )
            return DeadLetters(kind, pattern, to=None)
        return DeadLetters(kind, pattern, location=entry.location)
    strategy = listed.children[0]
    expired, others = strategy.flag("processExpired", True), strategy.flag("processNonPersistent", False)
    if strategy.name == "individualDeadLetterStrategy":
        side = "Queue" if kind == "queue" else "Topic"
        to_kind = "queue" if strategy.flag(f"useQueueFor{side}Messages", True) else "topic"
        prefix = strategy.get(f"{kind}Prefix", f"ActiveMQ.DLQ.{side}.") or ""
        affixes = (prefix, strategy.get(f"{kind}Suffix", "") or "")
        return DeadLetters(kind, pattern, to_kind, None, affixes, expired, others, strategy.location)
    shared = strategy.child("deadLetterQueue")
    target = shared.children[0] if shared is not None and shared.children else None
    if strategy.name != "sharedDeadLetterStrategy" or (shared is not None and target is None):
        config.findings.append(strategy.not_computed(f"<{strategy.name}> is a dead-letter strategy of another kind"))
        return DeadLetters(kind, pattern, to=None)
    if target is None:
        return DeadLetters(kind, pattern, expired=expired, non_persistent=others, location=strategy.location)
    to_kind = "topic" if target.name == "topic" else "queue"
    name = target.require("physicalName")
    return DeadLetters(kind, pattern, to_kind, name, None, expired, others, strategy.location)


def _interceptor(element: Element, names: dict[str, Element], config: ActiveMQConfig) -> Interceptor:
    match element.name:
        case "mirroredQueue":
            prefix, postfix = element.get("prefix", _MIRROR_PREFIX), element.get("postfix", "")
            return Mirror(prefix or "", postfix or "", element.location)
        case "virtualDestinationInterceptor":
            destinations = [each for listed in element.named("virtualDestinations") for each in listed.children]
            read = [_virtual_destination(each, names, config) for each in destinations]
            return tuple(each for each in read if each is not None)
        case _:
            config.findings.append(element.not_computed(f"<{element.name}> is an interceptor of another kind"))
            return ()


def _virtual_destination(
    element: Element, names: dict[str, Element], config: ActiveMQConfig
) -> Composite | VirtualTopic | None:
    name = element.get("name")
    if name is not None:
        # The name of a network connector is also the name of a Spring bean, so it must be unique.
        before = names.setdefault(name, element)
        if before is not element:
            message = f"there are two virtual destinations called {name!r}, so the broker does not start"
            element.refuse("topology.duplicate", message, f"the other one is at {before.location}")
    match element.name:
        case "virtualTopic":
            return VirtualTopic(
                ">" if name is None else name,
                element.get("prefix", _DEFAULT_PREFIX) or "",
                element.get("postfix", "") or "",
                element.flag("selectorAware", False),
                element.location,
            )
        case "compositeQueue" | "compositeTopic":
            kind = QUEUE_KIND if element.name == "compositeQueue" else TOPIC_KIND
            forwards = [
                forward
                for listed in element.named("forwardTo")
                for each in listed.children
                if (forward := _forward(each, config)) is not None
            ]
            keeps = None if element.flag("sendWhenNotMatched", False) else not element.flag("forwardOnly", True)
            return Composite(kind, element.require("name"), tuple(forwards), keeps, element.location)
        case _:
            config.findings.append(element.not_computed(f"<{element.name}> is a virtual destination of another kind"))
            return None


def _forward(element: Element, config: ActiveMQConfig) -> Forward | None:
    match element.name:
        case "queue" | "topic":
            return Forward(element.name, element.require("physicalName"), None, element.location)
        case "filteredDestination":
            return _filtered(element, config)
        case _:
            config.findings.append(element.not_computed(f"<{element.name}> forwards in another way"))
            return None


def _filtered(element: Element, config: ActiveMQConfig) -> Forward | None:
    selector = element.get("selector")
    queue, topic = element.get("queue"), element.get("topic")
    if selector is None:
        message = "a filteredDestination without a selector never gets a message"
        config.findings.append(element.warning("topology.no-selector", message))
        return None
    _check_selector(element, selector)
    for reason in reasons(selector, ACTIVEMQ):
        message = f"the selector {shortened(selector, 60)!r} cannot be evaluated, so it may match: {reason}"
        config.findings.append(element.warning("topology.not-evaluated", message))
    if queue is None and topic is None:
        what = "the destination of this filteredDestination is neither a queue nor a topic"
        config.findings.append(element.not_computed(what))
        return None
    kind, name = (TOPIC_KIND, topic) if queue is None else (QUEUE_KIND, queue)
    return Forward(kind, name or "", selector, element.location)


def _check_selector(element: Element, selector: str) -> None:
    if not selector.strip():
        element.refuse("topology.filter", "the selector is empty, so the broker does not start", "omit the selector")
    try:
        parse_selector(selector, ACTIVEMQ)
    except UnsupportedFeatureError:
        return
    except TranspilerError as error:
        message = f"the selector {selector!r} is invalid, so the broker does not start: {error.diagnostics[0].message}"
        element.refuse("topology.filter", message)
