"""selector-sql as a user runs it: what each command prints, to which stream, and its exit code."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from transpiler.cli import main
from transpiler.language.filters.sets import read_filters

FILTER = '{"f": {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": "usd.#"}}'
UNKNOWN = '{"f": {"descriptor": "example.com:x", "value": 1}}'
NO_LOCAL = '{"f": {"descriptor": "apache.org:no-local-filter:list", "value": []}}'
ON_USD = "(properties.subject = 'usd' OR startswith(properties.subject, 'usd.'))\n"
MESSAGE = '{"application_properties": {"color": "red", "n": 7}}\n'


@pytest.mark.parametrize(
    ("arguments", "given", "code", "printed"),
    [
        (["sql", "color = 'blue'"], "", 0, "(application_properties['color'].string = 'blue')\n"),
        (["sql", "-"], "JMSPriority > 6\n", 0, "(header.priority > 6)\n"),
        (["sql", "a", "--result", "boolean"], "", 0, "(application_properties['a'].boolean IS TRUE)\n"),
        (["sql", "a = = 1"], "", 2, "syntax.unexpected-token"),
        (["sql", "a = 1", "--dialect", "jmx"], "", 2, "did you mean jms?"),
        (["sql", "a = 1", "--layout", "ampq"], "", 2, "did you mean amqp?"),
        (
            ["sql", "JMSDestination = 'q'", "--destination", "q"],
            "",
            0,
            "properties.`to` = 'q' OR properties.`to` IS NULL",
        ),
        (["sql", "JMSExpiration > 5", "--now", "9", "--dialect", "qpid-java"], "", 0, "IS NULL AND header.ttl > -4"),
        (["sql", "JMSType = 'a'", "--names", "amqp"], "", 0, "amqp.jms_type = 'a'\n"),
        (["match", "JMSExpiration = 12", "--now", "5", "--count"], '{"header": {"ttl": 7}}', 0, "1\n"),
        (["match", "JMSDestination = 'q'", "--destination", "q", "--count"], MESSAGE, 0, "1\n"),
        (["explain", "JMSDestination = 'q'", "--destination", "q"], "", 0, "properties.`to` IS NULL"),
        (["compare", "a BETWEEN 1 AND 2"], "", 0, "* rabbitmq      refused   syntax.unexpected-token"),
        (["compare", "NOT a = 1"], "", 0, "reads: (NOT a) = 1"),
        (["compare", "a = = 1"], "", 0, "refused   syntax.unexpected-token"),
        (["explain", "a = 1", "m.jsonl"], "", 2, "--message FILE or JSON gives messages"),
        (["compare", "a = 1", "m.jsonl"], "", 2, "--message FILE or JSON gives messages"),
        (["sql", "a = 1", "m.jsonl"], "", 2, "Got unexpected extra argument (m.jsonl)\n"),
        (["match", "missing <> 5", "--dialect", "qpid-java", "--count"], MESSAGE, 0, "1\n"),
        (["check", "a LIKE 'x!' ESCAPE '!'", "--dialect", "activemq"], "", 1, "lint.like-without-wildcard"),
        (["check", "a = 'x'"], "", 0, ""),
        (["check", "a = red"], "", 1, "lint.unquoted-word"),
        (["check", "a == 1"], "", 1, "syntax.operator"),
        (["check", "--file", "-"], "# note\n\na = 'x'\nb = red\n", 1, "standard input:4:5: "),
        (["check"], "", 2, "nothing to check"),
        (["check", "a == 1", "--format", "github"], "", 1, "::error title=syntax.operator::"),
        (["match", "n > 6"], MESSAGE, 0, MESSAGE),
        (["match", "n > 7"], MESSAGE, 1, ""),
        (["match", "n > 7", "--invert", "--count"], MESSAGE, 0, "1\n"),
        (["match", "n > 6"], "{oops", 2, "-:1:2: this is not JSON"),
        (["match", "n > 6"], '{"headers": {}}', 2, "did you mean header?"),
        (["explain", "color = 'red'"], "", 0, "optimized  application_properties['color'].string = 'red'\n"),
        (["explain", "color = 'red'", "-v", "--message", "-"], MESSAGE, 0, "verdict    TRUE: the message matches"),
        (
            ["explain", "x = 1", "-v", "--message", "-"],
            MESSAGE,
            0,
            "verdict    unknown: the message does not match",
        ),
        (["sql", "--filter", "-"], FILTER, 0, ON_USD),
        (["sql", "--filter", "-", "--result", "boolean"], FILTER, 0, ") IS TRUE)\n"),
        (["sql", "--filter", "-"], '{"f": ', 2, "filters:1:7: filters.json: this is not JSON"),
        (["sql", "--filter", "-"], UNKNOWN, 2, "filters.f: there is no filter with the descriptor 'example.com:x'"),
        (["sql", "--filter", "-", "--unknown", "ignore"], UNKNOWN, 0, "true\nwarning: filters.unknown: filters.f: "),
        (
            ["sql", "--filter", "-"],
            NO_LOCAL,
            2,
            "filters.f: a no-local filter rejects messages from the receiver's own connection, "
            "but the id of this connection is not given",
        ),
        (["sql", "--filter", "-", "--connection", "c"], NO_LOCAL, 0, "['x-opt-publisher-connection'].string = 'c'"),
        (["sql", "--filter-bytes", "-"], "no bytes", 2, "amqp."),
        (["sql", "a = 1", "--filter", "-"], FILTER, 2, "omit the filter set, or the others"),
        (["sql", "--filter", "-", "--filter-bytes", "-"], FILTER, 2, "give one of them"),
        (["sql"], "", 2, "nothing to translate"),
        (["match", "--filter", "-"], FILTER, 2, "standard input cannot be read twice: name a file"),
        (["match"], "", 2, "nothing to match"),
        (["match", "a = 1", "no such file"], "", 2, "'no such file' does not exist"),
        (["nonsense"], "", 2, "No such command"),
    ],
)
def test_a_command_answers(arguments: list[str], given: str, code: int, printed: str) -> None:
    result = CliRunner().invoke(main, arguments, input=given)
    assert result.exit_code == code, result.output
    assert printed in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_machine_formats_are_json(form: str) -> None:
    result = CliRunner().invoke(main, ["check", "a == 1", "b = red", "--format", form])
    assert result.exit_code == 1
    data = json.loads(result.output)
    findings = data if form == "json" else data["runs"][0]["results"]
    assert len(findings) == 2


def test_explain_says_that_a_broker_would_have_thrown_and_what_that_does_there(tmp_path: Path) -> None:
    (tmp_path / "message.json").write_text(MESSAGE, encoding="utf-8")
    arguments = ["explain", "color - 1 = 0", "-v", "--message", str(tmp_path / "message.json"), "--dialect"]
    result = CliRunner().invoke(main, [*arguments, "artemis"])
    assert "artemis would have thrown here: - with an operand that is not a number" in result.output
    assert "the message does not match, and the broker logs an invalid filter" in result.output
    result = CliRunner().invoke(main, [*arguments, "rabbitmq"])
    assert "thrown" not in result.output


@pytest.mark.parametrize(
    ("dialect", "selector", "thrown", "there"),
    [
        ("activemq", "s - 1 = 0", "- with an operand that is not a number", "disturbs the dispatch of the message"),
        (
            "artemis",
            "s - 1 = 0 OR n = 5",
            "- with an operand that is not a number",
            "the broker logs an invalid filter",
        ),
        ("qpid-java", "s - 1 = 0", "- with an operand that is not a number", "the message does not match"),
        ("qpid-cpp", "n / 0 = 1", "an integer division by zero", "ends the broker"),
        ("rabbitmq", "d * 10 > 1", "the result is too large for a float", "ends the reader of the stream"),
        (
            "rabbitmq-jms",
            "n LIKE 'a%'",
            "LIKE with an operand that is not a string",
            "reaches the routing of the message",
        ),
    ],
)
def test_explain_says_for_every_broker_what_throws_and_what_that_does(
    dialect: str, selector: str, thrown: str, there: str
) -> None:
    message = '{"application_properties": {"s": "a", "n": {"type": "int", "value": 5}, "d": 1e308}}'
    result = CliRunner().invoke(
        main, ["explain", selector, "--dialect", dialect, "-v", "--message", "-"], input=message
    )
    assert result.exit_code == 0
    assert f"throws     {dialect} would have thrown here: {thrown}" in result.output
    assert f"→ throws: {thrown}" in result.output
    assert there in result.output


def test_explain_reads_strings_as_numbers_inside_the_prefix_too() -> None:
    message = '{"application_properties": {"n": "5"}}'
    arguments = ["explain", "convert_string_expressions:n = 5", "--dialect", "activemq", "-v", "--message", "-"]
    result = CliRunner().invoke(main, arguments, input=message)
    assert "compare  n = 5  → TRUE" in result.output


def test_compare_says_who_parts_and_by_which_rule(tmp_path: Path) -> None:
    (tmp_path / "message.json").write_text(MESSAGE, encoding="utf-8")
    result = CliRunner().invoke(main, ["compare", "missing <> 5", "--message", str(tmp_path / "message.json")])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "  jms           accepted  unknown"
    assert "* qpid-java     accepted  TRUE" in lines
    assert "rule: `=` with NULL: FALSE with NULL on one side, TRUE on both" in result.output


def test_a_schema_makes_typed_columns(tmp_path: Path) -> None:
    field = {"name": "weight", "type": "long", "nullable": True, "metadata": {}}
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "struct", "fields": [field]}), encoding="utf-8")
    result = CliRunner().invoke(main, ["sql", "weight > 5", "--schema", str(schema)])
    assert (result.exit_code, result.output) == (0, "(weight > 5)\n")
    result = CliRunner().invoke(main, ["sql", "wieght > 5", "--schema", str(schema)])
    assert result.exit_code == 2
    assert "did you mean weight?" in result.output


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    result = CliRunner().invoke(main, ["match", "a = 1", str(tmp_path / "bytes")])
    assert result.exit_code == 2
    assert "not UTF-8" in result.output


def test_a_filter_set_selects_messages(tmp_path: Path) -> None:
    (tmp_path / "filter.json").write_text(FILTER, encoding="utf-8")
    (tmp_path / "filter.bin").write_bytes(read_filters(FILTER).to_amqp())
    lines = [json.dumps({"properties": {"subject": subject}}) + "\n" for subject in ("usd", "usd.stock", "usdx")]
    for option in ("--filter", "--filter-bytes"):
        file = str(tmp_path / ("filter.json" if option == "--filter" else "filter.bin"))
        result = CliRunner().invoke(main, ["match", option, file], input="".join(lines))
        assert (result.exit_code, result.output) == (0, "".join(lines[:2]))
        result = CliRunner().invoke(main, ["match", option, file, "--invert", "--count"], input="".join(lines))
        assert (result.exit_code, result.output) == (0, "1\n")
        result = CliRunner().invoke(main, ["sql", option, file])
        assert (result.exit_code, result.output) == (0, ON_USD)


EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
DEFINITIONS = str(EXAMPLES / "definitions.json")
PUBLISHED = '{"properties": {"subject": "new"}, "exchange": "orders"}\n'
TO = '{"properties": {"to": "/exchanges/orders/new"}, "exchange": "nowhere"}\n'


@pytest.mark.parametrize(
    ("arguments", "given", "code", "printed"),
    [
        (
            ["route", DEFINITIONS],
            PUBLISHED,
            0,
            '"queues": ["orders.3", "orders.4", "orders.6"], "outcome": "delivered", "version": 1}\n',
        ),
        (["route", DEFINITIONS, "--exchange", "events"], "{}\n", 0, '"queues": ["events.0", "events.1", "events.2"]'),
        (["route", DEFINITIONS, "--exchange", "event"], "{}\n", 2, "did you mean events?"),
        (
            ["route", DEFINITIONS, "--exchange", "orders", "--mandatory"],
            "{}\n",
            0,
            '"queues": ["orders.0", "orders.5"]',
        ),
        (
            ["route", DEFINITIONS, "--mandatory"],
            PUBLISHED.replace("new", "x"),
            0,
            '"queues": [], "outcome": "returned", "version": 1}',
        ),
        (
            ["route", DEFINITIONS],
            PUBLISHED.replace("orders", "ordres"),
            0,
            '"queues": [], "outcome": "no-exchange", "version": 1}',
        ),
        (
            ["route", DEFINITIONS, "--protocol", "1.0"],
            PUBLISHED.replace("new", "x"),
            0,
            '"outcome": "returned", "version": 1}',
        ),
        (
            ["route", DEFINITIONS, "--protocol", "0-9-1"],
            PUBLISHED.replace("new", "x"),
            0,
            '"outcome": "discarded", "version": 1}',
        ),
        (
            ["route", DEFINITIONS, "--reject-unroutable"],
            PUBLISHED.replace("new", "x"),
            0,
            '"outcome": "rejected", "version": 1}',
        ),
        (
            ["route", DEFINITIONS, "--protocol", "1.0", "--mandatory"],
            "",
            2,
            "--mandatory is a flag of AMQP 0-8 to 0-9-1",
        ),
        (["route", DEFINITIONS, "--protocol", "0-10", "--reject-unroutable"], "", 2, "is a capability of AMQP 1.0"),
        (
            ["route", DEFINITIONS, "--publish-to", "to"],
            TO,
            0,
            '["orders.3", "orders.4", "orders.6"], "outcome": "deliv',
        ),
        (
            ["route", DEFINITIONS, "--publish-to", "to"],
            PUBLISHED,
            0,
            '"queues": [], "outcome": "rejected", "version": 1}',
        ),
        (["route", DEFINITIONS, "--publish-to", "to", "--summary"], TO + PUBLISHED, 0, '"orders": 1\n  }'),
        (
            ["route", DEFINITIONS, "--address", "orders/new"],
            "{}",
            0,
            '["orders.3", "orders.4", "orders.6"], "outcome": "deliv',
        ),
        (["route", DEFINITIONS, "--address", "/exchanges/orders/new"], "{}", 0, '"queues": ["orders.3", "orders.4", '),
        (
            ["route", DEFINITIONS, "--address", "orders.3"],
            "{}",
            0,
            '"queues": ["orders.3"], "outcome": "delivered", "version": 1}',
        ),
        (["route", DEFINITIONS, "--address", "ordres"], "{}", 2, "did you mean orders"),
        (["route", DEFINITIONS, "--address", "orders; {oops"], "{}", 2, "address:1:14: address.expected"),
        (
            ["route", DEFINITIONS, "--address", "orders", "--publish-to", "to"],
            "",
            2,
            "--address and --publish-to to each set",
        ),
        (["route", DEFINITIONS, "--unroutable"], PUBLISHED, 0, ""),
        (["route", DEFINITIONS, "--summary"], PUBLISHED, 0, '"exchanges": {\n    "orders": 1\n  }'),
        (["route", DEFINITIONS], "{oops", 2, "-:1:2: this is not JSON"),
        (["route", DEFINITIONS], '{"exchange": 5}', 2, "exchange: expected text"),
        (["route", DEFINITIONS], '{"headers": {}}', 2, "did you mean header?"),
        (["route", DEFINITIONS], "5", 2, "a message must be a JSON object of sections, not a number"),
        (["route", DEFINITIONS, "--layout", "rabbitmq-trace"], "{}", 2, "-:1: trace.entry"),
        (["route", DEFINITIONS, "--form", "topology"], "", 2, "no member called 'rabbit_version'"),
        (["route", DEFINITIONS, "--vhost", "/"], PUBLISHED, 0, '"outcome": "delivered"'),
        (["route", "nowhere.json"], "", 2, "does not exist"),
        (["route", str(EXAMPLES / "messages.jsonl")], "", 2, "this is not JSON"),
        (["topology", DEFINITIONS], "", 0, "  events (fanout) → events.0, events.1, events.2\n"),
        (["topology", DEFINITIONS, "--format", "mermaid"], "", 0, "flowchart LR\n"),
        (["topology", DEFINITIONS, "--format", "dot"], "", 0, "digraph topology {\n"),
        (["topology", DEFINITIONS, "--format", "json"], "", 0, '{\n  "broker": "rabbitmq-3.12",\n'),
        (["topology", DEFINITIONS, "--counts", DEFINITIONS], "", 2, "topology.type"),
    ],
)
def test_a_command_on_a_topology_answers(arguments: list[str], given: str, code: int, printed: str) -> None:
    result = CliRunner().invoke(main, arguments, input=given)
    assert result.exit_code == code, result.output
    assert printed in result.output
    assert "Traceback" not in result.output


def test_a_log_is_routed_counted_and_drawn(tmp_path: Path) -> None:
    log, counts = tmp_path / "trace.jsonl", tmp_path / "counts.json"
    log.write_bytes(gzip.decompress((EXAMPLES / "trace.jsonl.gz").read_bytes()))
    routed = CliRunner().invoke(main, ["route", DEFINITIONS, str(log), "--layout", "rabbitmq-trace"])
    lines = [json.loads(line) for line in routed.output.splitlines()]
    assert len(lines) == 3_000
    different = [line for line in lines if line["queues"] != sorted(line["routed_queues"])]
    # The log names the queue of the default exchange before the broker checks whether the queue exists.
    assert [(line["exchange"], line["routed_queues"], line["queues"]) for line in different] == [
        ("", ["nobody"], [])
    ] * 3
    summary = CliRunner().invoke(main, ["route", DEFINITIONS, str(log), "--layout", "rabbitmq-trace", "--summary"])
    counts.write_text(summary.output, encoding="utf-8")
    picture = CliRunner().invoke(main, ["topology", DEFINITIONS, "--counts", str(counts), "--format", "mermaid"])
    assert "alerts<br/><small>headers, 977 published</small>" in picture.output


def test_a_message_may_be_json_on_the_command_line() -> None:
    given = ["explain", "color = 'red'", "--message", '{"color": "blue"}']
    text = CliRunner().invoke(main, given)
    assert (text.exit_code, text.stdout.splitlines()[0]) == (0, "does not match: color is 'blue', not 'red'")
    assert text.stdout.splitlines()[1:] == ["  1 | color = 'red'", "    | ^^^^^^^^^^^^^"]
    data = CliRunner().invoke(main, [*given, "--format", "json"])
    assert json.loads(data.stdout)["verdict"] is False
    broken = CliRunner().invoke(main, [*given[:-1], '{"color": '])
    assert (broken.exit_code, broken.output.partition(":")[0]) == (2, "--message")


@pytest.mark.parametrize(
    ("command", "now"),
    [
        (["explain", "a = 1", "--json"], "--json is --format json in this command"),
        (["match", "a = 1", "--format", "csv"], "What the input is, --input-format says."),
        (["sql", "a = 1", "--json"], "No such option"),
    ],
)
def test_an_old_spelling_is_reported_what_to_write(command: list[str], now: str) -> None:
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2
    assert now in result.output


@pytest.mark.parametrize(
    ("selector", "options", "printed"),
    [
        (
            "a = 1 AND (b = 'x AND y' OR c IN ('1', '2'))",
            ["--schema", "a INT, b STRING, c STRING"],
            "(a = 1\n  AND (b = 'x AND y'\n    OR c IN ('1', '2')))\n",
        ),
        ("a BETWEEN 1 AND 2 AND b IS NULL", ["--schema", "a INT, b INT"], "(a >= 1\n  AND a <= 2\n  AND b IS NULL)\n"),
    ],
)
def test_pretty_sql_breaks_at_and_and_or_alone(selector: str, options: list[str], printed: str) -> None:
    plain = CliRunner().invoke(main, ["sql", selector, *options]).stdout
    pretty = CliRunner().invoke(main, ["sql", selector, *options, "--pretty"]).stdout
    assert pretty == printed
    assert " ".join(pretty.split()) == plain.strip()
