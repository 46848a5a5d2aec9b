"""Definitions that RabbitMQ rejects, and the queues of shovels and federation at exchanges.

Read in rabbitmq-server, at the tags v3.8.0 to v4.3.5: deps/rabbit/src/rabbit_policies.erl, rabbit_policy.erl
(validation0), rabbit_amqqueue.erl (check_declare_arguments), rabbit_definitions.erl (add_binding_int: a refused binding
stops the import from 4.0 on), rabbitmq_consistent_hash_exchange (validate_binding), and rabbitmq_shovel
(src_decl_exchange: a queue without a name is declared and bound with src-exchange-key). By version: capabilities of
rabbit_classic_queue.erl, rabbit_quorum_queue.erl and rabbit_stream_queue.erl; rabbit_mirror_queue_misc.erl (3.13.7,
validate_policy); rabbit_federation_parameters.erl (validate_policy); rabbit_queue_location.erl; rabbit_policy.erl
(validation: no policy provided).
"""

import json
from pathlib import Path
from typing import Any

import pytest

from transpiler import read_topology, topology_from_dict
from transpiler.reference.route import publish
from transpiler.reference.routed import Routed
from transpiler.tools.topology_report.findings import report
from transpiler.topology.importers.rabbitmq import topology_from_definitions
from transpiler.topology.model import Topology

Json = dict[str, Any]

_HOST: Json = {"vhost": "/", "durable": True, "auto_delete": False, "arguments": {}}


def read(version: str = "4.1.0", kind: str = "topic", **parts: Any) -> Topology:
    """Return the topology of definitions with an exchange ``x``, a queue ``q``, and ``parts``."""
    data: Json = {
        "rabbitmq_version": version,
        "vhosts": [{"name": "/"}],
        "exchanges": [_HOST | {"name": "x", "type": kind}],
        "queues": [_HOST | {"name": "q"} | parts.pop("queue", {})],
        "bindings": [],
    }
    return topology_from_dict(data | parts)


def bound(source: str, queue: str, key: str = "", **more: Any) -> Json:
    ends = {"source": source, "destination": queue, "destination_type": "queue", "routing_key": key}
    return {"vhost": "/", "arguments": {}} | ends | more


def shovel(**value: Any) -> Json:
    ends = {"src-uri": "amqp:///%2f", "dest-uri": "amqp://far.example", "dest-queue": "in"}
    return {"vhost": "/", "component": "shovel", "name": "s", "value": ends | value}


def policy(**definition: Any) -> Json:
    return {"vhost": "/", "name": "p", "pattern": "q", "apply-to": "queues", "definition": definition}


def refusals(topology: Topology) -> list[str]:
    return [finding.subject for finding in report(topology).findings if finding.kind == "refused-file"]


@pytest.mark.parametrize(
    ("version", "definition", "refused"),
    [
        ("3.13.7", {"max-priority": 10, "max-length": 5}, True),
        ("3.13.7", {"max-lenght": 5}, True),
        ("3.13.7", {"ha-mode": "all"}, False),
        ("4.1.0", {"ha-mode": "all"}, True),
        ("3.11.0", {"consumer-timeout": 1}, True),
        ("3.12.0", {"consumer-timeout": 1}, False),
        ("4.1.0", {"message-ttl": 1, "overflow": "drop-head", "federation-upstream": "u"}, False),
        ("", {"ha-mode": "all", "consumer-timeout": 1}, False),
    ],
)
def test_a_policy_with_a_setting_that_a_version_does_not_know_makes_the_import_fail(
    version: str, definition: Json, refused: bool
) -> None:
    topology = read(version, policies=[policy(**definition)])
    found = report(topology)
    assert bool(refusals(topology)) == refused == found.has("error")
    assert ("the broker would refuse this file" in str(found)) == refused


@pytest.mark.parametrize(
    ("version", "definition", "refused"),
    [
        ("4.1.0", {}, True),
        ("4.1.0", {"federation-upstream": "u", "federation-upstream-set": "all"}, True),
        ("4.1.0", {"federation-upstream": ["u"]}, True),
        ("4.1.0", {"federation-upstream-set": "all"}, False),
        ("3.13.7", {"ha-mode": "every"}, True),
        ("3.13.7", {"ha-mode": "all", "ha-sync-mode": "automatic"}, False),
        ("3.13.7", {"ha-mode": "all", "ha-params": 2}, True),
        ("3.13.7", {"ha-mode": "exactly", "ha-params": 2}, False),
        ("3.13.7", {"ha-mode": "exactly", "ha-params": "2"}, True),
        ("3.13.7", {"ha-mode": "exactly"}, True),
        ("3.13.7", {"ha-mode": "nodes", "ha-params": ["rabbit@a"]}, False),
        ("3.13.7", {"ha-mode": "nodes", "ha-params": []}, True),
        ("3.13.7", {"ha-mode": "all", "ha-sync-mode": "auto"}, True),
        ("3.13.7", {"ha-mode": "all", "ha-promote-on-failure": "when-synced"}, False),
        ("3.13.7", {"ha-params": 2}, True),
        ("3.13.7", {"queue-master-locator": "min-masters"}, False),
        ("3.13.7", {"queue-master-locator": "balanced"}, True),
        ("4.1.0", {"queue-master-locator": "balanced"}, False),
        ("4.3.0", {"queue-master-locator": "balanced"}, True),
        ("3.13.7", {"queue-leader-locator": "min-masters"}, True),
        ("4.1.0", {"queue-leader-locator": "min-masters"}, False),
        ("4.2.0", {"delayed-retry-type": "all", "delayed-retry-min": 5}, True),
        ("4.3.5", {"delayed-retry-type": "all", "delayed-retry-min": 5}, False),
        ("4.3.5", {"delayed-retry-type": "some", "delayed-retry-min": 5}, True),
        ("4.1.0", {"target-group-size": 0}, True),
    ],
)
def test_values_of_federation_and_mirroring_are_checked_by_version(
    version: str, definition: Json, refused: bool
) -> None:
    assert bool(refusals(read(version, policies=[policy(**definition)]))) == refused


QUORUM, STREAM = {"x-queue-type": "quorum"}, {"x-queue-type": "stream"}


@pytest.mark.parametrize(
    ("version", "arguments", "refused"),
    [
        ("4.1.0", {"x-queue-type": "quorun"}, True),
        ("4.1.0", {"x-queue-type": "classic"}, False),
        ("4.1.0", QUORUM | {"x-max-priority": 5}, True),
        ("4.1.0", QUORUM | {"x-max-in-memory-length": 5}, False),
        ("3.9.0", {"x-max-in-memory-length": 5}, False),
        ("3.10.0", {"x-max-in-memory-length": 5}, True),
        ("3.9.0", QUORUM | {"x-message-ttl": 5}, True),
        ("3.10.0", QUORUM | {"x-message-ttl": 5}, False),
        ("3.9.0", {"x-queue-version": 2}, False),
        ("3.13.7", {"x-queue-leader-locator": "balanced"}, True),
        ("4.0.0", {"x-queue-leader-locator": "balanced"}, False),
        ("4.0.0", {"x-queue-leader-locator": "nearest"}, True),
        ("4.2.0", {"x-queue-mode": "laszy"}, True),
        ("4.3.0", {"x-queue-mode": "laszy"}, False),
        ("4.1.0", {"x-queue-version": 3}, True),
        ("4.1.0", QUORUM | {"x-queue-version": 2}, True),
        ("4.1.0", {"x-delayed-retry-type": "all"}, False),
        ("4.3.0", {"x-delayed-retry-type": "all"}, True),
        ("3.9.0", STREAM | {"x-max-length": 5}, False),
        ("3.10.0", STREAM | {"x-max-length": 5}, True),
        ("4.1.0", {"x-stream-filter-size-bytes": 32}, False),
        ("4.1.0", {"x-cancel-on-ha-failover": True}, False),
        ("", QUORUM | {"x-max-priority": 5}, True),
        ("", QUORUM | {"x-message-ttl": 5}, False),
    ],
)
def test_arguments_are_those_of_the_type_of_queue_in_the_version(version: str, arguments: Json, refused: bool) -> None:
    assert bool(refusals(read(version, queue={"arguments": arguments}))) == refused


NOT_CREATED: list[tuple[str, Json, bool]] = [
    ("4.3.0", {"durable": False}, True),
    ("4.3.0", {"durable": False, "exclusive": True}, False),
    ("4.2.0", {"durable": False}, False),
    ("4.3.0", {"arguments": {"x-queue-master-locator": "min-masters"}}, True),
    ("4.2.0", {"arguments": {"x-queue-master-locator": "min-masters"}}, False),
    ("4.1.0", {"durable": False, "arguments": QUORUM}, True),
    ("3.13.7", {"auto_delete": True, "arguments": QUORUM}, True),
    ("3.13.7", {"auto_delete": True}, False),
    ("", {"durable": False}, False),
]


@pytest.mark.parametrize(("version", "queue", "gone"), NOT_CREATED)
def test_a_queue_that_the_broker_does_not_create_takes_no_part(version: str, queue: Json, gone: bool) -> None:
    # rabbit_definitions:add_queue_int ignores the error that rabbit_amqqueue:declare returns.
    bindings = [bound("x", "q", "k")]
    topology = read(version, kind="direct", queue=queue, bindings=bindings)
    assert publish(topology, {"routing_key": "k"}, "x") == Routed(
        () if gone else ("q",), "discarded" if gone else "delivered", "x"
    )
    assert publish(topology, {"routing_key": "q"}, "").queues == (() if gone else ("q",))
    assert bool(refusals(topology)) == (gone and version >= "4.0")
    alone = read(version, queue=queue)
    assert not refusals(alone)
    codes = [finding.code for finding in alone.findings]
    assert codes == (["import.refused-queue"] if gone else [])


def test_an_operator_policy_has_fewer_settings() -> None:
    limiting = policy(**{"dead-letter-exchange": "x"}) | {"apply-to": "queues"}
    assert refusals(read(operator_policies=[limiting]))
    assert not refusals(read(policies=[limiting]))


@pytest.mark.parametrize("version", ["3.8.0", "3.13.7", "4.1.0", "4.3.0"])
@pytest.mark.parametrize("definition", [{}, []])
def test_a_policy_or_operator_policy_without_settings_is_refused(definition: Any, version: str) -> None:
    # rabbit_policy:validation, "no policy provided"; rabbit_definitions:add_parameter stops the import.
    empty = policy() | {"definition": definition}
    value = {"pattern": ".*", "priority": 0, "definition": definition}
    parameter = {"component": "operator_policy", "name": "op", "vhost": "/", "value": value}
    for part in ({"policies": [empty]}, {"operator_policies": [empty]}, {"parameters": [parameter]}):
        [found] = read(version, **part).findings
        assert (found.code, found.severity) == ("import.refused", "error")
        assert "contains no setting" in found.message


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ({"x-max-length": 5, "x-unknown-to-all": 1}, []),
        ({"max-length": 5}, ["import.ignored"]),
        ({"x-max-lenght": 5}, ["import.ignored"]),
        ({"x-delivery-limit": 5}, ["import.refused"]),
        ({"x-queue-type": "quorum", "x-delivery-limit": 5}, []),
        ({"x-queue-type": "quorum", "x-max-priority": 5}, ["import.refused"]),
        ({"x-queue-type": "stream", "x-message-ttl": 5}, ["import.refused"]),
    ],
)
def test_an_argument_of_another_type_of_queue_is_refused_and_one_without_x_does_nothing(
    arguments: Json, codes: list[str]
) -> None:
    assert [finding.code for finding in read(queue={"arguments": arguments}).findings] == codes


#: Values of settings, and whether RabbitMQ 3.10.8 has imported a policy, or a queue with the argument, that has them.
POLICY_VALUES: list[tuple[str, Any, bool]] = [
    ("message-ttl", 0, True),
    ("message-ttl", -1, False),
    ("message-ttl", "5000", False),
    ("message-ttl", 1.5, False),
    ("expires", 0, False),
    ("expires", 1, True),
    ("max-length", -1, False),
    ("overflow", "reject-publish-dlx", True),
    ("overflow", "reject", False),
    ("queue-mode", "lazy", True),
    ("queue-mode", "Lazy", False),
    ("dead-letter-exchange", 5, False),
    ("dead-letter-exchange", "", True),
    ("max-age", "7D", True),
    ("max-age", "7d", False),
    ("max-age", "0D", False),
    ("delivery-limit", -1, False),
    ("queue-version", 2, True),
    ("queue-version", 3, False),
    ("stream-max-segment-size-bytes", 3_000_000_001, False),
]
ARGUMENT_VALUES: list[tuple[str, Any, bool]] = [
    ("x-message-ttl", "5000", False),
    ("x-message-ttl", -1, False),
    ("x-message-ttl", 315_360_000_000, True),
    ("x-message-ttl", 315_360_000_001, False),
    ("x-expires", 0, False),
    ("x-max-priority", 255, True),
    ("x-max-priority", 256, False),
    ("x-max-length", True, False),
    ("x-single-active-consumer", "true", False),
    ("x-single-active-consumer", True, True),
    ("x-overflow", "drop", False),
    ("x-dead-letter-exchange", 5, False),
    ("x-dead-letter-routing-key", "k", False),
]


@pytest.mark.parametrize(("name", "value", "imported"), POLICY_VALUES)
def test_a_value_that_a_policy_cannot_have_makes_the_import_fail(name: str, value: Any, imported: bool) -> None:
    assert bool(refusals(read("3.10.8", policies=[policy(**{name: value})]))) is not imported


@pytest.mark.parametrize(("name", "value", "imported"), ARGUMENT_VALUES)
def test_a_value_that_an_argument_cannot_have_makes_the_import_fail(name: str, value: Any, imported: bool) -> None:
    assert bool(refusals(read("3.10.8", queue={"arguments": {name: value}}))) is not imported


def test_from_4_0_on_a_negative_delivery_limit_is_none() -> None:
    assert not refusals(read("4.0.0", policies=[policy(**{"delivery-limit": -1})]))


def test_the_error_says_which_values_the_broker_takes() -> None:
    found = str(report(read(queue={"arguments": {"x-message-ttl": "5000"}})))
    expected = (
        'the argument x-message-ttl is "5000": the broker refuses the whole file (the allowed values are an integer of'
    )
    assert expected in found


@pytest.mark.parametrize(
    ("version", "code"), [("4.1.0", "import.refused-binding"), ("4.3.0", "import.refused"), ("4.4.0", "import.refused")]
)
def test_a_weight_has_an_upper_bound_from_4_2_6_on(version: str, code: str) -> None:
    # rabbit_exchange_type_consistent_hash.erl: MAX_BINDING_WEIGHT, in v4.2.6 and not in v4.2.5.
    for weight in ("10001", "9" * 5000):
        topology = read(version, "x-consistent-hash", bindings=[bound("x", "q", weight)])
        assert code in [finding.code for finding in topology.findings]
    allowed = read(version, "x-consistent-hash", bindings=[bound("x", "q", "10000")])
    assert code not in [finding.code for finding in allowed.findings]


def test_the_type_of_a_queue_may_be_the_default_of_its_virtual_host() -> None:
    hosts = [{"name": "/", "metadata": {"default_queue_type": "quorum"}}]
    assert not read(queue={"arguments": {"x-delivery-limit": 5}}, vhosts=hosts).findings


@pytest.mark.parametrize("weight", ["0", "-1", "-99999", "heavy", "", "1.5", " 1"])
@pytest.mark.parametrize(("version", "code"), [("3.13.7", "import.refused-binding"), ("4.1.0", "import.refused")])
def test_a_weight_that_is_no_positive_integer_is_refused_and_takes_no_part(
    weight: str, version: str, code: str
) -> None:
    topology = read(version, "x-consistent-hash", bindings=[bound("x", "q", weight)])
    assert code in [finding.code for finding in topology.findings]
    assert publish(topology, {"routing_key": "k"}, "x") == Routed((), "discarded", "x")
    assert publish(read(kind="x-consistent-hash", bindings=[bound("x", "q", "+2")]), {}, "x").queues == ("q",)


def test_the_version_that_imports_decides_what_is_refused() -> None:
    data = {"rabbitmq_version": "3.13.7", "queues": [], "policies": [policy(**{"ha-mode": "all"})]}
    assert not refusals(topology_from_dict(data))
    newer = topology_from_dict(data, broker_version="4.1")
    assert refusals(newer)
    assert newer.version == "4.1"


SHOVELS = (
    ("topic", {"src-exchange": "x", "src-exchange-key": "eu.#"}, "eu.a", Routed(("shovel s",), "delivered", "x")),
    ("topic", {"src-exchange": "x", "src-exchange-key": "eu.#"}, "us.a", Routed((), "discarded", "x")),
    ("direct", {"src-exchange": "x"}, "", Routed(("shovel s",), "delivered", "x")),
    ("headers", {"src-exchange": "x"}, "any", Routed(("shovel s",), "delivered", "x")),
    ("topic", {"src-address": "/exchange/x/a"}, "a", Routed(("shovel s",), "delivered", "x")),
    ("topic", {"src-address": "/exchange/x"}, "a", Routed((), "discarded", "x")),
    ("direct", {"src-address": "/exchange/x"}, "", Routed(("shovel s",), "delivered", "x")),
    ("x-consistent-hash", {"src-exchange": "x"}, "a", Routed((), "discarded", "x")),
    ("topic", {"src-uri": "amqp://far.example", "src-exchange": "x"}, "", Routed((), "discarded", "x")),
)


@pytest.mark.parametrize(("kind", "value", "key", "routed"), SHOVELS)
def test_a_shovel_that_reads_an_exchange_has_a_queue_of_its_own(
    kind: str, value: Json, key: str, routed: Routed
) -> None:
    topology = read("3.13.7", kind, parameters=[shovel(**value)])
    assert publish(topology, {"routing_key": key}, "x") == routed
    if routed.queues:
        assert [(link.source, link.destination) for link in topology.links] == [("shovel s", None)]


def test_the_alternate_exchange_gets_nothing_that_a_shovel_takes() -> None:
    exchanges = [
        _HOST | {"name": "x", "type": "direct", "arguments": {"alternate-exchange": "spare"}},
        _HOST | {"name": "spare", "type": "fanout"},
    ]
    one = shovel(**{"src-exchange": "x", "src-exchange-key": "k"})
    topology = read(exchanges=exchanges, bindings=[bound("spare", "q")], parameters=[one])
    assert publish(topology, {"routing_key": "k"}, "x") == Routed(("shovel s",), "delivered", "x")
    assert publish(topology, {"routing_key": "l"}, "x") == Routed(("q",), "alternate", "x")


def test_federation_from_an_exchange_of_this_broker_may_take_what_its_downstream_asks_for() -> None:
    upstream = {"vhost": "/", "component": "federation-upstream", "name": "up"}
    federated = policy(**{"federation-upstream": "up"}) | {"pattern": "^y$", "apply-to": "exchanges"}
    topology = read(
        exchanges=[_HOST | {"name": name, "type": "topic"} for name in "xy"],
        bindings=[bound("y", "q", "a.*")],
        policies=[federated],
        parameters=[upstream | {"value": {"uri": "amqp:///%2f", "exchange": "x"}}],
    )
    assert publish(topology, {"routing_key": "a.b"}, "x") == Routed((), "undecided", "x", ("federation of x",))
    assert publish(topology, {"routing_key": "b"}, "x") == Routed((), "discarded", "x")


@pytest.mark.parametrize(
    ("definition", "missing"),
    [
        ({"federation-upstream": "hub2"}, ["hub2"]),
        ({"federation-upstream": "hub"}, []),
        ({"federation-upstream-set": "all"}, []),
        ({"federation-upstream-set": "some"}, ["some"]),
    ],
)
def test_an_upstream_that_the_file_lacks_is_reported_and_federates_nothing(
    definition: Json, missing: list[str]
) -> None:
    upstream = {"vhost": "/", "component": "federation-upstream", "name": "hub", "value": {"uri": "amqp://far"}}
    topology = read(policies=[policy(**definition)], parameters=[upstream])
    assert [finding.code for finding in topology.findings] == ["import.upstream"] * len(missing)
    assert all(name in finding.message for name, finding in zip(missing, topology.findings, strict=True))
    assert [link.destination for link in topology.links] == [] if missing else ["q"]


def test_several_undeclared_queues_are_one_finding() -> None:
    topology = read(bindings=[bound("x", name, "k") for name in ("one", "two", "three")])
    [finding] = topology.findings
    assert finding.code == "import.undeclared-queue"
    assert all(name in finding.message for name in ("one", "two", "three"))


#: A file that declares an exchange and a queue, and the file with their binding.
_DECLARING: Json = {
    "rabbitmq_version": "4.1.0",
    "queues": [_HOST | {"name": "b"}],
    "exchanges": [_HOST | {"name": "e", "type": "topic"}],
}
_BINDING: Json = {"bindings": [bound("e", "b", "#")]}


def directory(path: Path, **files: Json) -> Topology:
    """Return the topology of a directory with the definitions ``files``, by the names of the files without .json."""
    for name, data in files.items():
        (path / f"{name}.json").write_text(json.dumps(data, indent=1))
    return read_topology(path)


def test_a_directory_of_definitions_is_read_as_the_broker_loads_it(tmp_path: Path) -> None:
    policies = [{"vhost": "/", "pattern": "", "name": "p", "definition": {"no": 1}}]
    topology = directory(tmp_path, f10=_DECLARING | {"policies": policies}, f20=_BINDING)
    assert publish(topology, {}, "e", ["k"]).queues == ("b",)
    [finding] = topology.findings
    assert finding.code == "import.refused"
    assert str(finding.render()).startswith("f10.json:")


@pytest.mark.parametrize(("version", "severity"), [("4.1.0", "error"), ("3.13.7", "warning")])
def test_a_queue_that_a_later_file_declares_is_not_there_yet(tmp_path: Path, version: str, severity: str) -> None:
    """``rabbit_definitions_import_local_filesystem:load_from_multiple_files`` imports each file as a whole."""
    topology = directory(tmp_path, f10=_BINDING | {"rabbitmq_version": version}, f20=_DECLARING)
    assert publish(topology, {}, "e", ["k"]).queues == ("b",)
    [finding] = topology.findings
    assert (finding.code, finding.severity) == ("import.refused", severity)
    assert "the exchange 'e' and 1 more are declared in f20.json, which comes after this file" in finding.message
    assert "f20.json must come first" in (finding.hint or "")
    assert str(finding.render()).startswith("f10.json:")


def test_predeclared_exchanges_and_queues_of_other_hosts_are_not_late(tmp_path: Path) -> None:
    first = {"bindings": [bound("amq.topic", "b", "#")], "queues": [_HOST | {"name": "b"}]}
    second = {"queues": [_HOST | {"name": "b"}], "exchanges": [_HOST | {"name": "amq.topic", "type": "topic"}]}
    other = {"queues": [_HOST | {"name": "c", "vhost": "other"}]}
    for name, data in (("f10", first), ("f20", second), ("f30", other)):
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    assert [one.code for one in read_topology(tmp_path, vhost="/").findings] == []


def test_queues_are_kept_and_policies_overwritten(tmp_path: Path) -> None:
    """``rabbit_definitions:add_queue_int`` leaves a queue that exists, and ``add_policy`` sets the policy again."""
    policies = [policy(**{"message-ttl": number}) for number in (1, 2)]
    queues = [_HOST | {"name": "q", "arguments": {"x-max-length": number}} for number in (1, 2)]
    shovels = [shovel(**{"src-queue": name}) for name in ("one", "two")]
    files = [
        {"rabbitmq_version": "4.1.0", "policies": [policies[n]], "queues": [queues[n]], "parameters": [shovels[n]]}
        for n in range(2)
    ]
    topology = directory(tmp_path, f1=files[0], f2=files[1])
    reported = [(one.code, one.message) for one in topology.findings]
    assert [code for code, _ in reported] == ["import.duplicate"] * 3
    assert [message.rpartition(": ")[2] for _, message in reported] == [
        "the broker keeps the first",
        "the broker keeps the last",
        "the broker keeps the last",
    ]
    assert {
        (one.kind, one.name): one.value for one in topology.settings if one.name in ("max-length", "message-ttl")
    } == {
        ("policy", "message-ttl"): "2",
        ("queue", "max-length"): "1",
    }
    assert [link.source for link in topology.links if link.kind == "shovel"] == ["two"]
    # The same holds inside of one file, and equal objects are no finding.
    one = read(policies=policies, queues=[_HOST | {"name": "q"}])
    assert [(setting.name, setting.value) for setting in one.settings if setting.name == "message-ttl"] == [
        ("message-ttl", "2")
    ]
    assert [finding.code for finding in one.findings] == ["import.duplicate"]
    assert read(policies=[policies[0]] * 2).findings == ()


def test_an_object_without_a_virtual_host_is_not_loaded_from_a_directory(tmp_path: Path) -> None:
    """``rabbit_definitions:any_orphaned_in_doc`` refuses the file, which is an export of one virtual host."""
    export = {"rabbitmq_version": "4.1.0", "queues": [{"name": "a"}, {"name": "b"}]}
    topology = directory(tmp_path, export=export)
    [finding] = topology.findings
    assert (finding.code, finding.severity) == ("import.vhost", "warning")
    assert "this queue does not name a virtual host" in finding.message
    assert topology_from_dict(export).findings == ()


def test_a_policy_without_settings_makes_the_import_fail() -> None:
    # ``validation/3`` in RabbitMQ's ``rabbit_policy.erl``: "no policy provided".
    policies = [{"name": "p", "pattern": "", "apply-to": "all", "definition": {}}]
    [finding] = topology_from_definitions({"rabbitmq_version": "4.1.0", "policies": policies}).findings
    assert (finding.code, finding.severity) == ("import.refused", "error")
    assert "the definition of a policy contains no setting: the broker refuses the whole file" in finding.message


def test_the_link_of_a_federation_names_its_upstreams() -> None:
    names = ["a", "b", "c", "d"]
    data = {
        "exchanges": [{"name": "x", "type": "topic"}, {"name": "y", "type": "topic"}],
        "queues": [{"name": "q"}],
        "policies": [
            {"name": "all", "pattern": "x", "apply-to": "exchanges", "definition": {"federation-upstream-set": "all"}},
            {"name": "one", "pattern": "y", "apply-to": "exchanges", "definition": {"federation-upstream": "b"}},
            {"name": "of queues", "pattern": "", "apply-to": "queues", "definition": {"federation-upstream": "a"}},
        ],
        "parameters": [
            {"component": "federation-upstream", "name": name, "value": {"uri": f"amqp://{name}.invalid"}}
            for name in names
        ],
    }
    assert {link.destination: link.when for link in topology_from_definitions(data).links} == {
        "x": "published at the upstreams a, b, c, …",
        "y": "published at the upstream b",
        "q": "waiting at the upstream a while it has consumers here",
    }
