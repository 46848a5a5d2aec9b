"""Retries as timelines.

The rules are those of rabbit_dead_letter.erl and mc.erl (what is dropped in a cycle), rabbit_quorum_queue.erl
(delivery limits), rabbit_policies.erl, and Artemis' QueueImpl.calculateRedeliveryDelay and AddressSettings.java.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import topology_from_dict
from transpiler.tools.topology_report.retries import retries
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.files import parse_topology
from transpiler.topology.model import Topology

Json = dict[str, Any]


def of_rabbitmq(queues: dict[str, Json], version: str = "4.1.0", **more: Any) -> Topology:
    listed = [{"name": name, "vhost": "/", "arguments": arguments} for name, arguments in queues.items()]
    return topology_from_dict({"rabbitmq_version": version, "queues": listed, **more})


def answers(topology: Topology) -> dict[str, str]:
    return {finding.subject: finding.reason for finding in retries(addresses_of(topology))}


def to(queue: str, **more: Any) -> Json:
    return {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": queue, **more}


ROUNDS = "the broker counts no rounds, so that it ends only where the consumer stops it, as by the count in x-death"


def test_a_queue_that_waits_gives_back_what_it_got_and_the_broker_counts_nothing() -> None:
    topology = of_rabbitmq({"work": to("wait"), "wait": to("work", **{"x-message-ttl": 30_000})})
    [finding] = retries(topology)
    assert finding.subject == "work"
    when = "rejected or expired → wait (waits 30 s) → work: delivered again after 30 s"
    assert finding.reason == f"{when}; {ROUNDS}"
    assert finding.details["timeline"] == [{"queue": "wait", "wait_ms": 30_000, "until_ms": 30_000}]
    assert (finding.details["deliveries"], finding.details["total_ms"]) == (None, 30_000)


def test_several_waits_add_up() -> None:
    waits = {"first": to("second", **{"x-message-ttl": 1_000}), "second": to("work", **{"x-message-ttl": 90_000})}
    found = answers(of_rabbitmq({"work": to("first"), **waits}))
    assert "first (waits 1 s) → second (waits 90 s) → work: delivered again after 91 s" in found["work"]


def test_the_lower_one_of_an_argument_and_a_policy_is_the_wait() -> None:
    policy = {"name": "ttl", "vhost": "/", "pattern": "^wait$", "definition": {"message-ttl": 5_000}}
    queues = {"work": to("wait"), "wait": to("work", **{"x-message-ttl": 30_000})}
    assert "wait (waits 5 s)" in answers(of_rabbitmq(queues, policies=[policy]))["work"]


def named(name: str, pattern: str, priority: int = 0, **definition: Any) -> Json:
    definition = {of.replace("_", "-"): value for of, value in definition.items()}
    return {"name": name, "vhost": "/", "pattern": pattern, "priority": priority, "definition": definition}


OPEN = "; this holds if the pattern of the policy open matches, which is not evaluated"


@pytest.mark.parametrize(
    ("policies", "end"),
    [
        ([named("open", "(?<=w)ait", 1, message_ttl=5_000)], OPEN),
        ([named("open", "(?<=w)ait", 1, message_ttl=5_000), named("low", "^wait$", message_ttl=9)], OPEN),
        ([named("sure", "^w", 2, message_ttl=5_000), named("open", "(?<=w)ait", 1, message_ttl=9)], ""),
        (
            [named("one", "^wait$", message_ttl=5_000), named("two", "wait", message_ttl=9)],
            "; this holds if the broker chooses the policy one among those with its priority",
        ),
    ],
)
def test_a_retry_that_depends_on_which_policy_applies_is_said_with_its_condition(
    policies: list[Json], end: str
) -> None:
    found = answers(of_rabbitmq({"work": to("wait"), "wait": to("work")}, policies=policies))["work"]
    assert "wait (waits 5 s) → work" in found
    assert "".join(found.partition("; this holds")[1:]) == end
    limits = [policy | {"definition": {"delivery-limit": 2}} for policy in policies]
    quorum = of_rabbitmq({"wait": to("x", **{"x-queue-type": "quorum"})}, policies=limits)
    assert answers(quorum)["wait"].endswith(f"then to queue x{end}")


def test_what_nobody_rejects_is_dropped_when_it_comes_back() -> None:
    waiting = {"a": to("b", **{"x-message-ttl": 10}), "b": to("a", **{"x-message-ttl": 20})}
    found = answers(of_rabbitmq(waiting))
    assert "what expired all the way is dropped when it comes back" in found["a"]
    # The round is behind the queue from which it is entered.
    entered = answers(of_rabbitmq({"work": to("a"), **waiting}))
    assert "the broker drops it when it comes to a again, for nobody has rejected it on the way" in entered["work"]


def test_a_delay_without_a_way_back_says_where_the_message_stays() -> None:
    found = answers(of_rabbitmq({"in": to("wait"), "wait": to("out", **{"x-message-ttl": 60_000}), "out": {}}))
    assert found == {"in": "rejected or expired → wait (waits 1 min) → out: there after 1 min; it stays in out"}


@pytest.mark.parametrize(
    ("version", "arguments", "reason"),
    [
        ("4.1.0", {}, "delivered 21 times, again at once (delivery-limit 20, the default from RabbitMQ 4.0 on)"),
        ("4.1.0", {"x-delivery-limit": 3}, "delivered 4 times, again at once (delivery-limit 3, argument)"),
        ("4.1.0", {"x-delivery-limit": -1}, "no delivery limit"),
        ("3.13.7", {}, "delivered again at once and without a limit: it has no delivery-limit"),
    ],
)
def test_a_quorum_queue_delivers_up_to_its_limit(version: str, arguments: Json, reason: str) -> None:
    found = answers(of_rabbitmq({"q": {"x-queue-type": "quorum", **to("dead"), **arguments}, "dead": {}}, version))
    assert found["q"].removesuffix("; then to queue dead") == reason


def test_the_higher_one_of_two_delivery_limits_counts_where_one_is_negative() -> None:
    # rabbit_quorum_queue:resolve_delivery_limit takes the maximum then.
    policy = {"name": "p", "vhost": "/", "pattern": "q", "definition": {"delivery-limit": 5}}
    queue = {"x-queue-type": "quorum", "x-delivery-limit": -1}
    assert "delivery-limit 5, policy p" in answers(of_rabbitmq({"q": queue}, policies=[policy]))["q"]


_NOT_COUNTED = "what a consumer requeues is delivered again"


@pytest.mark.parametrize(
    ("arguments", "policy", "reason"),
    [
        (
            {"delayed-retry-type": "failed", "delayed-retry-min": 1000, "delayed-retry-max": 3000, "delivery-limit": 4},
            {},
            f"delivered 5 times, again after 1 s, 2 s, 3 s, 3 s (delivery-limit 4, argument); {_NOT_COUNTED} at once, "
            "which does not count",
        ),
        (
            {"delayed-retry-type": "all", "delayed-retry-min": 5000, "delivery-limit": 2},
            {},
            f"delivered 3 times, again after 5 s, 5 s (delivery-limit 2, argument); {_NOT_COUNTED} after 5 s, which "
            "does not count",
        ),
        (
            {"delayed-retry-type": "returned", "delayed-retry-min": 5000, "delivery-limit": 2},
            {},
            f"delivered 3 times, again at once (delivery-limit 2, argument); {_NOT_COUNTED} after 5 s, which does not "
            "count",
        ),
        (
            {"delayed-retry-type": "failed", "delayed-retry-min": 1000, "delivery-limit": -1},
            {},
            f"no delivery limit: delivered again after 1 s, 1 s, 1 s, 1 s, 1 s, 1 s, …; {_NOT_COUNTED} at once",
        ),
        # The policy's type, and the lower one of two delays.
        (
            {"delayed-retry-type": "failed", "delayed-retry-min": 2000, "delivery-limit": 1},
            {"delayed-retry-type": "returned", "delayed-retry-min": 1000},
            f"delivered 2 times, again at once (delivery-limit 1, argument); {_NOT_COUNTED} after 1 s, which does not "
            "count",
        ),
        (
            {"delayed-retry-type": "failed", "delivery-limit": 1},
            {},
            f"delivered 2 times, again at once (delivery-limit 1, argument); {_NOT_COUNTED} at once, which does not "
            "count",
        ),
    ],
)
def test_a_quorum_queue_delays_what_failed_or_was_requeued(arguments: Json, policy: Json, reason: str) -> None:
    """``rabbit_quorum_queue:get_delayed_retry_config`` and ``rabbit_fifo:should_delay`` of RabbitMQ 4.3."""
    queue = {"x-queue-type": "quorum", **to("dead"), **{f"x-{name}": value for name, value in arguments.items()}}
    listed = [{"name": "p", "vhost": "/", "pattern": "^q$", "definition": policy}] if policy else []
    topology = of_rabbitmq({"q": queue, "dead": {}}, "4.3.1", policies=listed)
    assert answers(topology)["q"].removesuffix("; then to queue dead") == reason
    assert topology.findings == ()


def test_an_operator_policy_raises_the_shortest_delay_and_lowers_the_longest() -> None:
    """``rabbit_quorum_queue:merge_policy_value``."""
    delays = {"delayed-retry-type": "failed", "delayed-retry-min": 1000, "delayed-retry-max": 9000}
    policy = {"name": "p", "vhost": "/", "pattern": "", "definition": delays}
    value = {"pattern": "", "definition": {"delayed-retry-min": 2000, "delayed-retry-max": 5000}}
    operator = {"component": "operator_policy", "name": "o", "vhost": "/", "value": value}
    queue = {"x-queue-type": "quorum", "x-delivery-limit": 4}
    found = answers(of_rabbitmq({"q": queue}, "4.3.1", policies=[policy], parameters=[operator]))["q"]
    assert found.startswith("delivered 5 times, again after 2 s, 4 s, 5 s, 5 s (")


@pytest.mark.parametrize(("version", "refused"), [("4.2.0", True), ("4.3.1", False), ("4.4.0", False)])
def test_policies_know_delayed_retries_from_4_3_on(version: str, refused: bool) -> None:
    delays = {"delayed-retry-type": "failed", "delayed-retry-min": 1000}
    policy = {"name": "p", "vhost": "/", "pattern": "", "definition": delays}
    topology = of_rabbitmq({"q": {"x-queue-type": "quorum"}}, version, policies=[policy])
    assert any(one.severity == "error" for one in topology.findings) is refused
    assert ("after 1 s" in answers(topology)["q"]) is not refused


def broker(settings: str) -> Topology:
    return parse_topology(
        f"""<configuration><core><address-settings><address-setting match="orders">{settings}</address-setting>
        </address-settings><addresses><address name="orders"><anycast><queue name="orders"/></anycast></address>
        <address name="DLQ"><anycast><queue name="DLQ"/></anycast></address></addresses></core></configuration>""",
        "broker.xml",
    )


DEAD = "<dead-letter-address>DLQ</dead-letter-address>"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("", "delivered 10 times, again at once; then it is lost, without a dead-letter target"),
        (f"{DEAD}<max-delivery-attempts>1</max-delivery-attempts>", "delivered 1 times; then to address DLQ"),
        (f"{DEAD}<max-delivery-attempts>-1</max-delivery-attempts>", "delivered without a limit, again at once"),
        (
            f"{DEAD}<max-delivery-attempts>4</max-delivery-attempts><redelivery-delay>1000</redelivery-delay>"
            "<redelivery-delay-multiplier>3</redelivery-delay-multiplier>",
            "delivered 4 times, again after 1 s, 3 s, 9 s; then to address DLQ, 13 s after the first delivery",
        ),
        (
            # Without max-redelivery-delay the longest delay is ten times the delay.
            f"{DEAD}<max-delivery-attempts>4</max-delivery-attempts><redelivery-delay>1000</redelivery-delay>"
            "<redelivery-delay-multiplier>5</redelivery-delay-multiplier>",
            "delivered 4 times, again after 1 s, 5 s, 10 s; then to address DLQ, 16 s after the first delivery",
        ),
        (
            f"{DEAD}<max-delivery-attempts>3</max-delivery-attempts><redelivery-delay>1000</redelivery-delay>"
            "<redelivery-collision-avoidance-factor>0.15</redelivery-collision-avoidance-factor>",
            "delivered 3 times, again after 1 s, 1 s, each up to 15% shorter or longer; then to address DLQ, "
            "2 s after the first delivery",
        ),
        (
            # The 399th power of the multiplier is larger than any double.
            f"{DEAD}<max-delivery-attempts>400</max-delivery-attempts><redelivery-delay>1</redelivery-delay>"
            "<redelivery-delay-multiplier>100</redelivery-delay-multiplier>"
            "<max-redelivery-delay>1000</max-redelivery-delay>",
            "delivered 400 times, again after 1 ms, 100 ms, 1 s, 1 s, 1 s, 1 s, …; then to address DLQ, "
            "397.1 s after the first delivery",
        ),
        (
            f"{DEAD}<redelivery-delay-multiplier>NaN</redelivery-delay-multiplier>",
            "the delays cannot be calculated, because a setting is not a number",
        ),
    ],
)
def test_artemis_waits_longer_each_time_up_to_a_limit(settings: str, reason: str) -> None:
    assert answers(broker(settings))["orders"] == reason


def test_a_dead_letter_address_of_its_own_gets_its_messages_back() -> None:
    topology = parse_topology(
        """<configuration><core><address-settings><address-setting match="#">
        <dead-letter-address>DLQ</dead-letter-address></address-setting></address-settings>
        <addresses><address name="DLQ"><anycast><queue name="DLQ"/></anycast></address></addresses></core>
        </configuration>""",
        "broker.xml",
    )
    back = "back to address DLQ, whose dead-letter address is the address itself"
    assert answers(topology)["DLQ"] == f"delivered 10 times, again at once; then {back}"


def redelivering(policies: str, destinations: str = "", plugin: str = "", policy: str = "") -> Topology:
    """Return the topology of a broker of ActiveMQ whose redeliveryPlugin has a map with the elements ``policies``."""
    listed = f"<redeliveryPolicyMap><redeliveryPolicyMap>{policies}</redeliveryPolicyMap></redeliveryPolicyMap>"
    inner = f"<destinations>{destinations}</destinations>{policy}"
    inner += f"<plugins><redeliveryPlugin {plugin}>{listed}</redeliveryPlugin></plugins>"
    return parse_topology(f"<beans><broker schedulerSupport='true'>{inner}</broker></beans>", "activemq.xml")


_ENTRIES = """<redeliveryPolicyEntries>
<redeliveryPolicy queue="test" maximumRedeliveries="3" redeliveryDelay="60000"/>
<redeliveryPolicy queue="slow.>" maximumRedeliveries="4" useExponentialBackOff="true" backOffMultiplier="3"
  initialRedeliveryDelay="2000" maximumRedeliveryDelay="10000"/>
<redeliveryPolicy queue="slow.once" maximumRedeliveries="1"/></redeliveryPolicyEntries>"""
_DEFAULT = """<defaultEntry>
<redeliveryPolicy maximumRedeliveries="-1" initialRedeliveryDelay="5000" redeliveryDelay="10000"/></defaultEntry>"""
_LETTERS = """<destinationPolicy><policyMap><policyEntries><policyEntry queue="slow.>"><deadLetterStrategy>
<individualDeadLetterStrategy queuePrefix="DLQ."/></deadLetterStrategy></policyEntry></policyEntries></policyMap>
</destinationPolicy>"""
_PLUGIN = "of the broker's redeliveryPlugin"


def queues(*names: str) -> str:
    return "".join(f"<queue physicalName='{name}'/>" for name in names)


def test_the_closest_policy_of_the_redelivery_plugin_applies_at_each_destination() -> None:
    """``RedeliveryPolicyMap.getEntryFor`` takes the closest entry, or else the default."""
    names = queues("test", "slow.a", "slow.once", "other")
    found = answers(redelivering(_ENTRIES + _DEFAULT, names + "<topic physicalName='test'/>", policy=_LETTERS))
    assert found["queue://test"] == (
        f"the policy queue test {_PLUGIN} delivers again 3 times, after 1 s, 1 min, 1 min; then to queue://ActiveMQ.DLQ"
    )
    assert found["queue://slow.a"] == (
        f"the policy queue slow.> {_PLUGIN} delivers again 4 times, after 2 s, 6 s, 10 s, 10 s; then to queue://DLQ.slow.a"
    )
    assert found["queue://slow.once"].startswith(
        f"the policy queue slow.once {_PLUGIN} delivers again once, after 1 s; then"
    )
    unlimited = f"the policy default {_PLUGIN} delivers again without a limit, after 5 s, 10 s, 10 s, 10 s, 10 s, 10 s"
    assert found["queue://other"] == found["topic://test"] == unlimited
    assert "other destinations" not in found
    details = next(one.details for one in retries(redelivering(_ENTRIES, names)) if one.subject == "queue://slow.a")
    assert [step["wait_ms"] for step in details["timeline"]] == [2000, 6000, 10_000, 10_000]
    assert details["total_ms"] == 28_000


def test_a_policy_without_a_destination_in_the_file_is_listed_by_its_pattern() -> None:
    found = answers(redelivering(_ENTRIES + _DEFAULT, queues("test")))
    assert found["destinations of queue slow.>"].endswith("; then to the dead-letter queue, if there is one")
    # The default applies at the queue of dead letters, which the file names too.
    assert found["queue://ActiveMQ.DLQ"].startswith("the policy default")
    assert "other destinations" in answers(redelivering(_DEFAULT))


@pytest.mark.parametrize(
    ("name", "plugin", "ends"),
    [
        ("test", "", "; then to queue://ActiveMQ.DLQ"),
        (
            "test",
            "sendToDlqIfMaxRetriesExceeded='false'",
            "then it is lost, because sendToDlqIfMaxRetriesExceeded is false",
        ),
        ("other", "", f"no policy {_PLUGIN} matches: it goes to queue://ActiveMQ.DLQ"),
        (
            "other",
            "fallbackToDeadLetter='false'",
            f"no policy {_PLUGIN} matches: it is lost, because fallbackToDeadLetter is false",
        ),
    ],
)
def test_the_plugin_decides_where_a_message_ends(name: str, plugin: str, ends: str) -> None:
    """``RedeliveryPlugin.sendToDeadLetterQueue``."""
    assert answers(redelivering(_ENTRIES, queues(name), plugin))[f"queue://{name}"].endswith(ends)


@pytest.mark.parametrize(
    ("policy", "support", "refused"),
    [
        ("initialRedeliveryDelay='999'", "schedulerSupport='true'", 1),
        ("redeliveryDelay='0' initialRedeliveryDelay='-5'", "schedulerSupport='true'", 2),
        ("redeliveryDelay='1000'", "schedulerSupport='true'", 0),
        ("", "", 1),
    ],
)
def test_a_plugin_with_which_the_broker_does_not_start_is_an_error(policy: str, support: str, refused: int) -> None:
    """``RedeliveryPlugin.installPlugin`` and ``validateLimit``."""
    entry = f"<redeliveryPolicyMap><defaultEntry><redeliveryPolicy {policy}/></defaultEntry></redeliveryPolicyMap>"
    plugins = f"<plugins><redeliveryPlugin>{entry}</redeliveryPlugin></plugins>"
    topology = parse_topology(f"<beans><broker {support}>{plugins}</broker></beans>", "activemq.xml")
    assert [one.code for one in topology.findings if one.severity == "error"] == ["import.refused"] * refused


def test_a_delay_of_activemq_grows_up_to_the_largest_long() -> None:
    policy = 'maximumRedeliveries="900" useExponentialBackOff="true" backOffMultiplier="9" redeliveryDelay="1000"'
    found = answers(redelivering(f"<defaultEntry><redeliveryPolicy {policy}/></defaultEntry>"))
    assert "delivers again 900 times" in found["other destinations"]


def test_of_activemq_the_clients_decide() -> None:
    topology = parse_topology("<beans><broker/></beans>", "activemq.xml")
    [reason] = answers(topology).values()
    assert reason.startswith("clients deliver again by their own redelivery policy")


def test_each_key_of_a_large_direct_exchange_leads_to_its_own_queue() -> None:
    # More comparisons of keys with bindings than are made one by one.
    count = 2000
    queues: dict[str, Json] = {
        f"q{number}": {"x-dead-letter-exchange": "dlx", "x-dead-letter-routing-key": f"k{number}"}
        for number in range(count)
    }
    waiting = {f"w{number}": to(f"q{number}", **{"x-message-ttl": 1_000}) for number in range(count)}
    bindings = [{"source": "dlx", "destination": f"w{number}", "routing_key": f"k{number}"} for number in range(count)]
    exchanges = [{"name": "dlx", "type": "direct"}]
    found = answers(of_rabbitmq(queues | waiting, exchanges=exchanges, bindings=bindings))
    assert len(found) == count
    assert all(f"→ w{number} (waits 1 s) → q{number}:" in found[f"q{number}"] for number in range(count))


#: Texts of numbers at and beyond the limits of integers, doubles and Java's long, and texts that are no number.
_ABSURD = st.sampled_from(
    ["", "x", "-1", "0", "1", "-0", "1.5", "NaN", "Infinity", "-Infinity", "1e308", "1e400", "-1e400", "0x10", "１"]
    + [
        str(sign * (base**power + more))
        for sign in (1, -1)
        for base, power in ((2, 31), (2, 63), (10, 400))
        for more in (0, -1)
    ]
    + ["9" * 5000]
)


def _attributes(data: st.DataObject, *names: str) -> dict[str, str]:
    return {name: data.draw(_ABSURD, name) for name in names if data.draw(st.booleans(), f"with {name}")}


@pytest.mark.parametrize("kind", ["artemis", "activemq", "rabbitmq", "broker-j"])
@given(data=st.data())
def test_a_timeline_of_absurd_numbers_is_an_answer_with_finite_times(kind: str, data: st.DataObject) -> None:
    if kind == "artemis":
        names = "max-delivery-attempts redelivery-delay redelivery-delay-multiplier max-redelivery-delay".split()
        given_ = _attributes(data, *names, "redelivery-collision-avoidance-factor")
        topology = broker("".join(f"<{name}>{value}</{name}>" for name, value in given_.items()))
    elif kind == "activemq":
        names = "maximumRedeliveries initialRedeliveryDelay redeliveryDelay maximumRedeliveryDelay".split()
        given_ = _attributes(data, *names, "backOffMultiplier")
        settings = " ".join(f'{name}="{value}"' for name, value in given_.items())
        policy = f'<redeliveryPolicy useExponentialBackOff="true" {settings}/>'
        topology = redelivering(f"<defaultEntry>{policy}</defaultEntry>", queues("a"))
    elif kind == "rabbitmq":
        names = "x-message-ttl x-delivery-limit x-delayed-retry-min x-delayed-retry-max".split()
        # JSON may have any number in the place of an integer.
        arguments = {name: json.loads(value) for name, value in _attributes(data, *names).items() if _is_json(value)}
        quorum = {"x-queue-type": "quorum", "x-delayed-retry-type": "all", **to("wait"), **arguments}
        topology = of_rabbitmq({"work": quorum, "wait": to("work", **arguments)}, "4.3.1")
    else:
        attempts = data.draw(_ABSURD.filter(_is_json))
        alternate = {"destination": "dead"}
        queue = {"name": "q", "maximumDeliveryAttempts": json.loads(attempts), "alternateBinding": alternate}
        host = {"name": "h", "modelVersion": "9.0", "type": "BDB", "queues": [queue, {"name": "dead"}], "exchanges": []}
        topology = topology_from_dict(host)
    for finding in retries(addresses_of(topology)):
        assert len(finding.reason) < 10_000
        written = json.loads(json.dumps(dict(finding.details), allow_nan=False))
        assert all(isinstance(step["wait_ms"], int) for step in written.get("timeline", ()))
        assert len(written.get("timeline", ())) <= 1000


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=str), int | float)
    except ValueError:
        return False
