"""The policies and address settings in effect, after rabbit_policy.erl and HierarchicalObjectRepository.java."""

from typing import Any

from transpiler import topology_from_dict
from transpiler.tools.topology_report.policies import policies
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.files import parse_topology
from transpiler.topology.model import Topology


def policy(name: str, pattern: str, priority: int = 0, **definition: Any) -> dict[str, Any]:
    given = {"name": name, "vhost": "/", "pattern": pattern, "apply-to": "queues", "priority": priority}
    return given | {"definition": {key.replace("_", "-"): value for key, value in definition.items()}}


def answers(topology: Topology) -> dict[str, str]:
    return {finding.subject: finding.reason for finding in policies(addresses_of(topology))}


def test_the_policy_of_highest_priority_counts_alone_and_hides_the_others() -> None:
    topology = topology_from_dict(
        {
            "rabbitmq_version": "4.1.0",
            "queues": [{"name": "q", "arguments": {"x-max-length": 3}}, {"name": "r"}],
            "policies": [
                policy("low", "", max_length=5, dead_letter_exchange="dlx"),
                policy("high", "^q$", 2, max_length=7),
                policy("none", "^nothing$"),
                policy("of quorum", "", 9, delivery_limit=3),
                policy("of exchanges", "q", 9) | {"apply-to": "exchanges"},
            ],
        }
    )
    low = "policy low (priority 0): max-length 5, dead-letter-exchange dlx"
    own = "of the policy's limit and the queue's own the lower one counts: max-length 3"
    assert answers(topology) == {
        "q": f"policy high (priority 2): max-length 7; hides {low}; {own}",
        "r": low,
        "policy none": "its pattern matches nothing in the file",
        "policy of quorum": "its pattern matches q, but a classic queue has no delivery-limit",
        "policy of exchanges": "its pattern matches q, but it applies only to exchanges",
    }


def test_a_queues_own_argument_goes_before_a_policy_except_for_limits() -> None:
    # rabbit_amqqueue_process:process_args_policy: res_arg for overflow, res_min for limits and times.
    arguments = {"x-overflow": "reject-publish", "x-max-length": 9, "x-message-ttl": 5}
    topology = topology_from_dict(
        {
            "rabbitmq_version": "4.1.0",
            "queues": [{"name": "q", "arguments": arguments}],
            "policies": [policy("p", "", overflow="drop-head", max_length=7, message_ttl=60)],
        }
    )
    assert answers(topology)["q"].split("; ")[1:] == [
        "the queue's own arguments go before it: overflow reject-publish",
        "of the policy's limit and the queue's own the lower one counts: max-length 7, message-ttl 5",
    ]


def test_address_settings_are_merged_the_most_specific_first() -> None:
    def setting(match: str, **values: Any) -> str:
        inner = "".join(f"<{key.replace('_', '-')}>{value}</{key.replace('_', '-')}>" for key, value in values.items())
        return f"<address-setting match='{match}'>{inner}</address-setting>"

    settings = setting("#", max_delivery_attempts=3, max_size_bytes=9) + setting("a.#", max_delivery_attempts=5)
    addresses = "<address name='a.b'><anycast/></address>"
    topology = parse_topology(
        f"<configuration><core><address-settings>{settings}{setting('z', max_size_bytes=1)}</address-settings>"
        f"<addresses>{addresses}</addresses></core></configuration>",
        "broker.xml",
    )
    assert answers(topology) == {
        "a.b": "max-delivery-attempts 5 (of a.#), max-size-bytes 9 (of #); hides max-delivery-attempts 3 of #",
        "address-setting z": "its pattern matches nothing in the file",
    }


ENTRIES = """<policyEntries><policyEntry queue=">" memoryLimit="1mb"/><policyEntry queue="A.>" memoryLimit="5mb"/>
<policyEntry queue="A.B" prioritizedMessages="true"/></policyEntries>
<defaultEntry><policyEntry producerFlowControl="false"/></defaultEntry>"""


def activemq(destinations: str, entries: str = ENTRIES) -> Topology:
    inner = f"<destinations>{destinations}</destinations><destinationPolicy><policyMap>{entries}</policyMap>"
    return parse_topology(f"<beans><broker>{inner}</destinationPolicy></broker></beans>", "activemq.xml")


def test_of_activemq_the_closest_policy_applies_alone() -> None:
    # PolicyMap.getEntryFor, DestinationMap.chooseValue, ActiveMQDestination.compare
    names = ('queue physicalName="A.B"', 'queue physicalName="A.C"', 'queue physicalName="D"', 'topic physicalName="T"')
    every, of_a = "policyEntry queue >: memoryLimit 1mb", "policyEntry queue A.>: memoryLimit 5mb"
    assert answers(activemq("".join(f"<{name}/>" for name in names))) == {
        "queue://A.B": f"policyEntry queue A.B: prioritizedMessages true; hides {of_a}; hides {every}",
        "queue://A.C": f"{of_a}; hides {every}",
        "queue://D": every,
        "queue://ActiveMQ.DLQ": every,
        "topic://T": "policyEntry default: producerFlowControl false",
    }


def test_a_file_of_activemq_without_destinations_has_its_policies_listed() -> None:
    assert answers(activemq("")) == {
        "policyEntry": "the file declares no destination, so these policies match no declared "
        "destination: queue >, queue A.>, queue A.B, default"
    }
