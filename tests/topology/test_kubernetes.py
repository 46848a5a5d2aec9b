"""Kubernetes resources in a file: the brokers that they describe, and the skipped resources with a diagnostic."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from transpiler import Message, Topology, route_message
from transpiler.base.diagnostics import WordFix
from transpiler.base.errors import TopologyError
from transpiler.topology.files import parse_topology, topology_from_dict, vhosts_of


def names(topology: Topology) -> list[str]:
    return [queue.name for queue in topology.queues]


def routed(topology: Topology, exchange: str, subject: str | None = None, **more: Any) -> tuple[str, ...]:
    message = Message.from_dict({} if subject is None else {"properties": {"subject": subject}})
    return tuple(route_message(topology, message, exchange, **more))


ARTEMIS = """apiVersion: broker.amq.io/v1beta1
kind: ActiveMQArtemis
metadata: {name: one}
spec:
  addressSettings: {addressSetting: [{match: "eu.#", deadLetterAddress: dead, autoCreateQueues: false}]}
  deploymentPlan: {extraMounts: {secrets: [more-bp, other]}}
  brokerProperties:
    - addressConfigurations.paid.queueConfigs.audit.routingType=ANYCAST
"""

ADDRESS = """apiVersion: broker.amq.io/v1beta1
kind: ActiveMQArtemisAddress
metadata: {name: %s}
spec: {addressName: orders, queueName: %s, routingType: %s}
"""

SECRET = """apiVersion: v1
kind: Secret
metadata: {name: more-bp}
stringData:
  more.properties: addressConfigurations.paid.queueConfigs.more.routingType=MULTICAST
"""


def test_a_broker_has_the_addresses_and_the_properties_beside_it() -> None:
    other = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\n"
    addresses = ADDRESS % ("a", "eu", "anycast"), ADDRESS % ("b", "all", "multicast")
    text = "---\n".join([ARTEMIS, *addresses, SECRET, other])
    topology = parse_topology(text, "k.yaml")
    assert names(topology) == ["audit", "more", "eu", "all"]
    assert routed(topology, "orders", routing_type="ANYCAST") == ("eu",)
    assert routed(topology, "orders", routing_type="MULTICAST") == ("all",)
    [left_out] = [each for each in topology.findings if each.code == "import.left-out"]
    assert left_out.message == "Kubernetes resources that belong to no broker are skipped: Deployment shop (at 26:1)"
    assert vhosts_of(text, "k.yaml") == ["one"]
    with pytest.raises(TopologyError, match="there is no broker 'two'"):
        parse_topology(text, "k.yaml", vhost="two")


def test_an_address_is_of_the_brokers_that_it_names() -> None:
    apart = (ADDRESS % ("a", "eu", "anycast")).replace("spec: {", "spec: {applyToCrNames: [two], ")
    both = "---\n".join([ARTEMIS, ARTEMIS.replace("one", "two"), apart])
    assert names(parse_topology(both, "k.yaml", vhost="one")) == ["audit"]
    assert names(parse_topology(both, "k.yaml", vhost="two")) == ["audit", "eu"]
    alone = parse_topology("---\n".join([ARTEMIS, apart]), "k.yaml")
    assert [each.message for each in alone.findings][-1] == (
        "Kubernetes resources that belong to no broker are skipped: ActiveMQArtemisAddress a (at 10:1)"
    )
    assert names(parse_topology(apart, "k.yaml")) == ["eu"]


def test_an_address_says_how_its_queue_is_configured() -> None:
    text = (ADDRESS % ("a", "eu", "AnyCast")).replace(
        "spec: {", "spec: {queueConfiguration: {filterString: 'region = ''EU''', enabled: true}, "
    )
    topology = parse_topology(text, "k.yaml")
    eu, us = (Message.from_dict({"application_properties": {"region": each}}) for each in ("EU", "US"))
    assert route_message(topology, eu, "orders", routing_type="ANYCAST") == ("eu",)
    assert route_message(topology, us, "orders", routing_type="ANYCAST") == ()


@pytest.mark.parametrize(
    ("spec", "expected_text"),
    [
        ("{queueName: q}", r"k\.yaml:4:7: .*addressName is missing"),
        ("{addressName: a, queueName: q, routingType: both}", r"k\.yaml:4:\d+: .*'both' is not a routing type"),
        ("{addressName: a, queueName: [q]}", r"k\.yaml:4:\d+: .*spec\.queueName must be text, found a list"),
    ],
)
def test_what_is_wrong_with_an_address_has_its_place(spec: str, expected_text: str) -> None:
    head = "apiVersion: broker.amq.io/v1beta1\nkind: ActiveMQArtemisAddress\nmetadata: {name: a}\n"
    with pytest.raises(TopologyError, match=expected_text):
        parse_topology(f"{head}spec: {spec}\n", "k.yaml")


OPERATOR = """apiVersion: rabbitmq.com/v1beta1
kind: Exchange
metadata: {name: orders}
spec: {name: orders, type: topic, autoDelete: false, rabbitmqClusterReference: {name: r}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Queue
metadata: {name: eu}
spec: {name: eu, type: quorum, durable: true, rabbitmqClusterReference: {name: r}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Queue
metadata: {name: rest}
spec: {name: rest, rabbitmqClusterReference: {name: r}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Exchange
metadata: {name: others}
spec: {name: others, type: fanout, rabbitmqClusterReference: {name: r}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Binding
metadata: {name: b}
spec: {source: orders, destination: eu, destinationType: queue, routingKey: "eu.#", rabbitmqClusterReference: {name: r}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Binding
metadata: {name: c}
spec: {source: others, destination: rest, destinationType: queue, rabbitmqClusterReference: {name: r}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Policy
metadata: {name: p}
spec: {name: p, pattern: ^orders$, applyTo: exchanges, priority: 1,
       definition: {alternate-exchange: others}, rabbitmqClusterReference: {name: r}}
"""


def test_resources_of_the_topology_operator_are_a_topology() -> None:
    topology = parse_topology(OPERATOR, "t.yaml")
    assert routed(topology, "orders", "eu.paid") == ("eu",)
    assert routed(topology, "orders", "us.paid") == ("rest",)
    assert vhosts_of(OPERATOR, "t.yaml") == ["/"]
    assert not topology.findings


def test_errors_and_warnings_about_a_resource_have_its_place() -> None:
    with pytest.raises(TopologyError, match=r"t\.yaml:4:53: Exchange/orders\.spec\.autoDelete: |t\.yaml:4:7: "):
        parse_topology(OPERATOR.replace("autoDelete: false", "autoDelete: 'no'"), "t.yaml")
    [finding] = parse_topology(OPERATOR.replace("destination: rest", "destination: res"), "t.yaml").findings
    assert finding.render().startswith("t.yaml:29:37: warning: import.undeclared-queue: Binding/c.spec.destination: ")


def test_a_key_that_is_nearly_one_of_a_resource_has_no_default_in_its_place() -> None:
    for key, written in (("source: others", "sorce: others"), ("destinationType: queue", "destination_typ: queue")):
        with pytest.raises(TopologyError, match=r"(?s)Binding/.*did you mean " + key.partition(":")[0]) as caught:
            parse_topology(OPERATOR.replace(key, written), "t.yaml")
        assert isinstance(caught.value.diagnostics[0].fix, WordFix)
    assert parse_topology(
        OPERATOR.replace("metadata: {name: c}\nspec: {", "metadata: {name: c}\nspec: {zz: 1, "), "t.yaml"
    )


@pytest.mark.parametrize("source", ["", "source: '', ", "source: null, "])
def test_a_binding_without_a_source_is_left_out_with_a_warning(source: str) -> None:
    whole = parse_topology(OPERATOR, "t.yaml")
    topology = parse_topology(OPERATOR.replace("source: others, ", source), "t.yaml")
    (finding,) = [one for one in topology.findings if one.code == "topology.default-exchange"]
    assert finding.severity == "warning"
    assert finding.message.startswith("Binding/c.spec")
    assert finding.source is not None
    assert "perhaps add a source" in str(finding.hint)
    # The rest of the file is read.
    assert topology.queues == whole.queues
    assert set(topology.bindings) == {one for one in whole.bindings if one.source != "others"}


@pytest.mark.parametrize(("text", "form"), [(OPERATOR, "artemis"), (ARTEMIS, "rabbitmq"), (OPERATOR, "topology")])
def test_resources_of_another_form_are_refused(text: str, form: Any) -> None:
    with pytest.raises(TopologyError, match=f"cannot be read as {form}"):
        parse_topology(text, "t.yaml", form=form)


def test_of_several_clusters_one_is_chosen() -> None:
    both = f"{OPERATOR}---\n{OPERATOR.replace('name: r}', 'name: s}').replace(' eu,', ' us,')}"
    assert vhosts_of(both, "t.yaml") == ["r", "s"]
    assert names(parse_topology(both, "t.yaml", vhost="s")) == ["us", "rest"]
    with pytest.raises(TopologyError, match="there are 2 brokers"):
        parse_topology(both, "t.yaml")


DEFINITIONS = json.dumps(
    {
        "rabbitmq_version": "4.1.0",
        "queues": [{"name": "in", "vhost": "/"}],
        "exchanges": [{"name": "x", "vhost": "/", "type": "topic"}],
        "bindings": [
            {"source": "x", "vhost": "/", "destination": "in", "destination_type": "queue", "routing_key": "a.#"}
        ],
    }
)
BROKER = (
    '<configuration><core><addresses><address name="a"><anycast><queue name="in"/></anycast></address></addresses>'
    "</core></configuration>"
)


def held(kind: str, **parts: dict[str, str]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": kind, "metadata": {"name": "broker"}, **parts})


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        held("ConfigMap", data={"definitions.json": DEFINITIONS, "rabbitmq.conf": "load_definitions = /definitions"}),
        held("ConfigMap", data={"broker.xml": BROKER, "logging.json": "{}", "log4j.xml": "<log4j/>"}),
        held("ConfigMap", binaryData={"broker.xml": in_base64(BROKER)}),
        held("Secret", data={"load_definition.json": in_base64(DEFINITIONS)}),
        held("Secret", stringData={"definitions.json": DEFINITIONS}),
    ],
)
def test_a_brokers_file_in_a_configmap_or_secret_is_read(text: str) -> None:
    for name in ("c.json", "c.yaml"):
        assert names(parse_topology(text, name)) == ["in"]
    assert names(topology_from_dict(json.loads(text))) == ["in"]
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": [json.loads(text)]})
    assert names(parse_topology(listed, "c.json")) == ["in"]


def test_files_of_one_configmap_are_distinguished() -> None:
    text = held("ConfigMap", data={"definitions.json": DEFINITIONS, "broker.xml": BROKER})
    assert vhosts_of(text, "c.json") == ["broker/broker.xml", "broker/definitions.json"]
    assert parse_topology(text, "c.json", vhost="broker/broker.xml").rules.name == "artemis"


def test_errors_in_a_file_of_a_configmap_have_their_places() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  definitions.json: |\n    {]\n"
    with pytest.raises(TopologyError, match=r"^c\.yaml:5:21: data\.definitions\.json:1:2: topology\.json: this is not"):
        parse_topology(text, "c.yaml")
    secret = held("Secret", data={"definitions.json": "no base64!"})
    with pytest.raises(TopologyError, match=r"c\.json:1:\d+: topology\.base64: data\.definitions\.json is not text in"):
        parse_topology(secret, "c.json")


@pytest.mark.parametrize("kind", ["Deployment", "ConfigMap", "Service"])
def test_a_resource_that_is_no_topology_is_named(kind: str) -> None:
    text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: shop}}\ndata: {{a.json: '{{}}'}}\n"
    with pytest.raises(
        TopologyError, match=rf"no resource in the file describes a topology: {kind} shop \(at 1:1\)"
    ) as error:
        parse_topology(text, "d.yaml")
    assert "ActiveMQArtemisAddress" in (error.value.diagnostics[0].hint or "")
    assert "default_exchange" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ('<subsystem xmlns="urn:jboss:domain:messaging:1.4">\n<hornetq-server/></subsystem>', "2:1"),
        ('<server>\n <profile><subsystem><hornetq-server name="a"/></subsystem></profile></server>', "2:22"),
        ('<configuration xmlns="urn:hornetq"><queue name="q"/></configuration>', "1:1"),
    ],
)
def test_the_configuration_of_hornetq_says_that_it_is_not_read(text: str, location: str) -> None:
    with pytest.raises(
        TopologyError, match=rf"h\.xml:{location}: .* is HornetQ's configuration, which is not supported"
    ):
        parse_topology(text, "h.xml")


EXCHANGE = {
    "id": "7d1",
    "name": "orders",
    "type": "topic",
    "durable": True,
    "lifetimePolicy": "PERMANENT",
    "alternateBinding": {"destination": "rest", "attributes": {}},
    "bindings": [{"destination": "eu", "bindingKey": "eu.#", "name": "eu.#", "type": "binding", "arguments": {}}],
    "unroutableMessageBehaviour": "DISCARD",
}
QUEUE = {
    "id": "1",
    "name": "eu",
    "type": "standard",
    "durable": True,
    "lifetimePolicy": "PERMANENT",
    "exclusive": "NONE",
}


@pytest.mark.parametrize("data", [EXCHANGE, [EXCHANGE], [QUEUE, EXCHANGE]])
def test_an_answer_of_broker_j_about_an_exchange_is_read(data: Any) -> None:
    topology = parse_topology(json.dumps(data), "x.json")
    assert topology.rules.name == "qpid-java"
    assert routed(topology, "orders", "eu.paid") == ("eu",)
    assert routed(topology, "orders", "us.paid") == ("rest",)
    known = ["rest"] if QUEUE in (data if isinstance(data, list) else []) else ["rest", "eu"]
    assert {queue.name for queue in topology.queues if not queue.declared} == {*known}
    undeclared = [each.message for each in topology.findings if each.code == "import.undeclared-queue"]
    assert sorted(message.partition(": ")[2].split("'")[1] for message in undeclared) == sorted(known)


RABBITMQ_KINDS = """apiVersion: rabbitmq.com/v1alpha1
kind: SuperStream
metadata: {name: invoices}
spec: {name: invoices, partitions: 2, rabbitmqClusterReference: {name: east}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Shovel
metadata: {name: mover}
spec:
  {name: mover, srcExchange: invoices, srcExchangeKey: "0", srcUri: "amqp:///%2f", destQueue: far,
   rabbitmqClusterReference: {name: east}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Queue
metadata: {name: west}
spec: {name: w, vhost: one, rabbitmqClusterReference: {name: west}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Queue
metadata: {name: west-two}
spec: {name: v, vhost: two, rabbitmqClusterReference: {name: west}}
"""


def test_a_super_stream_and_a_shovel_of_the_operator_are_read() -> None:
    topology = parse_topology(RABBITMQ_KINDS, "k.yaml", vhost="east")
    assert routed(topology, "invoices", "0") == ("invoices-0", "shovel mover")
    assert routed(topology, "invoices", "1") == ("invoices-1",)
    assert [link.kind for link in topology.links] == ["shovel"]


def test_a_shovel_whose_uris_are_in_a_secret_is_not_computed() -> None:
    # The operator's ShovelSpec requires uriSecret, so the resource alone does not name the brokers.
    spec = "{name: mover, srcQueue: invoices-0, destQueue: far, uriSecret: {name: uris}}"
    text = f"apiVersion: rabbitmq.com/v1beta1\nkind: Shovel\nmetadata: {{name: mover}}\nspec: {spec}\n"
    queue = "apiVersion: rabbitmq.com/v1beta1\nkind: Queue\nmetadata: {name: q}\nspec: {name: q}\n"
    topology = parse_topology(f"{text}---\n{queue}", "k.yaml")
    assert topology.links == ()
    [message] = topology.not_computed
    assert "in a Secret" in message


def test_a_broker_and_a_virtual_host_of_the_broker_are_chosen_together() -> None:
    assert names(parse_topology(RABBITMQ_KINDS, "k.yaml", vhost="west/one")) == ["w"]
    assert names(parse_topology(RABBITMQ_KINDS, "k.yaml", vhost="west/two")) == ["v"]
