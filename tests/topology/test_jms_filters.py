"""Filters of JMS brokers: those of Artemis itself, selectors of its clients, and filters that are not evaluated."""

from __future__ import annotations

import json

import pytest

from tests.topology.test_jms_brokers import activemq, artemis, composites
from transpiler import Message, TopologyError, evaluate
from transpiler.reference.route import publish
from transpiler.tools.topology_report.findings import report
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.model import Topology

MESSAGE = Message.from_dict(
    {
        "header": {"priority": 9, "durable": True, "ttl": 5},
        "properties": {"subject": "x", "creation_time": 1_760_000_000_000, "group_id": "g", "correlation_id": "c"},
    }
)

#: A filter on a header field with a client's names, and with the broker's names.
WORDS = (
    ("JMSPriority > 4", "AMQPriority > 4"),
    ("JMSDeliveryMode = 'PERSISTENT'", "AMQDurable = 'DURABLE'"),
    ("JMSTimestamp > 0", "AMQTimestamp > 0"),
    ("JMSExpiration > 0", "AMQExpiration > 0"),
)

#: Names that no client rewrites, so that both dialects give the same result.
NOT_REWRITTEN = ("JMSType = 'x'", "JMSCorrelationID = 'c'", "JMSXGroupID = 'g'", "AMQGroupID = 'g'")


def queues(topology: Topology, address: str = "o", message: Message = MESSAGE) -> tuple[str, ...]:
    routed = publish(topology, message, address)
    assert not routed.possible_queues
    return routed.queues


@pytest.mark.parametrize(("client", "own"), WORDS)
def test_the_broker_reads_its_own_names_only_and_clients_selectors_both(client: str, own: str) -> None:
    assert evaluate(client, MESSAGE, "artemis") is True
    assert evaluate(client, MESSAGE, "artemis-core") is None
    assert evaluate(own, MESSAGE, "artemis") is evaluate(own, MESSAGE, "artemis-core") is True


@pytest.mark.parametrize("text", NOT_REWRITTEN)
def test_what_no_client_rewrites_is_read_alike_in_both(text: str) -> None:
    assert evaluate(text, MESSAGE, "artemis") is evaluate(text, MESSAGE, "artemis-core") is True


@pytest.mark.parametrize(("client", "own"), WORDS)
def test_a_filter_of_a_queue_or_divert_is_the_brokers_own(client: str, own: str) -> None:
    def filtered(text: str) -> tuple[str, ...]:
        text = text.replace(">", "&gt;")
        return queues(
            artemis(
                f'<diverts><divert name="d"><address>o</address><forwarding-address>f</forwarding-address>'
                f'<filter string="{text}"/></divert></diverts><addresses><address name="o"><multicast><queue name="q">'
                f'<filter string="{text}"/></queue></multicast></address><address name="f"><multicast>'
                '<queue name="f"/></multicast></address></addresses>'
            )
        )

    assert filtered(client) == ()
    assert filtered(own) == ("f", "q")


def test_a_property_of_the_name_of_a_header_field_is_what_the_broker_reads() -> None:
    topology = artemis(
        "<addresses><address name='o'><multicast><queue name='q'><filter string='JMSPriority = 4'/></queue>"
        "</multicast></address></addresses>"
    )
    message = Message.from_dict({"header": {"priority": 9}, "application_properties": {"JMSPriority": 4}})
    assert queues(topology, message=message) == ("q",)


def test_broker_properties_have_filters_of_the_broker() -> None:
    text = "addressConfigurations.o.queueConfigs.{0}.filterString={1}\n"
    listed = text.format("p", "JMSPriority > 4") + text.format("q", "AMQPriority > 4")
    assert queues(parse_topology(listed, "broker.properties")) == ("q",)


def test_wildfly_rewrites_the_selector_of_a_jms_queue_and_no_filter() -> None:
    topology = parse_topology(
        "<server xmlns='urn:jboss:domain:messaging-activemq:16.0'><server name='default'>"
        "<jms-queue name='a' entries='a' selector='JMSPriority > 4 AND JMSType IS NOT NULL'/>"
        "<queue name='b' address='jms.queue.a' routing-type='ANYCAST' filter='JMSPriority > 4'/>"
        "<divert name='d' address='jms.queue.a' forwarding-address='f' filter='JMSPriority > 4'/>"
        "<queue name='f' address='f'/></server></server>",
        "standalone.xml",
    )
    assert queues(topology, "jms.queue.a") == ("jms.queue.a",)
    assert topology_from_dict(json.loads(json.dumps(topology_to_dict(topology)))) == topology


STATE_QUEUE = {"name": "s", "destination": "o"}


@pytest.mark.parametrize(
    ("given", "reached"),
    [
        ({"selector": "JMSPriority > 4 AND JMSType = 'x'"}, ("s",)),
        ({"selector": "AMQPriority > 4"}, ("s",)),
        ({"filter": "AMQPriority > 4"}, ("s",)),
        ({"filter": "JMSPriority > 4"}, ()),
    ],
)
def test_a_state_has_selectors_of_clients_and_filters_of_the_broker(
    given: dict[str, str], reached: tuple[str, ...]
) -> None:
    assert queues(artemis("<addresses/>", state={"subscriptions": [STATE_QUEUE | given]})) == reached


#: Two queues. The consumer of the first has a selector, that of the second has none.
GROUP = (
    "<addresses><address name='o'><anycast><queue name='q1'><filter string=\"{}\"/></queue><queue name='q2'/>"
    "</anycast></address></addresses>"
)


@pytest.mark.parametrize(
    ("own", "client", "certain", "possible"),
    [
        ("AMQPriority > 4", "JMSType = 'x'", ("q1",), ()),
        ("color = 'DURABLE'", "JMSType = 'x'", ("q2",), ()),
        ("JMSPriority IS NULL", "n IS NULL", ("q1",), ()),
        ("JMSPriority IS NULL", "JMSPriority > 4", (), ("q1", "q2")),
    ],
)
def test_a_filter_and_the_selector_of_a_consumer_are_each_read_as_meant(
    own: str, client: str, certain: tuple[str, ...], possible: tuple[str, ...]
) -> None:
    state = {"consumers": [{"queue": "q1", "selector": client}]}
    routed = publish(artemis(GROUP.format(own.replace(">", "&gt;")), state=state), MESSAGE, "o", routing_type="ANYCAST")
    assert (routed.queues, routed.possible_queues) == (certain, possible)


DIVERT = (
    "<diverts><divert name='big'><address>o</address><forwarding-address>f</forwarding-address>"
    "<filter string=\"{}\"/><exclusive>true</exclusive></divert></diverts><addresses><address name='o'><anycast>"
    "<queue name='o'/></anycast></address><address name='f'><anycast><queue name='f'/></anycast></address></addresses>"
)
QUEUE = (
    "<addresses><address name='o'><multicast><queue name='f'><filter string=\"{}\"/></queue><queue name='o'/>"
    "</multicast></address></addresses>"
)
DEEP = "NOT (" * 130 + "n = 5" + ")" * 130

#: A filter on an unknown value, and for messages with n = 5 and n = 6 the certain and the possible queues, with the
#: divert and with the queue.
OPEN = (
    ("AMQSize &gt; 100", [("", "fo"), ("", "fo")], [("o", "f"), ("o", "f")]),
    ("AMQFullSize &gt; 100", [("", "fo"), ("", "fo")], [("o", "f"), ("o", "f")]),
    ("n = 5 AND AMQSize &gt; 100", [("", "fo"), ("o", "")], [("o", "f"), ("o", "")]),
    ("n = 5 OR AMQSize &gt; 100", [("f", ""), ("", "fo")], [("fo", ""), ("o", "f")]),
    ("n = 5 AND AMQSize IS NOT NULL", [("f", ""), ("o", "")], [("fo", ""), ("o", "")]),
    (DEEP, [("", "fo"), ("", "fo")], [("o", "f"), ("o", "f")]),
)


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("case", OPEN, ids=[case[0][:40] for case in OPEN])
def test_a_filter_that_is_not_evaluated_is_possible_where_the_rest_does_not_decide(
    case: tuple[str, list[tuple[str, str]], list[tuple[str, str]]], index: int
) -> None:
    topology = artemis((DIVERT, QUEUE)[index].format(case[0]))
    for n, (certain, possible) in zip((5, 6), case[1 + index], strict=True):
        routed = publish(topology, Message.of(n=n), "o")
        assert ("".join(routed.queues), "".join(routed.possible_queues)) == (certain, possible), n
    reported = [finding.message for finding in topology.findings if finding.code == "topology.not-evaluated"]
    assert len(reported) == ("IS NOT NULL" not in case[0])
    assert not any("start" in message for message in reported)


@pytest.mark.parametrize("text", ["n = = 5", "n = NULL", "'x'"])
def test_a_filter_that_is_none_stops_the_broker_or_leaves_the_queue_out(text: str) -> None:
    with pytest.raises(TopologyError, match="the broker does not start"):
        artemis(DIVERT.format(text))
    topology = artemis(QUEUE.format(text))
    assert [finding.code for finding in topology.findings] == ["topology.filter"]
    assert queues(topology) == ("o",)


def test_the_report_does_not_say_that_an_open_filter_is_never_true() -> None:
    assert report(addresses_of(artemis(DIVERT.format("AMQSize &gt; 100")))).findings == ()


def test_what_activemq_evaluates_and_this_project_does_not_is_possible() -> None:
    inner = "<filteredDestination selector=\"{}\" queue='f'/>"
    composite = "<compositeQueue name='o'{}><forwardTo>{}</forwardTo></compositeQueue>"
    regex = "n = 5 AND REGEX('a(?&lt;=b)', r)"
    for keeps, possible in (("", []), (" sendWhenNotMatched='true'", ["queue://o"])):
        topology = activemq(composites(composite.format(keeps, inner.format(regex))))
        routed = publish(topology, Message.of(n=5, r="x"), "queue://o")
        assert (list(routed.queues), list(routed.possible_queues)) == ([], ["queue://f", *possible])
        routed = publish(topology, Message.of(n=6, r="x"), "queue://o")
        assert routed.possible_queues == ()
        assert routed.queues == (("queue://o",) if keeps else ())
        assert [finding.code for finding in topology.findings] == ["topology.not-evaluated"]
    state = {"subscriptions": [{"name": "s", "destination": "topic://t", "selector": "REGEX('a(?<=b)', r) OR n = 5"}]}
    topology = activemq("", state=state)
    assert publish(topology, Message.of(n=5, r="x"), "topic://t").queues == ("s",)
    assert publish(topology, Message.of(n=6, r="x"), "topic://t").possible_queues == ("s",)


def _divert(name: str, to: str, condition: str, address: str = "a") -> str:
    inner = f"<address>{address}</address><forwarding-address>{to}</forwarding-address><exclusive>true</exclusive>"
    return f'<divert name="{name}">{inner}<filter string="{condition}"/></divert>'


def _multicast(*addresses: str) -> str:
    queues = (f"<address name='{a}'><multicast><queue name='q{a}'/></multicast></address>" for a in addresses)
    return f"<addresses>{''.join(queues)}</addresses>"


@pytest.mark.parametrize(
    ("n", "certain", "possible"),
    [
        # The divert that certainly takes the message keeps it from the queues of the address, whatever the undecided
        # diverts do.
        (1, {"qb"}, {"qc", "qd"}),
        (2, {"qc"}, {"qd"}),
        (3, set(), {"nobody", "qc", "qd"}),
        (4, set(), {"qa", "qc", "qd"}),
    ],
)
def test_a_certain_exclusive_divert_takes_what_an_open_one_may_leave(
    n: int, certain: set[str], possible: set[str]
) -> None:
    diverts = _divert("B", "b", "n = 1") + _divert("C", "c", "AMQSize &gt; 5 OR n = 2")
    diverts += _divert("D", "d", "AMQSize &gt; 9") + _divert("N", "nobody", "n = 3")
    topology = artemis(f"{_multicast(*'abcd')}<diverts>{diverts}</diverts>")
    routed = publish(topology, Message.of(n=n), "a", routing_type="MULTICAST")
    assert (set(routed.queues), set(routed.possible_queues)) == (certain, possible)


def test_what_takes_a_message_certainly_keeps_it_from_what_gets_the_rest() -> None:
    settings = "<address-setting match='a'><dead-letter-address>d</dead-letter-address>"
    settings += "<send-to-dla-on-no-route>true</send-to-dla-on-no-route></address-setting>"
    queue = "<queue name='{}'><filter string='{}'/></queue>"
    queues = queue.format("sure", "n = 1") + queue.format("open", "AMQSize &gt; 5")
    addresses = f"<address name='a'><multicast>{queues}</multicast></address>"
    addresses += "<address name='d'><multicast><queue name='dead'/></multicast></address>"
    topology = artemis(f"<address-settings>{settings}</address-settings><addresses>{addresses}</addresses>")
    routed = publish(topology, Message.of(n=1), "a", routing_type="MULTICAST")
    assert (routed.queues, routed.possible_queues, routed.outcome) == (("sure",), ("open",), "delivered")
    assert publish(topology, Message.of(n=2), "a", routing_type="MULTICAST").possible_queues == ("dead", "open")
    forwards = "<filteredDestination selector='n = 1' queue='sure'/>"
    forwards += "<filteredDestination selector=\"XPATH 'ancestor::x'\" queue='open'/>"
    forwards = f"<forwardTo>{forwards}</forwardTo>"
    composite = f"<compositeQueue name='o' sendWhenNotMatched='true'>{forwards}</compositeQueue>"
    topology = activemq(composites(composite))
    routed = publish(topology, Message.of(n=1), "queue://o")
    assert (routed.queues, routed.possible_queues) == (("queue://sure",), ("queue://open",))
    assert publish(topology, Message.of(n=2), "queue://o").possible_queues == ("queue://o", "queue://open")


def test_a_wildcard_with_any_words_inside_takes_only_the_addresses_that_it_matches() -> None:
    for condition, possible in (("TRUE", ()), ("AMQSize &gt; 5", ("qa.x.b", "qz"))):
        diverts = f"<diverts>{_divert('d', 'z', condition, 'a.#.b')}</diverts>"
        topology = artemis(f"{_multicast('a.c', 'a.x.b', 'z')}{diverts}")
        routed = publish(topology, Message(), "a.c", routing_type="MULTICAST")
        assert (routed.queues, routed.possible_queues) == (("qa.c",), ())
        routed = publish(topology, Message(), "a.x.b", routing_type="MULTICAST")
        assert (routed.queues, routed.possible_queues) == (("qz",) if not possible else (), possible)
    diverts = f"<diverts>{_divert('d', 'z', 'TRUE', 'a.#.b')}{_divert('e', 'z', 'n = 1', 'a.c')}</diverts>"
    topology = artemis(f"{_multicast('a.c', 'a.x.b', 'z')}{diverts}")
    assert publish(topology, Message.of(n=1), "a.c", routing_type="MULTICAST").queues == ("qz",)
    assert publish(topology, Message.of(n=2), "a.c", routing_type="MULTICAST").queues == ("qa.c",)


def test_a_selector_of_wildfly_that_is_none_makes_its_queue_possible() -> None:
    queue = "<jms-queue name='a' entries='a' selector='{}'/>"
    server = "<server xmlns='urn:jboss:domain:messaging-activemq:16.0'><server name='default'>{}</server></server>"
    for selector, code in (("n = = 1", "topology.filter"), ("AMQSize &gt; 5", "topology.not-evaluated")):
        topology = parse_topology(server.format(queue.format(selector)), "standalone.xml")
        routed = publish(topology, Message.of(n=1), "jms.queue.a", routing_type="ANYCAST")
        assert (routed.queues, routed.possible_queues) == ((), ("jms.queue.a",))
        (finding,) = topology.findings
        assert finding.code == code
        assert "does not start" not in finding.message


@pytest.mark.parametrize(
    ("sent", "own", "seen"),
    [
        ("ANYCAST", None, "one"),
        ("MULTICAST", None, "zero"),
        (None, None, "none"),
        # The broker overwrites the header only if the message has a type.
        ("ANYCAST", 7, "one"),
        (None, 7, "seven"),
    ],
)
def test_a_routing_type_that_a_divert_strips_is_the_last_one_that_filters_see(
    sent: str | None, own: int | None, seen: str
) -> None:
    tests = {"one": "= 1", "zero": "= 0", "seven": "= 7", "none": "IS NULL"}
    inner = "".join(
        f"<queue name='{n}'><filter string='_AMQ_ORIG_ROUTING_TYPE {t}'/></queue>" for n, t in tests.items()
    )
    diverts = "".join(
        f"<divert name='{source}'><address>{source}</address><forwarding-address>{to}</forwarding-address></divert>"
        for source, to in ("ab", "bc")
    )
    address = f"<addresses><address name='c'><multicast>{inner}</multicast></address></addresses>"
    topology = artemis(f"{address}<diverts>{diverts}</diverts>")
    message = Message() if own is None else Message.of(_AMQ_ORIG_ROUTING_TYPE=own)
    assert set(publish(topology, message, "a", routing_type=sent).queues) & tests.keys() == {seen}


@pytest.mark.parametrize(("text", "noted"), [("_AMQ_ORIG_ADDRESS = 'a'", True), ("AMQAddress = 'a'", False)])
def test_a_note_says_that_over_amqp_a_senders_own_header_goes_before_the_brokers(text: str, noted: bool) -> None:
    queue = f'<queue name="q"><filter string="{text}"/></queue>'
    topology = artemis(f"<addresses><address name='a'><multicast>{queue}</multicast></address></addresses>")
    found = [(one.code, one.severity) for one in topology.findings]
    assert found == ([("topology.own-header", "info")] if noted else [])
