"""The names of Artemis' schema: other elements and attributes are reported, because the broker rejects them.

The names come from ``artemis-configuration.xsd`` and from the older forms that ``FileConfigurationParser`` still reads.
Only the contents of elements that affect routing are checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic, nearest
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
    wild-card-routing-enabled configuration-encoding-type security-enabled jms
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
    default-consumer-window-size auto-delete-jms-queues auto-delete-created-queues
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

_DIVERT = "address exclusive filter forwarding-address routing-name routing-type transformer transformer-class-name"

#: The elements whose contents are checked, with the names that they can contain.
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
}


_REFUSED = "the broker refuses the whole file"


def unknown_names(core: Element) -> list[Diagnostic]:
    """Return errors about the elements and attributes in ``core`` that Artemis does not know.

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
    for child in element.children:
        if child.name == element.name == "address":
            # The address element of a divert contains only text.
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
