"""The names and values of Artemis' schema: others are reported, because the broker rejects them.

The names and the types of values come from ``artemis-configuration.xsd`` and from the older forms that
``FileConfigurationParser`` still reads. Sizes with units are texts in the schema, which the parser converts
(``ByteUtil.convertTextBytes``). Only the contents of elements that affect routing are checked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic, nearest, shortened
from transpiler.base.documents.xml_elements import Element


class _Names(NamedTuple):
    """The names of the child elements and of the attributes that an element can have."""

    elements: Collection[str] = ()
    attributes: Collection[str] = ()


_CORE = """
    acceptors address-queue-scan-period address-settings addresses amqp-use-core-subscription-naming
    async-connection-execution-enabled authentication-cache-size authorization-cache-size bindings-directory
    bridges broadcast-groups broker-connections broker-plugins cluster-connections cluster-password cluster-user
    configuration-file-refresh-period connection-routers connection-ttl-check-interval connection-ttl-override
    connector-services connectors create-bindings-dir create-journal-dir critical-analyzer
    critical-analyzer-check-period critical-analyzer-policy critical-analyzer-timeout discovery-groups
    disk-scan-period diverts federations global-max-messages global-max-size
    global-max-size-percent-of-jvm-max-memory graceful-shutdown-enabled graceful-shutdown-timeout
    grouping-handler ha-policy id-cache-size internal-naming-prefix jmx-domain jmx-management-enabled
    jmx-use-broker-name journal-buffer-size journal-buffer-timeout journal-compact-min-files
    journal-compact-percentage journal-datasync journal-device-block-size journal-directory
    journal-file-open-timeout journal-file-size journal-lock-acquisition-timeout journal-max-io
    journal-min-files journal-pool-files journal-retention-directory journal-sync-non-transactional
    journal-sync-transactional journal-type large-message-sync large-messages-directory literal-match-markers
    log-delegate-factory-class-name log-journal-write-rate management-address management-message-rbac
    management-notification-address management-rbac-prefix mask-password max-disk-usage max-redelivery-records
    memory-measure-interval memory-warning-threshold message-counter-enabled message-counter-max-day-history
    message-counter-sample-period message-expiry-scan-period message-expiry-thread-priority metrics
    metrics-plugin min-disk-free mirror-ack-manager-page-attempts mirror-ack-manager-queue-attempts
    mirror-ack-manager-retry-delay mirror-ack-manager-warn-unacked mirror-page-transaction
    mqtt-session-scan-interval mqtt-session-state-persistence-timeout mqtt-subscription-persistence-enabled name
    network-check-NIC network-check-URL-list network-check-list network-check-period network-check-ping-command
    network-check-ping6-command network-check-timeout node-manager-lock-directory page-max-concurrent-io
    page-sync-timeout paging-directory password-codec persist-delivery-count-before-delivery persist-id-cache
    persistence-enabled populate-validated-user purge-page-folders queues read-whole-page
    reject-empty-validated-user remoting-incoming-interceptors remoting-outgoing-interceptors resolve-protocols
    resource-limit-settings scheduled-thread-pool-max-size security-enabled security-invalidation-interval
    security-settings server-dump-interval store suppress-session-notifications system-property-prefix
    temporary-queue-namespace thread-pool-max-size transaction-timeout transaction-timeout-scan-period
    uuid-namespace view-permission-method-match-pattern wild-card-routing-enabled wildcard-addresses
    jms
""".split()

_ADDRESS_SETTING = """
    address-full-policy auto-create-addresses auto-create-dead-letter-resources auto-create-expiry-resources
    auto-create-jms-queues auto-create-jms-topics auto-create-queues auto-delete-addresses
    auto-delete-addresses-delay auto-delete-addresses-skip-usage-check auto-delete-created-queues
    auto-delete-jms-queues auto-delete-jms-topics auto-delete-queues auto-delete-queues-delay
    auto-delete-queues-message-count auto-delete-queues-skip-usage-check config-delete-addresses
    config-delete-diverts config-delete-queues dead-letter-address dead-letter-queue-prefix
    dead-letter-queue-suffix default-address-routing-type default-consumer-window-size
    default-consumers-before-dispatch default-delay-before-dispatch default-exclusive-queue
    default-group-buckets default-group-first-key default-group-rebalance default-group-rebalance-pause-dispatch
    default-last-value-key default-last-value-queue default-max-consumers default-non-destructive
    default-purge-on-no-consumers default-queue-routing-type default-ring-size disk-full-policy
    enable-ingress-timestamp enable-metrics expiry-address expiry-delay expiry-queue-prefix expiry-queue-suffix
    id-cache-size initial-queue-buffer-size last-value-queue management-browse-page-size
    management-message-attribute-size-limit max-delivery-attempts max-expiry-delay max-read-page-bytes
    max-read-page-messages max-redelivery-delay max-size-bytes max-size-bytes-reject-threshold max-size-messages
    message-counter-history-day-limit min-expiry-delay no-expiry page-full-policy page-limit-bytes
    page-limit-messages page-max-cache-size page-size-bytes prefetch-page-bytes prefetch-page-messages
    redelivery-collision-avoidance-factor redelivery-delay redelivery-delay-multiplier redistribution-delay
    retroactive-message-count send-to-dla-on-no-route slow-consumer-check-period slow-consumer-policy
    slow-consumer-threshold slow-consumer-threshold-measurement-unit
""".split()

_BRIDGE = """
    check-period client-id concurrency confirmation-window-size connection-ttl discovery-type
    failover-on-server-shutdown filter forwarding-address ha initial-connect-attempts max-retry-interval
    min-large-message-size password pending-ack-timeout producer-window-size queue-name reconnect-attempts
    reconnect-attempts-same-node retry-interval retry-interval-multiplier routing-type transformer
    transformer-class-name use-duplicate-detection user
    static-connectors discovery-group-ref
""".split()

_QUEUE = """
    consumers-before-dispatch delay-before-dispatch enabled exclusive group-buckets group-first-key group-rebalance
    group-rebalance-pause-dispatch last-value last-value-key max-consumers name non-destructive purge-on-no-consumers
    ring-size auto-delete auto-delete-delay auto-delete-message-count user durable filter address
""".split()

_CLUSTER = """
    address call-failover-timeout call-timeout check-period client-id confirmation-window-size connection-ttl
    connector-ref discovery-group-ref forward-when-no-consumers initial-connect-attempts max-hops max-retry-interval
    message-load-balancing min-large-message-size notification-attempts notification-interval producer-window-size
    reconnect-attempts retry-interval retry-interval-multiplier scale-down-connector static-connectors
    topology-scanner-attempts use-duplicate-detection
""".split()

_STREAM = """
    call-failover-timeout call-timeout check-period circuit-breaker-timeout connection-ttl discovery-group-ref ha
    initial-connect-attempts max-retry-interval policy reconnect-attempts retry-interval retry-interval-multiplier
    share-connection static-connectors
""".split()
_STREAM_ATTRIBUTES = ("name", "user", "password", "priority-adjustment")

_DIVERT = "address exclusive filter forwarding-address routing-name routing-type transformer transformer-class-name"

#: The elements of ``broker.xml`` whose contents are checked, each with the names of the elements and attributes that it
#: can contain.
_KNOWN = {
    "core": _Names(_CORE),
    "addresses": _Names(("address",)),
    "address": _Names(("anycast", "multicast"), ("name",)),
    "anycast": _Names(("queue",)),
    "multicast": _Names(("queue",)),
    "queues": _Names(("queue",)),
    "queue": _Names(("durable", "filter", "user", "address"), _QUEUE),
    "filter": _Names((), ("string",)),
    "diverts": _Names(("divert",)),
    "divert": _Names(_DIVERT.split(), ("name",)),
    "address-settings": _Names(("address-setting",)),
    "address-setting": _Names(_ADDRESS_SETTING, ("match",)),
    "bridges": _Names(("bridge",)),
    "bridge": _Names(_BRIDGE, ("name",)),
    "cluster-connections": _Names(("cluster-connection", "cluster-connection-uri")),
    "cluster-connection": _Names(_CLUSTER, ("name",)),
    "federations": _Names(("federation",)),
    "federation": _Names(
        ("upstream", "downstream", "policy-set", "queue-policy", "address-policy", "transformer"),
        ("name", "user", "password"),
    ),
    "upstream": _Names(_STREAM, _STREAM_ATTRIBUTES),
    "downstream": _Names((*_STREAM, "upstream-connector-ref"), _STREAM_ATTRIBUTES),
    "policy-set": _Names(("policy",), ("name",)),
    "queue-policy": _Names(
        ("include", "exclude"), ("name", "transformer-ref", "priority-adjustment", "include-federated")
    ),
    "address-policy": _Names(
        ("include", "exclude"),
        """name transformer-ref auto-delete auto-delete-delay auto-delete-message-count max-hops
        enable-divert-bindings""".split(),
    ),
}


class _Integers(NamedTuple):
    """A type of values: integers with at most ``bits`` bits, including the sign."""

    bits: int

    def has(self, text: str) -> bool:
        """Return True if ``text`` is an integer in the range, perhaps with white space around it."""
        digits = _INTEGER.fullmatch(text.strip())
        # Limit the length first, because Python raises an error for integers with thousands of digits.
        return (
            digits is not None
            and len(digits[1]) < _MAX_DIGITS
            and -(1 << self.bits - 1) <= int(text) < 1 << (self.bits - 1)
        )

    def __str__(self) -> str:
        return f"an integer of {self.bits} bits"


class _Texts(NamedTuple):
    """A type of values: texts that match a pattern. ``words`` describes them in an error."""

    words: str
    pattern: re.Pattern[str]

    def has(self, text: str) -> bool:
        """Return True if the whole of ``text`` matches the regular expression of the type."""
        return self.pattern.fullmatch(text) is not None

    def __str__(self) -> str:
        return self.words


class _OneOf(NamedTuple):
    """A type of values: a list of allowed texts. The schema does not ignore white space around them."""

    texts: tuple[str, ...]

    def has(self, text: str) -> bool:
        """Return True if the schema allows the value ``text``."""
        return text in self.texts

    def __str__(self) -> str:
        return " or ".join(self.texts)


_INTEGER, _MAX_DIGITS = re.compile(r"[+-]?0*([0-9]+)"), 20
_INT, _LONG = _Integers(32), _Integers(64)
_FLAG = _Texts("true or false", re.compile(r"\s*(true|false|0|1)\s*"))
_NUMBER = _Texts("a number", re.compile(r"\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|-?INF|NaN)\s*"))
_SIZE = _Texts(
    "a number of bytes, perhaps with one of the units K, M and G",
    re.compile(r"\s*-?[0-9]{1,19}\s*|\s*[0-9]{1,19}\s*([KMG]I?)?B?\s*", re.IGNORECASE),
)
_ON_DELETION = _OneOf(("OFF", "FORCE"))
_TYPE, _COMPONENT_TYPE = _OneOf(("ANYCAST", "MULTICAST")), _OneOf(("ANYCAST", "MULTICAST", "STRIP", "PASS"))

#: The type of the values of each element and attribute, by name. A name has the same type in all checked elements,
#: except for ``auto-delete-delay`` and similar attributes of queues, which are not checked.
_VALUES: Mapping[str, _Integers | _Texts | _OneOf] = {
    **dict.fromkeys(
        """consumers-before-dispatch default-consumer-window-size default-consumers-before-dispatch
        default-group-buckets default-max-consumers group-buckets id-cache-size initial-connect-attempts
        initial-queue-buffer-size management-browse-page-size management-message-attribute-size-limit
        max-delivery-attempts max-hops max-read-page-messages message-counter-history-day-limit
        notification-attempts page-max-cache-size prefetch-page-messages priority-adjustment reconnect-attempts
        reconnect-attempts-same-node topology-scanner-attempts concurrency""".split(),
        _INT,
    ),
    **dict.fromkeys(
        """auto-delete-addresses-delay auto-delete-queues-delay auto-delete-queues-message-count
        call-failover-timeout call-timeout check-period circuit-breaker-timeout connection-ttl
        default-delay-before-dispatch default-ring-size delay-before-dispatch expiry-delay max-expiry-delay
        max-redelivery-delay max-retry-interval max-size-bytes-reject-threshold max-size-messages min-expiry-delay
        notification-interval page-limit-messages pending-ack-timeout redelivery-delay redistribution-delay
        retroactive-message-count retry-interval ring-size slow-consumer-check-period
        slow-consumer-threshold""".split(),
        _LONG,
    ),
    **dict.fromkeys(
        """auto-create-addresses auto-create-dead-letter-resources auto-create-expiry-resources
        auto-create-jms-queues auto-create-jms-topics auto-create-queues auto-delete-addresses
        auto-delete-addresses-skip-usage-check auto-delete-created-queues auto-delete-jms-queues
        auto-delete-jms-topics auto-delete-queues auto-delete-queues-skip-usage-check default-exclusive-queue
        default-group-rebalance default-group-rebalance-pause-dispatch default-last-value-queue
        default-non-destructive default-purge-on-no-consumers durable enable-divert-bindings
        enable-ingress-timestamp enable-metrics enabled exclusive failover-on-server-shutdown
        forward-when-no-consumers group-rebalance group-rebalance-pause-dispatch ha include-federated last-value
        last-value-queue no-expiry non-destructive purge-on-no-consumers send-to-dla-on-no-route share-connection
        use-duplicate-detection""".split(),
        _FLAG,
    ),
    **dict.fromkeys(
        "redelivery-collision-avoidance-factor redelivery-delay-multiplier retry-interval-multiplier".split(), _NUMBER
    ),
    **dict.fromkeys(
        """confirmation-window-size max-read-page-bytes max-size-bytes min-large-message-size page-limit-bytes
        page-size-bytes prefetch-page-bytes producer-window-size""".split(),
        _SIZE,
    ),
    **dict.fromkeys("config-delete-queues config-delete-addresses config-delete-diverts".split(), _ON_DELETION),
    **dict.fromkeys("default-queue-routing-type default-address-routing-type".split(), _TYPE),
    "address-full-policy": _OneOf(("DROP", "FAIL", "PAGE", "BLOCK")),
    "disk-full-policy": _OneOf(("DROP", "FAIL", "BLOCK")),
    "page-full-policy": _OneOf(("DROP", "FAIL")),
    "slow-consumer-policy": _OneOf(("KILL", "NOTIFY")),
    "slow-consumer-threshold-measurement-unit": _OneOf(
        ("MESSAGES_PER_SECOND", "MESSAGES_PER_MINUTE", "MESSAGES_PER_HOUR", "MESSAGES_PER_DAY")
    ),
    "message-load-balancing": _OneOf(("OFF", "STRICT", "ON_DEMAND", "OFF_WITH_REDISTRIBUTION")),
    "routing-type": _COMPONENT_TYPE,
}


_REFUSED = "the broker refuses the whole file"


def unknown_names(core: Element) -> list[Diagnostic]:
    """Return errors about elements and attributes in ``core`` that Artemis does not know, and about invalid values.

    The broker validates its file against the schema, and does not start if the file is invalid
    (``FileDeploymentManager.readConfiguration``, ``XMLUtil.validate``).
    """
    found = _unknown(core) if core.name in ("core", "addresses") else ()
    return [replace(one, severity="error") for one in found]


def _unknown(element: Element) -> Iterator[Diagnostic]:
    known = _KNOWN.get(element.name)
    if known is None:
        return
    for name in element.attributes:
        if name not in known.attributes and ":" not in name and name != "xmlns" and known.attributes:
            yield element.warning(
                "import.unknown", f"<{element.name}> has no attribute {name!r}: {_REFUSED}", _near(name, known)
            )
    if element.name == "filter" and "string" not in element.attributes:
        message = "<filter> has no attribute string, and filters nothing here: the broker refuses the whole file"
        yield element.warning("import.unknown", message, 'a filter is written <filter string="…"/>')
    values = [(element, name, element.attributes[name]) for name in element.attributes if name in _VALUES]
    values += [(child, child.name, child.raw) for child in element.children if child.name in _VALUES]
    for at, name, text in values:
        # The broker replaces placeholders before it validates the file; their values may be unknown here.
        if "${" not in text and not _VALUES[name].has(text):
            message = f"{name} in <{element.name}> is {shortened(repr(text), 40)}: {_REFUSED}"
            yield at.warning("import.refused", message, f"the broker takes {_VALUES[name]}")
    for child in element.children:
        if child.name == element.name == "address":
            # An ``address`` inside another element called ``address`` is read like that of a divert: it contains only
            # text.
            continue
        if child.unread is not None:
            # The element stands for the content of a file.
            continue
        if child.name in known.elements:
            # A divert or queue can have an element called address, which contains only text.
            is_text = element.name in ("divert", "queue") and child.name == "address"
            yield from () if is_text else _unknown(child)
            continue
        message = f"<{child.name}> in <{element.name}> is not understood: {_REFUSED}"
        yield child.warning("import.unknown", message, _near(child.name, known))


def _near(name: str, known: _Names) -> str | None:
    near = nearest(name, [*known.elements, *known.attributes]) or [
        one for one in known.elements if name.startswith(f"{one}-")
    ]
    if near and near[0] == "filter":
        return 'perhaps write <filter string="…"/>'
    return f"perhaps write {near[0]}" if near else None
