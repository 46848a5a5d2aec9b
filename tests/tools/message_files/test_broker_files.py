"""Files of brokers and their tools are read without Spark: exports, browses, responses of management interfaces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.compiler.stores.tables import DIRECTORY, DOCUMENTS
from transpiler import DecodeError, evaluate
from transpiler.cli import main
from transpiler.messages import ReadMessage, read


def export(*properties: tuple[str, str, str], queue: str = "orders") -> str:
    listed = "".join(f'<property name="{name}" value="{value}" type="{kind}"/>' for name, value, kind in properties)
    head = '<message id="5" priority="4" expiration="0" timestamp="1700000000000" type="text">\n'
    return (
        f"{head}<properties>{listed}</properties><queues><queue name='{queue}'/></queues>"
        "<body><![CDATA[AAAA]]></body></message>\n"
    )


DECLARATION = "<?xml version='1.0' encoding='UTF-8'?>\n"
XML = DECLARATION + "<activemq-journal><bindings/><messages>\n{}</messages></activemq-journal>\n"
EXPORT = XML.format(
    export(("color", "red", "string"), ("weight", "5", "integer"))
    + export(("color", "blue &lt;&#10;", "simple-string"), ("none", "_AMQ_NULL", "bytes"), queue="audit")
)

MAPS: dict[str, Any] = {
    f"{kind}Properties": {} for kind in "String Boolean Byte Short Int Long Float Double Bytes".split()
}


def of_artemis(color: str, **others: Any) -> dict[str, Any]:
    message = {"address": "orders", "messageID": "17", "durable": True, "priority": 4, "protocol": "CORE", "type": 3}
    message |= {"timestamp": 1700000000000, "userID": "ID:1", "text": "x", "expiration": 0, "redelivered": False}
    return message | MAPS | {"StringProperties": {"color": color}, "IntProperties": {"weight": 5}} | others


def listed(color: str) -> dict[str, Any]:
    message = {name: value for name, value in of_artemis(color).items() if name not in MAPS}
    return message | {"color": color, "weight": 5}


def of_activemq(color: str) -> dict[str, Any]:
    message = {"JMSMessageID": "ID:1", "JMSPriority": 4, "JMSDeliveryMode": "PERSISTENT", "Text": "x"}
    message |= {"JMSTimestamp": "2025-06-24T13:38:30Z", "JMSDestination": "queue://orders", "PropertiesText": "{}"}
    return message | MAPS | {"StringProperties": {"color": color}, "IntProperties": {"weight": 5}}


def answer(*messages: object, **others: object) -> dict[str, Any]:
    asked = {"mbean": 'org.apache.activemq.artemis:broker="b"', "type": "exec", "operation": "browse()"}
    return {"request": asked, "value": list(messages), "timestamp": 1700000000, "status": 200} | others


def of_broker_j(color: str, **others: Any) -> dict[str, Any]:
    message = {"id": 1, "size": 5, "deliveryCount": 0, "state": "Available", "persistent": True, "messageId": "ID:1"}
    message |= {"arrivalTime": 1700000000001, "timestamp": 1700000000000, "priority": 4, "mimeType": "text/plain"}
    message |= {"type": "order", "userId": "guest", "replyTo": None, "deliveredTo": None, "expirationTime": None}
    return message | {"headers": {"color": color, "weight": 5}, "initialRoutingAddress": "eu.new"} | others


def browsed(color: str, mode: str = "persistent", text: str = "x") -> str:
    fields = {"BODY_FIELD:JMSText": text, "HEADER_FIELD:JMSPriority": "4", "CUSTOM_FIELD:color": color}
    fields |= {"CUSTOM_FIELD:weight": "5", "HEADER_FIELD:JMSMessageID": "ID:1", "HEADER_FIELD:JMSDeliveryMode": mode}
    fields |= {"HEADER_FIELD:JMSTimestamp": "1700000000000", "HEADER_FIELD:JMSDestination": "orders"}
    return "".join(f"JMS_{name} = {value}\n" for name, value in fields.items()) + "\n"


#: A red and a blue message in each form, by file name.
FILES: dict[str, str] = {
    "export.xml": EXPORT,
    "consumer": EXPORT.replace("<activemq-journal><bindings/>", "").replace("</activemq-journal>", ""),
    "browse.txt": browsed("red") + browsed("blue"),
    "browse": "INFO: Loading '/opt/env'\nJava Runtime: 11\nACTIVEMQ_HOME: /opt\n" + browsed("red") + browsed("blue"),
    "artemis.json": json.dumps(answer(of_artemis("red"), of_artemis("blue"))),
    "indented.json": json.dumps(answer(of_artemis("red"), of_artemis("blue")), indent=1),
    "bulk.json": json.dumps([answer(of_artemis("red")), answer(of_artemis("blue"))]),
    "lines": "\n".join(map(json.dumps, (answer(of_artemis("red")), answer(), answer(of_artemis("blue"))))),
    "listed.json": json.dumps(answer(listed("red"), listed("blue"))),
    "text.json": json.dumps(answer(value=json.dumps([listed("red"), listed("blue")]))),
    "get-message": "\n".join(json.dumps(answer(value=one)) for one in (of_activemq("red"), listed("blue"))),
    "activemq.json": json.dumps(answer(of_activemq("red"), of_activemq("blue"))),
    "values.json": json.dumps([of_artemis("red"), of_activemq("blue")]),
    "broker-j.json": json.dumps([of_broker_j("red"), of_broker_j("blue")]),
    "one-each": f"{json.dumps(of_broker_j('red'))}\n{json.dumps(of_broker_j('blue'))}\n",
}

#: A broker with the queue orders at the address orders.
ARTEMIS = """<configuration><core><addresses>
<address name="orders"><anycast><queue name="orders"/></anycast></address></addresses></core></configuration>"""


@pytest.fixture(autouse=True)
def in_a_directory_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("broker.xml").write_text(ARTEMIS, encoding="utf-8")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize("name", FILES)
def test_every_command_reads_what_brokers_write(name: str) -> None:
    red = "color = 'red' AND weight > 4 AND JMSPriority = 4"
    assert run("match", red, name, "--count").stdout == "1\n"
    explained = run("explain", "color = 'red'", "--message", name, "--format", "json").stdout.splitlines()
    assert [json.loads(line)["matches"] for line in explained] == [True, False]
    routed = run("route", "broker.xml", name, "--exchange", "orders", "--summary")
    assert json.loads(routed.stdout)["queues"] == {"orders": 2}, routed.output
    compared = run("backtest", name, "broker.xml", "--exchange", "orders", "--recorded-queue", "orders")
    assert (compared.exit_code, compared.stdout.partition("\n")[0]) == (
        0,
        "2 of 2 messages go to the queue that they were read from (2 deliveries)",
    )


@pytest.mark.parametrize("name", FILES)
def test_what_match_prints_is_read_again(name: str) -> None:
    printed = run("match", "color = 'red'", name).stdout
    Path("again").write_text(printed, encoding="utf-8")
    first = next(iter(read(name)))
    [again] = read("again")
    assert again.message == first.message
    assert again.sent() == first.sent()


def lines_of(name: str) -> list[int]:
    return [one.line for one in read(name)]


def test_messages_have_the_lines_where_they_begin() -> None:
    assert (lines_of("export.xml"), lines_of("browse.txt"), lines_of("browse")) == ([3, 5], [1, 10], [4, 13])
    assert (lines_of("artemis.json"), lines_of("lines")) == ([1, 1], [1, 3])
    first, second = lines_of("indented.json")
    lines = FILES["indented.json"].splitlines()
    assert ([lines[number - 1].strip() for number in (first, second)], first < second) == (["{", "{"], True)


TABLES = {"artemis_xml": "journal.xml", "rabbitmq_management": "get.json"}


def _id(found: ReadMessage) -> str:
    return str(found.value.get("_user-id") or found.value["payload"]).removeprefix("ID:")


@pytest.mark.parametrize("table", TABLES)
def test_fifty_messages_match_as_they_do_on_spark(table: str) -> None:
    found = list(read(DIRECTORY / "raw" / TABLES[table]))
    assert len(found) == 50
    for name, selector in DOCUMENTS[table]["selectors"].items():
        matching = {_id(one) for one in found if evaluate(selector, one.message) is True}
        assert matching == set(DOCUMENTS[table]["expected"]["typed"][name].split()), name


def test_an_export_keeps_types_and_queues() -> None:
    first, second = read("export.xml")
    assert evaluate("weight = 5 AND JMSDeliveryMode = 'PERSISTENT' AND JMSTimestamp = 1700000000000", first.message)
    assert evaluate("color = 'blue <\n' AND none IS NULL", second.message) is True
    assert (first.recorded(), second.recorded()) == (("orders",), ("audit",))
    result = run("backtest", "export.xml", "broker.xml", "--exchange", "orders", "--partial")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:2] == [
        "the topology does not have the queue audit (1)",
        "1 of 2 messages go to the queue that they were read from (2 deliveries)",
    ]


def test_an_export_that_was_cut_off_has_the_messages_before() -> None:
    Path("cut.xml").write_text(EXPORT[: EXPORT.index("blue")], encoding="utf-8")
    result = run("match", "color = 'red'", "cut.xml", "--count", "--keep-going")
    assert (result.exit_code, result.stdout) == (2, "1\n")
    assert result.stderr.startswith("cut.xml:6:")
    assert "this is not well-formed XML" in result.stderr
    assert run("match", "color = 'red'", "cut.xml", "--count").exit_code == 2


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("<broker/>", "m:1: <broker> is XML, and no export of Artemis: it begins with <activemq-journal>"),
        ("<a>", "m:1: <a> is XML"),
        ("\n<activemq-journal>\n", "m:2:"),
        ('<!DOCTYPE a [<!ENTITY e "x">]><activemq-journal/>', "m:1: the document declares an entity"),
        (XML.format('<message id="x" priority="high"/>'), "m:3: row.type: _priority: expected an integer"),
        (
            json.dumps(answer(status=404, value=None, error="no\nqueue")),
            "m:1: Jolokia answered with an error, status 404",
        ),
        (
            json.dumps(answer(value=5)),
            "m:1: the response of Jolokia contains no messages: its value is a number: browse()",
        ),
        (json.dumps(answer(value="no")), "m:1: the response of Jolokia contains no messages: its value is text"),
        (json.dumps(answer(value="[")), "m:1: value:1:2: this is not JSON"),
        (
            json.dumps(answer(value={"a": 1})),
            "m:1: the response of Jolokia contains no messages: its value is an object",
        ),
        (json.dumps([of_broker_j("red", headers=None)]), "m:1: message.headers: headers: the response of Broker-J"),
        (browsed("red").replace("JMSPriority = 4", "JMSPriority = high"), "m:1: message.type: JMSPriority"),
    ],
)
def test_what_is_no_message_is_an_error_with_its_place(text: str, expected_text: str) -> None:
    Path("m").write_text(text, encoding="utf-8")
    with pytest.raises(DecodeError) as error:
        list(read("m"))
    assert str(error.value).startswith(expected_text)
    assert run("match", "color = 'red'", "m").exit_code == 2


def test_the_text_of_a_browse_goes_on_over_lines_and_is_a_body() -> None:
    text = "<a>\n\n  b = c</a>\nJMS = x"
    Path("m").write_text(browsed("red", "non-persistent", text) + browsed("blue"), encoding="utf-8")
    first, second = read("m")
    assert first.message.to_dict()["body"] == {"section": "amqp-value", "value": text}
    selector = "JMSDeliveryMode = 'NON_PERSISTENT' AND JMSMessageID = 'ID:1' AND weight = 5"
    assert evaluate(selector, first.message) is True
    assert evaluate("JMSDeliveryMode = 'PERSISTENT'", second.message) is True


def test_a_text_of_a_browse_may_be_empty() -> None:
    Path("m").write_text("JMS_CUSTOM_FIELD:a = \nJMS_CUSTOM_FIELD:b =\nJMS_CUSTOM_FIELD:c = x = y\n", encoding="utf-8")
    [one] = read("m")
    assert evaluate("a = '' AND b = '' AND c = 'x = y'", one.message) is True


def test_a_message_of_broker_j_has_its_fields_and_its_key() -> None:
    sent = of_broker_j("red", expirationTime="2023-11-14T22:13:20Z", deliveryCount=2, headers={"map": {"a": 1}})
    Path("m").write_text(json.dumps(sent), encoding="utf-8")
    [one] = read("m")
    written = one.message.to_dict()
    assert written["header"] == {"durable": True, "priority": 4, "delivery_count": 2}
    assert written["properties"] == {
        "message_id": "ID:1",
        "user_id": "Z3Vlc3Q=",
        "subject": "order",
        "content_type": "text/plain",
        "absolute_expiry_time": 1700000000000,
        "creation_time": 1700000000000,
    }
    assert written["application_properties"] == {"map": {"type": "map"}}
    # The subject is not the routing key here, because it is the message's type.
    assert one.sent().routing_keys == ("eu.new",)


def test_plain_properties_with_such_names_are_properties() -> None:
    Path("m").write_text('{"id": 1, "messageId": "x", "status": 200, "value": "v"}\n', encoding="utf-8")
    [one] = read("m")
    assert evaluate("id = 1 AND messageId = 'x' AND status = 200 AND value = 'v'", one.message) is True


def test_the_address_of_a_message_of_artemis_is_where_it_was_sent() -> None:
    [first, _] = read("artemis.json")
    assert first.sent().exchange == "orders"
    assert json.loads(run("route", "broker.xml", "artemis.json", "--summary").stdout)["queues"] == {"orders": 2}
    result = run("route", "broker.xml", "browse.txt")
    assert (result.exit_code, "browse.txt:1: the message names no destination" in result.stderr) == (2, True)
