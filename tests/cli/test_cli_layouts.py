"""The options that name a layout, and messages as rows of the layout, in the commands of selector-sql."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from transpiler.cli import main

PLAIN = '{"color": "red", "weight": 2600, "JMSPriority": 7}\n'
KAFKA = '{"headers": [{"key": "weight", "value": "MjYwMA=="}], "offset": 5}\n'
DDL = "color STRING, weight BIGINT"
FIELDS = [{"name": "color", "type": "string"}, {"name": "weight", "type": "long"}]
JSON_FORM = json.dumps({"type": "struct", "fields": [field | {"nullable": True, "metadata": {}} for field in FIELDS]})


def run(*words: str, given: str = "") -> Result:
    return CliRunner().invoke(main, list(words), input=given)


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (
            ["--layout", "kafka-headers"],
            "try_element_at(filter(headers, h -> h.key = 'x'), -1)",
        ),
        (["--layout", "kafka-headers", "--layout-option", "types.x=BIGINT"], "AS STRING) AS BIGINT) > 5"),
        (["--layout", "kafka-headers", "--layout-option", 'types={"x": "BIGINT"}'], "AS STRING) AS BIGINT) > 5"),
        (["--layout", "text-map", "--layout-option", "types=json"], "try_parse_json(properties['x'])"),
        (["--layout", "text-map", "--layout-option", "types.x=INT", "--layout-option", "types=json"], "AS INT) > 5"),
        (["--layout", "text-map", "--layout-option", "types=json", "--layout-option", "types.x=INT"], "AS INT) > 5"),
        (["--layout", "variant", "--layout-option", "json=true"], "try_parse_json(properties)"),
        (["--layout", "variant", "--layout-option", "json=false"], "variant_get(properties, '$.x') AS DOUBLE"),
        (["--layout", "variant", "--layout-option", "column=props"], "variant_get(props, '$.x') AS DOUBLE"),
        (["--layout", "struct", "--schema", "properties STRUCT<x: INT>"], "(properties.x > 5)\n"),
        (["--schema", "properties STRUCT<x: INT>, JMSType STRING"], "(properties.x > 5)\n"),
        (["--schema", "x BIGINT"], "(x > 5)\n"),
        (["--layout", "x BIGINT"], "(x > 5)\n"),
        (["--schema", "x BIGINT, kind STRING", "--layout-option", "headers.JMSType=kind"], "(x > 5)\n"),
    ],
)
def test_a_layout_and_its_options_are_those_of_the_sql(options: list[str], printed: str) -> None:
    result = run("sql", "x > 5", *options)
    assert result.exit_code == 0, result.output
    assert printed in result.output


@pytest.mark.parametrize(
    ("option", "printed"),
    [
        ("headers.JMSTimestamp=ts", "try_cast(ts AS BIGINT)"),
        ('headers.JMSTimestamp={"time": "ts", "unit": "s"}', "try_multiply(try_cast(ts AS BIGINT), 1000) > 5"),
        ('headers={"JMSTimestamp": {"time": "ts", "unit": "yyyy-MM-dd", "zone": "Europe/Berlin"}}', "Europe/Berlin"),
        ('headers.JMSTimestamp={"number": "ts"}', "try_cast(ts AS BIGINT) > 5"),
    ],
)
def test_a_header_field_is_in_a_column_of_its_own(option: str, printed: str) -> None:
    result = run("sql", "JMSTimestamp > 5", "--layout", "variant", "--layout-option", option)
    assert result.exit_code == 0, result.output
    assert printed in result.output


def test_a_delivery_mode_is_in_a_column_of_its_own() -> None:
    option = 'headers.JMSDeliveryMode={"mode": "durable"}'
    result = run("sql", "JMSDeliveryMode = 'PERSISTENT'", "--layout", "variant", "--layout-option", option)
    assert result.stdout == "(durable IN ('PERSISTENT', '2'))\n"


@pytest.mark.parametrize("form", [DDL, JSON_FORM])
def test_a_schema_is_text_or_a_file(tmp_path: Path, form: str) -> None:
    file = tmp_path / "schema of orders"
    file.write_text(form, encoding="utf-8")
    for given in (form, str(file)):
        for command in ("sql", "explain"):
            result = run(command, "color = 'red' AND weight > 2500", "--schema", given)
            assert result.exit_code == 0, result.output
            assert "color = 'red' AND weight > 2500" in result.output
        assert run("check", "wieght > 2500", "--schema", given).exit_code == 1
    assert run("sql", "weight > 2500", "--schema", "-", given=form).output == "(weight > 2500)\n"


@pytest.mark.parametrize(
    ("options", "expected_text"),
    [
        (
            ["--layout-option", "types=by-use"],
            "--layout-option sets an option of a layout, but no layout is given: add --layout NAME",
        ),
        (["--schema", "x INT", "--layout-option", "types=json"], "add --layout NAME"),
        (
            ["--layout", "text-map"],
            "the layout text-map requires the option types\n  hint: --layout text-map --layout-option",
        ),
        (["--layout", "kafka-headers", "--layout-option", "types"], "write KEY=VALUE, such as types=by-use"),
        (
            ["--layout", "kafka-headers", "--layout-option", "types=guess"],
            "'guess' is neither a policy for text nor a type",
        ),
        (
            ["--layout", "kafka-headers", "--layout-option", "types={a"],
            "types={a:1:2: this is not JSON",
        ),
        (
            ["--layout", "kafka-headers", "--layout-option", "tipes=json"],
            "has no option tipes\n  hint: the options of kafka-headers are column",
        ),
        (["--layout", "kafka-headers", "--layout-option", "repeated=all"], "repeated must be last or first, not 'all'"),
        (["--layout", "kafka-headers", "--layout-option", "prefix.x=a"], "--layout-option prefix: expected text"),
        (["--layout", "variant", "--layout-option", "json=yes"], "write json=true or json=false"),
        (["--layout", "variant", "--layout-option", "schema=x INT"], "give the schema with --schema"),
        (["--layout", "variant", "--layout-option", "headers=x"], "write headers.JMSType=order_type"),
        (["--layout", "variant", "--layout-option", "headers.JMSTyp=x"], "did you mean JMSType?"),
        (
            ["--layout", "variant", "--layout-option", 'headers.JMSType={"tim": "x"}'],
            '{"key": KEY}, {"time": ',
        ),
        (["--layout", "amqp", "--layout-option", "types=json"], "the layout amqp has no options"),
        (["--layout", "amqp", "--schema", DDL], "the layout amqp has its own columns"),
        (["--layout", "confluent-jsm"], "did you mean confluent-jms?"),
        (["--schema", "x STRNG"], "--schema:1:3: layout.schema: expected a type of Spark\n  1 | x STRNG\n"),
        (["--schema", '{"fields": 5}'], "--schema:1:1: layout.schema: expected an object with a list of fields"),
        (
            ["--schema", '{"fields": [{"name": "x", "type": {"type": "array"}}]}'],
            "--schema:1:35: layout.schema: fields[0].type",
        ),
        (["--schema", "nowhere.json"], "file 'nowhere.json' does not exist"),
        (["--schema", "no where.json"], "file 'no where.json' does not exist"),
        (
            ["--schema", "properties MAP<STRING, STRING>, JMSType STRING"],
            "--layout text-map --layout-option column=properties --layout-option types=by-use",
        ),
    ],
)
@pytest.mark.parametrize("command", ["sql", "match"])
def test_what_is_no_layout_is_an_error_that_says_what_to_do(
    command: str, options: list[str], expected_text: str
) -> None:
    result = run(command, "x > 5", *options)
    assert result.exit_code == 2
    assert expected_text in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("schema", "options"),
    [
        ("payload VARIANT", "--layout variant --layout-option column=payload"),
        ("payload VARIANT, n INT", "--layout variant --layout-option column=payload"),
        ("payload STRING, n INT", "--layout variant --layout-option column=payload --layout-option json=true"),
        ("props MAP<STRING, STRING>", "--layout text-map --layout-option column=props --layout-option types=by-use"),
        ("m MAP<STRING, DOUBLE>", "--layout text-map --layout-option column=m --layout-option types=by-use"),
        ("h ARRAY<STRUCT<key: STRING, value: BINARY>>, n INT", "--layout kafka-headers --layout-option column=h"),
        ("n INT", "--missing null"),
    ],
)
def test_a_hint_names_options_that_compile(schema: str, options: str) -> None:
    refused = run("sql", "x > 5", "--schema", schema)
    assert refused.exit_code == 2
    assert options in refused.output
    assert "stores." not in refused.output
    given = [] if "--layout" in options else ["--schema", schema]
    assert run("sql", "x > 5", *shlex.split(options), *given).exit_code == 0


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["color = 'red' AND weight > 2500 AND JMSPriority > 4"], PLAIN),
        (["weight > 2500", "--layout", "kafka-headers"], KAFKA),
        (["weight > 2500", "--layout", "kafka-headers", "--layout-option", "types.weight=DOUBLE"], KAFKA),
        (
            ["color = 'red' AND JMSPriority = 7", "--layout", "variant"],
            '{"properties": {"color": "red"}, "JMSPriority": 7}\n',
        ),
        (["a.b = 5", "--schema", "a STRUCT<b: INT>, id STRING"], '{"a": {"b": 5}, "id": "x", "more": 1}\n'),
        (["weight > 2500", "--schema", DDL], '{"application_properties": {"weight": 2600}}\n'),
        (["weight > 2500", "--schema", DDL], '{"weight": 2600}\n'),
        (
            ["weight > 2500", "--layout", "amqp"],
            '{"application_properties": {"weight": {"type": "int", "long": 2600}}}\n',
        ),
        (["JMSPriority = 7", "--layout", "amqp-0-10"], '{"delivery_properties": {"priority": 7}}\n'),
    ],
)
def test_lines_are_plain_properties_or_rows_of_the_layout(words: list[str], given: str) -> None:
    result = run("match", *words, given=given)
    assert (result.exit_code, result.stdout) == (0, given)
    assert run("match", *words, "--invert", given=given).stdout == ""


def test_without_their_types_texts_are_read_as_the_policy_says() -> None:
    words = ("weight > 2500", "--layout", "kafka-headers", "--layout-option", "types=string", "--count")
    assert run("match", *words, given=KAFKA).stdout == "0\n"


@pytest.mark.parametrize(
    ("options", "given", "expected_text"),
    [
        ([], '{"color": ["red"]}', "-:1: message.type: color: expected a simple value, found an array"),
        ([], '{"JMSPriority": "7"}', "-:1: message.type: JMSPriority: expected an integer, found text"),
        (
            ["--layout", "kafka-headers"],
            PLAIN,
            "-:1: row.columns: the row has no column of the layout kafka-headers",
        ),
        (
            ["--layout", "kafka-headers"],
            '{"headers": [{"key": "x", "value": "2600!"}]}',
            "-:1: row.type: headers.x: expected",
        ),
        (
            ["--layout", "confluent-jms"],
            '{"priority": "high"}',
            "-:1: row.type: priority: expected an integer",
        ),
        (["--layout", "confluent-jms"], "5", "-:1: message.not-an-object"),
    ],
)
def test_a_line_that_is_no_message_is_an_error_with_its_place(
    options: list[str], given: str, expected_text: str
) -> None:
    result = run("match", "x > 5", *options, given=given)
    assert result.exit_code == 2
    assert expected_text in result.output


def test_explain_reads_the_message_as_a_row_of_the_layout() -> None:
    result = run("explain", "weight > 2500", "--layout", "kafka-headers", "-v", "--message", "-", given=KAFKA)
    assert "verdict    TRUE: the message matches" in result.output, result.output
    result = run("explain", "weight > 2500 AND JMSPriority = 7", "-v", "--message", "-", given=PLAIN)
    assert "verdict    TRUE: the message matches" in result.output
    result = run("compare", "weight > 2500 AND JMSPriority = 7", "--message", "-", given=PLAIN)
    assert "jms           accepted  TRUE" in result.output


def test_a_row_that_has_nothing_may_stand_among_others() -> None:
    words = ("match", "weight > 2500", "--layout", "kafka-headers")
    assert run(*words, given='{"id": 1}\n' + KAFKA).output == KAFKA
    result = run(*words, given='{}\n{"id": 1}\n{"no": 2}\n')
    assert result.exit_code == 2
    assert result.output.startswith("-:2: row.columns: the row has no column of the layout kafka-headers")


TOPOLOGY = {
    "broker": "rabbitmq",
    "queues": ["red", "eu"],
    "exchanges": [{"name": "topics", "type": "topic"}, {"name": "colours", "type": "headers"}],
    "bindings": [
        {"source": "topics", "queue": "eu", "key": "eu.#"},
        {"source": "colours", "queue": "red", "arguments": {"x-match": "all", "color": "red"}},
    ],
}


@pytest.mark.parametrize(
    ("options", "line", "queues"),
    [
        (["--schema", "color STRING, exchange STRING"], {"color": "red", "exchange": "colours"}, ["red"]),
        (
            ["--layout", "kafka-headers"],
            {"headers": [{"key": "color", "value": "cmVk"}], "exchange": "colours"},
            ["red"],
        ),
        (
            ["--layout", "text-map", "--layout-option", "types=string"],
            {"properties": {"color": "blue"}, "exchange": None},
            [],
        ),
        (
            ["--layout", "text-map", "--layout-option", "types=string"],
            {"properties": {}, "exchange": "topics", "routing_key": "eu.1"},
            ["eu"],
        ),
        (["--schema", "a INT"], {"a": 1, "exchange": "topics", "routing_keys": ["us", "eu.1"]}, ["eu"]),
        (
            ["--layout", "amqp-0-10"],
            {"delivery_properties": {"exchange": "topics", "routing_key": "eu.1"}, "message_properties": {}},
            ["eu"],
        ),
    ],
)
def test_rows_of_a_layout_are_routed(
    options: list[str], line: dict[str, Any], queues: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(TOPOLOGY))
    result = CliRunner().invoke(main, ["route", str(file), *options], input=json.dumps(line) + "\n")
    assert result.exit_code == 0, result.output
    routed = json.loads(result.stdout)
    assert routed["queues"] == queues
    assert {key: routed[key] for key in line} == line


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ({"a": 1, "exchange": 5}, "-:1: message.exchange: exchange: expected text"),
        ({"a": 1, "routing_keys": "x"}, "-:1: message.routing-keys: routing_keys: expected an array of texts"),
        ({"a": 1, "exchange": "topics"}, "-:1: route.no-key: the topology routes by key"),
        ({"a": "x"}, "-:1: row.type: a: expected an integer, found text"),
        (
            {"b": "x", "exchange": "topics", "routing_key": "eu.1"},
            "-:1: row.columns: the row has no column of the layout",
        ),
    ],
)
def test_a_row_that_cannot_be_routed_is_reported_by_its_line(line: dict[str, Any], error: str, tmp_path: Path) -> None:
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(TOPOLOGY))
    result = CliRunner().invoke(main, ["route", str(file), "--schema", "a INT"], input=json.dumps(line) + "\n")
    assert result.exit_code == 2
    assert error in result.output


#: Messages whose routing key has an unknown name: the options that state their form, the messages, the hint, and the
#: options or messages that follow the hint.
WITHOUT_KEY: list[tuple[list[str], str, str, list[str], str]] = [
    ([], "color,rk\nred,eu.1", "rename the column rk to routing_key", [], "color,routing_key\nred,eu.1"),
    (
        ["--schema", "color STRING, Key STRING"],
        '{"color": "red", "Key": "eu.1"}',
        "perhaps read the routing-key from Key: --layout-option headers.routing-key=Key",
        ["--layout-option", "headers.routing-key=Key"],
        "",
    ),
    (
        [
            "--layout",
            "text-map",
            "--layout-option",
            "types=string",
            "--schema",
            "properties MAP<STRING, STRING>, rk STRING",
        ],
        '{"properties": {}, "rk": "eu.1"}',
        "perhaps read the routing-key from rk: --layout-option headers.routing-key=rk",
        ["--layout-option", "headers.routing-key=rk"],
        "",
    ),
    (
        ["--layout", "kafka-headers"],
        '{"headers": [{"key": "rk", "value": "ZXUuMQ=="}]}',
        "perhaps name the column or key that contains the routing-key: --layout-option 'headers.routing-key=…'",
        ["--layout-option", "headers.routing-key=rk"],
        "",
    ),
]


@pytest.mark.parametrize(("options", "given", "hint", "more", "instead"), WITHOUT_KEY)
def test_messages_without_a_place_for_their_key_are_refused_with_a_hint_that_works(
    options: list[str], given: str, hint: str, more: list[str], instead: str, tmp_path: Path
) -> None:
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(TOPOLOGY))

    def routed(exchange: str, *others: str, lines: str) -> Result:
        return CliRunner().invoke(main, ["route", str(file), "--exchange", exchange, *options, *others], input=lines)

    refused = routed("topics", lines=given)
    assert refused.exit_code == 2
    assert "route.no-key: the topology routes by key" in refused.stderr
    assert hint in refused.stderr
    followed = routed("topics", *more, lines=instead or given)
    assert json.loads(followed.stdout)["queues"] == ["eu"], followed.stderr
    # An exchange that compares no keys needs no key, and a JSON object without a key may omit the member.
    alone = CliRunner().invoke(main, ["route", str(file), "--exchange", "topics"], input='{"color": "red"}')
    assert (alone.exit_code, json.loads(alone.stdout)["queues"]) == (0, [])
    assert routed("colours", lines=given).exit_code == 0
