"""selector-sql match: exit codes as those of grep, records with errors, and the forms of its inputs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from transpiler.cli import main

RED, BLUE = '{"color": "red", "weight": 2600}', '{"color": "blue", "weight": 5}'
CSV = 'color,weight,JMSPriority\nred,2600,7\n"bl,ue",5,\n"x\ny",2700,1\n'
ARRAY = f'[\n  {RED},\n  {{"color": "green",\n   "weight": 2700}},\n  {BLUE}\n]\n'


@pytest.fixture(autouse=True)
def in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str, given: str | bytes = "", **files: str | bytes) -> Result:
    """Run ``match`` in a directory with ``files``. In a keyword, ``_`` is the dot of the file name."""
    for name, content in files.items():
        path = Path(name.replace("_", "."))
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return CliRunner().invoke(main, ["match", *words], input=given)


@pytest.mark.parametrize(
    ("words", "code", "printed"),
    [
        (("color = 'red'",), 0, f"{RED}\n"),
        (("color = 'green'",), 1, ""),
        (("color = 'red'", "--count"), 0, "1\n"),
        (("color = 'green'", "--count"), 1, "0\n"),
        (("color = 'red'", "--invert"), 0, f"{BLUE}\n"),
        (("weight > 0", "--invert", "--count"), 1, "0\n"),
        (("weight > ",), 2, "syntax.unexpected-end"),
    ],
)
def test_the_exit_code_is_that_of_grep(words: tuple[str, ...], code: int, printed: str) -> None:
    result = run(*words, given=f"{RED}\n{BLUE}\n")
    assert result.exit_code == code
    assert printed in result.output
    assert code == 2 or result.output == printed


def test_nothing_in_an_empty_input_matches() -> None:
    assert run("", given="").exit_code == 1
    assert run("a = 1", "e.jsonl", e_jsonl="").exit_code == 1
    assert run("a = 1", "e.json", e_json="[ ]").exit_code == 1
    assert run("a = 1", "e.csv", e_csv="a,b\n").exit_code == 1


BAD = f'{RED}\n{{oops\n\n{{"headers": {{}}}}\n'.encode() + b'{"a": "\xff"}\n' + f"{RED}\n".encode()


def test_the_first_bad_record_ends_the_command_with_its_place_once() -> None:
    result = run("color = 'red'", "a.jsonl", a_jsonl=BAD)
    assert (result.exit_code, result.stdout) == (2, f"{RED}\n")
    assert result.stderr == "a.jsonl:2:2: this is not JSON: Expecting property name enclosed in double quotes\n"


def test_keep_going_reports_each_bad_record_and_reads_on() -> None:
    result = run("color = 'red'", "a.jsonl", "--keep-going", a_jsonl=BAD)
    assert (result.exit_code, result.stdout) == (2, f"{RED}\n{RED}\n")
    assert result.stderr.splitlines() == [
        "a.jsonl:2:2: this is not JSON: Expecting property name enclosed in double quotes",
        "a.jsonl:4: message.type: headers: expected a simple value, found an object",
        "  hint: did you mean header? That is a section of message JSON",
        "  hint: if this is a row of a table, give --layout kafka-headers",
        "a.jsonl:5:8: this is not UTF-8: byte 0xff",
        "3 bad records were left out",
    ]
    assert run("color = 'red'", "--keep-going", "--count", given=f"{RED}\n").exit_code == 0
    assert run("color = 'pink'", "--keep-going", given=f"{RED}\n").exit_code == 1


EVENTS = {
    ".messages[]": ("aws-activemq", '{"eventSource": "aws:mq", "messages": [{"priority": 7}]}'),
    ".rmqMessagesByQueue[][]": ("aws-rabbitmq", '{"eventSource": "aws:rmq", "rmqMessagesByQueue": {"q::/": []}}'),
}


@pytest.mark.parametrize(("messages", "layout", "event"), [(each, *EVENTS[each]) for each in EVENTS])
def test_an_event_of_aws_lambda_is_reported_how_its_messages_are_taken_out(
    messages: str, layout: str, event: str
) -> None:
    hint = f"  hint: this is an event of AWS Lambda: read the output of jq -c '{messages}' with --layout {layout}"
    for options in ((), ("--layout", layout)):
        result = run("color = 'red'", *options, given=f"{event}\n")
        assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, hint)


@pytest.mark.parametrize("hazard", ["plain", "mark and CRLF", "gzip"])
@pytest.mark.parametrize(
    ("name", "text", "count"), [("a.jsonl", f"{RED}\n{BLUE}\n", 1), ("a.csv", CSV, 2), ("a.json", ARRAY, 2)]
)
def test_compressed_files_marks_and_line_ends_make_no_difference(name: str, text: str, count: int, hazard: str) -> None:
    if hazard == "mark and CRLF":
        Path(name).write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode())
    elif hazard == "gzip":
        name += ".gz"
        Path(name).write_bytes(gzip.compress(text.encode()))
    else:
        Path(name).write_text(text, encoding="utf-8")
    assert run("weight > 2500", name, "--count").output == f"{count}\n"


def test_csv_is_printed_as_csv() -> None:
    result = run("weight > 2500", "a.csv", a_csv=CSV)
    assert (result.exit_code, result.output) == (0, 'color,weight,JMSPriority\nred,2600,7\n"x\ny",2700,1\n')
    assert run("weight > 9999", "a.csv", a_csv=CSV).output == ""


@pytest.mark.parametrize(
    ("selector", "options", "count"),
    [
        ("color = 'red'", (), 1),
        ("color = '2600' OR weight = '2600'", (), 1),
        ("JMSPriority = 7", (), 1),
        ("JMSPriority = 4", (), 1),
        ("weight IS NULL", (), 0),
        ("weight > 2500", ("--schema", "color STRING, weight BIGINT"), 2),
        ("weight = '5'", ("--schema", "color STRING, weight BIGINT"), 0),
    ],
)
def test_a_cell_of_csv_has_the_type_that_the_selector_or_the_schema_gives_it(
    selector: str, options: tuple[str, ...], count: int
) -> None:
    assert run(selector, "a.csv", "--count", *options, a_csv=CSV).stdout == f"{count}\n"


def test_csv_on_standard_input_is_named_by_an_option() -> None:
    assert run("weight > 2500", "--input-format", "CSV", "--count", given=CSV).output == "2\n"


def test_elements_of_an_array_are_printed_one_a_line() -> None:
    result = run("weight > 2500", "a.json", a_json=ARRAY)
    assert result.output == f'{RED}\n{{"color": "green", "weight": 2700}}\n'


@pytest.mark.parametrize(
    ("name", "text", "expected_text"),
    [
        ("a.json", '[{"a": 1},\n {"a": 2,}]', "a.json:2:10: this is not JSON: "),
        ("a.json", '[{"a": 1} {"a": 2}]', "a.json:1:11: this is not JSON: expected a comma or the end of the array"),
        ("a.json", '[{"a": 1}', "a.json:1:10: this is not JSON: expected a comma or the end of the array"),
        ("a.json", '[{"a": 1}] x', "a.json:1:12: there is text behind the array"),
        ("a.json", '[{"a": 1},\n\n {"header": {"prio": 1}}]', "a.json:3: message.unknown-field"),
        ("a.json", "[1]", "a.json:1: message.not-an-object"),
        ("a.csv", "a,b\n1,2\n3\n", "a.csv:3: 1 cell, and the header has 2 names"),
        ("a.csv", "a,a\n1,2\n", "a.csv:1: a header of CSV names each column once"),
        ("a.csv", "a ; b\n1 ; 2\n", "a.csv:1: commas separate the cells of CSV, and here it is ';'"),
        ("a.csv", "a;b\n1;2\n", "a.csv:1: commas separate the cells of CSV, and here it is ';'"),
        ("a.csv", "\na\tb\n1\t2\n", "a.csv:2: commas separate the cells of CSV, and here it is '\\t'"),
        ("a.tsv", "a\tb\n1\t2\n", "a.tsv:1: commas separate the cells of CSV, and here it is '\\t'\n  hint: write it"),
        ("a.txt", "a|b\n1|2\n", "a.txt:1: commas separate the cells of CSV, and here it is '|'"),
        ("a.csv", 'a,b\n1,"2" 3\n', "a.csv:2: this is not CSV"),
        ("a.csv", 'a,b\n1,"2\n', "a.csv:2: this is not CSV"),
        ("a.jsonl.gz", "no gzip", "file 'a.jsonl.gz' cannot be read"),
    ],
)
def test_an_error_names_its_place_once(name: str, text: str, expected_text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    result = run("a = 1", name)
    assert result.exit_code == 2
    assert result.stderr.startswith(expected_text)
    assert result.stderr.count(name) == 1
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("given", "code", "printed"),
    [
        ("", 1, "no message was read\n"),
        (RED, 0, "1 of 1 message matches\n"),
        (
            f"{RED}\n{BLUE}\n{{}}\n{BLUE}\n",
            0,
            "1 of 4 messages match\n  2  color = 'red' is FALSE\n  1  color = 'red' is unknown\n",
        ),
        (f"{BLUE}\n{{bad\n", 2, "0 of 1 message matches\n  1  color = 'red' is FALSE\n1 bad record was left out\n"),
    ],
)
def test_reasons_are_counted_by_the_parts_that_decide(given: str, code: int, printed: str) -> None:
    result = run("color = 'red'", "--reasons", "--keep-going", given=given)
    assert result.exit_code == code
    assert "".join(line for line in result.output.splitlines(keepends=True) if not line.startswith("-:")) == printed


def test_reasons_in_json_have_the_parts_and_their_verdicts() -> None:
    given = '{"a": 2}\n{"b": 1}\n{"b": 3}\n{"a": 1, "b": 3}\n'
    result = run("a = 1 AND b > 2", "--reasons", "--format", "json", given=given)
    found = json.loads(result.stdout)
    assert (result.exit_code, found["messages"], found["matched"]) == (0, 4, 1)
    texts = [([(part["text"], part["verdict"]) for part in one["parts"]], one["messages"]) for one in found["reasons"]]
    assert texts == [([("a = 1", False)], 1), ([("b > 2", False)], 1), ([("a = 1", None)], 1)]
    assert "--format applies only with --reasons" in run("a = 1", "--format", "json", given=given).output
