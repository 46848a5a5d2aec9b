"""Files of test cases: what can be parsed, and the location of each error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transpiler import pytest_plugin
from transpiler.base.documents.yaml_text import MAX_LENGTH
from transpiler.tools.test_cases import CaseFileError, find_files, read_cases, run_case
from transpiler.tools.test_cases.reading import PATTERNS

ORDERS = """\
# The orders of the night shift.
dialect: jms
selector: color = 'red' AND JMSPriority > 4
messages:
  urgent red: {color: red, JMSPriority: 7}
cases:
  - name: an urgent red one
    message: urgent red
    expect: matches
  - message: {color: blue}
    expect: does not match
---
selector: region <> 'eu'
cases:
  - name: without a region
    message: urgent red
    expect: {jms: unknown, qpid-java: matches}
  - name: at the time
    dialect: [rabbitmq]
    selector: UTC() = 7
    now: 7
    message: {a: 1}
    expect: matches
"""

AS_JSON = (
    '[{"selector": "a = \\"x\\"", "dialect": "rabbitmq",\n'
    '  "cases": [{"message": {"a": "x"}, "expect": "matches"}, {"message": {}, "expect": "unknown", "name": "none"}]}]'
)


def test_a_file_of_documents_is_read() -> None:
    cases = read_cases("orders.yaml", ORDERS)
    assert [(case.id, case.line, case.dialect, case.expected) for case in cases] == [
        ("an urgent red one", 7, "jms", "matches"),
        ("case 2", 10, "jms", "does not match"),
        ("without a region[jms]", 15, "jms", "unknown"),
        ("without a region[qpid-java]", 15, "qpid-java", "matches"),
        ("at the time", 18, "rabbitmq", "matches"),
    ]
    assert cases[0].message == cases[2].message
    assert all(run_case(case).passed for case in cases)


def test_json_is_read_alike() -> None:
    cases = read_cases("cases.json", AS_JSON)
    assert [(case.id, case.line, case.dialect) for case in cases] == [
        ("case 1", 2, "rabbitmq"),
        ("none", 2, "rabbitmq"),
    ]
    assert all(run_case(case).passed for case in cases)
    assert read_cases("one.json", AS_JSON[1:-1])[1].id == "none"


def test_messages_may_be_rows_of_a_layout() -> None:
    text = (
        "layout: 'color STRING, weight BIGINT'\nselector: weight > 5\ncases: [{message: {weight: 7}, expect: matches}]"
    )
    [case] = read_cases("rows.yaml", text)
    assert run_case(case).passed
    text = text.replace("weight: 7", "weight: seven")
    with pytest.raises(CaseFileError, match=r"rows\.yaml:3:28: cases.message: weight: expected an integer, found text"):
        read_cases("rows.yaml", text)


def of_case(member: str) -> str:
    return f"selector: a = 1\ncases:\n  - message: {{a: 1}}\n    expect: matches\n    {member}\n"


def expecting(expectation: str, member: str = "") -> str:
    return of_case(member).replace("matches", expectation)


def of_message(message: str) -> str:
    return of_case("").replace("{a: 1}", message)


@pytest.mark.parametrize(
    ("text", "message_field", "message", "hint"),
    [
        (of_case("expcet: unknown"), "5:5", "a case has no key 'expcet'", "did you mean expect?"),
        (of_case("color: red"), "5:5", "a case has no key 'color'", "the keys of a case are name, message, expect"),
        (of_case("name: 5"), "5:11", "name must be text, found the number 5", ""),
        (of_case("now: soon"), "5:10", "now must be an integer, found text", ""),
        (of_case("dialect: jmx"), "5:14", "a dialect cannot be 'jmx'", "did you mean jms?"),
        (of_case("dialect: []"), "5:14", "this list has no dialect", ""),
        (of_case("name: x\n    name: y"), "6:5", "the key 'name' occurs twice", ""),
        (expecting("match"), "4:13", "expect cannot be 'match'", "did you mean matches?"),
        (
            expecting("true"),
            "4:13",
            "expect cannot be the boolean true",
            "it is matches, does not",
        ),
        (expecting("{jmx: unknown}"), "4:14", "a dialect cannot be 'jmx'", "did you mean jms?"),
        (expecting("{}"), "4:13", "expect says nothing for any dialect", ""),
        (
            expecting("{jms: matches}", "dialect: [jms, artemis]"),
            "4:13",
            "expect says nothing for artemis",
            "",
        ),
        (
            expecting("{artemis: matches}", "dialect: jms"),
            "4:14",
            "artemis is not among the dialects of this case",
            "",
        ),
        (of_message("red"), "3:14", "no messages have names here", "write the message itself"),
        (
            of_message("[red]"),
            "3:14",
            "a message is a mapping, or the name of one, found a list",
            "",
        ),
        (
            of_message("{a: no}"),
            "3:18",
            "no without quotes is a boolean in YAML",
            "write true or false, or",
        ),
        (of_message("{a: 0o10}"), "3:18", "0o10 is text in YAML 1.1", "write '0o10', or 8"),
        (of_message("{a: 1e3}"), "3:18", "1e3 is text in YAML 1.1", "write '1e3', or 1000"),
        (of_message("{a: 2024-06-24}"), "3:18", "2024-06-24 without quotes is a date", "write '2024-06-24'"),
        (of_message("{a: 1.10}"), "3:18", "YAML reads 1.10 as the number 1.1", "write '1.10' for a text, or 1.1"),
        (of_message("{a: 4.1.0}"), "3:18", "4.1.0 without quotes looks like", "write '4.1.0'"),
        ("selector: a = 1\nmessages: {m: {a: 010}}\ncases: []", "2:19", "YAML reads 010 as another", ""),
        ("selector: no\ncases: [{message: {}, expect: matches}]", "1:11", "no without quotes is a boolean", ""),
        (of_message("{a: 010}"), "3:18", "YAML reads 010 as another number", "write '010', or"),
        (of_message("{a: 1:30}"), "3:18", "YAML reads 1:30 as another number", "write '1:30', or"),
        (of_message("{a: !x 1}"), "3:18", "the tag !x is not supported", "write the value without the tag"),
        (of_message("{a: !!set {x}}"), "3:18", "the tag !!set is not supported", "write the value without the tag"),
        (of_message("{a: !x [1]}"), "3:18", "the tag !x is not supported", "write the value without the tag"),
        (of_message("{JMSPriority: 700}"), "3:28", "JMSPriority: 700 is outside the range 0 to 255", ""),
        (
            of_message("{headers: {a: 1}}"),
            "3:24",
            "headers: expected a simple value",
            "did you mean header",
        ),
        ("selector: a = 1\ncases:\n  - expect: matches", "3:5", "this case has no message", "add message: to it"),
        ("cases:\n  - {message: {}, expect: matches}", "2:5", "this case has no selector", "add selector: to it"),
        ("selector: a = 1", "1:1", "this document has no cases", "add cases: with a list"),
        ("selector: a = 1\ncases: {a: 1}", "2:8", "cases is a list, found a mapping", "begin each case with - name"),
        ("messages: [a]", "1:11", "messages is a mapping of names to messages, found a list", ""),
        ("- a", "1:1", "a document must be a mapping, found a list", "the keys are dialect, selector"),
        ("layout: ampq\ncases: []", "1:9", "there is no layout called 'ampq'", "did you mean amqp?"),
        ("a: [", "1:", "this is not YAML", ""),
        ("a: &x [*x]", "1:8", "the value of the anchor x contains", ""),
        ("a: " + "[" * 60 + "]" * 60, "", "there are more than 50 levels", ""),
    ],
)
def test_what_is_no_case_is_refused_at_its_place(text: str, message_field: str, message: str, hint: str) -> None:
    if not message:
        assert read_cases("cases.yaml", text)
        return
    with pytest.raises(CaseFileError) as caught:
        read_cases("cases.yaml", text)
    [finding] = caught.value.diagnostics
    assert finding.message.startswith(message)
    assert (finding.hint or "").startswith(hint)
    assert str(caught.value).startswith(f"cases.yaml:{message_field}")


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("", "1:1: cases.json: this is not JSON: Expecting value"),
        ("{} x", "1:4: cases.json: this is not JSON: Extra data"),
        ("{'a': 1}", "1:2: cases.json: this is not JSON: Expecting property name enclosed in double quotes"),
        ('{"a" 1}', "1:6: cases.json: this is not JSON: Expecting ':' delimiter"),
        ('{"a": 1 "b"}', "1:9: cases.json: this is not JSON: Expecting ',' delimiter"),
        ('{"a": "\\x"}', "1:8: cases.json: this is not JSON: Invalid \\escape"),
        ('{"a": 1, "a": 2}', "1:10: cases.key: the key 'a' occurs twice"),
        ('{"cases": [],\n "selectro": ""}', "2:2: cases.key: a document has no key 'selectro'"),
        ('[{"cases": [NaN]}]', "1:13: cases.json: this is not JSON: expected a value"),
        ("[" * 60 + "]" * 60, "cases.json: there are more than 50 levels"),
        ("[" * 60, "this is not JSON"),
    ],
)
def test_what_is_no_json_is_refused_at_its_place(text: str, expected_text: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        read_cases("cases.json", text)
    assert expected_text in str(caught.value)


def test_values_of_json_are_read_as_json_has_them() -> None:
    message = '{"a": -1.5e3, "b": "\\u00e9\\"", "c": true, "d": null, "e": 12345678901234}'
    text = (
        f'{{"selector": "a = -1500 AND b IS NOT NULL AND c", "cases": [{{"message": {message}, "expect": "matches"}}]}}'
    )
    [case] = read_cases("cases.json", text)
    assert run_case(case).passed
    assert case.written == '{"a": -1500.0, "b": "é\\"", "c": true, "d": null, "e": 12345678901234}'


@pytest.mark.parametrize("bomb", ["&a [1, 1]", "x"])
def test_work_is_bounded(bomb: str) -> None:
    if bomb == "x":
        text = "a: " + "x" * MAX_LENGTH
    else:
        anchors = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9))
        text = f"a0: &a0 [x]\n{anchors}"
    with pytest.raises(CaseFileError, match=r"there are more than|the text has"):
        read_cases("bomb.yaml", text)


def test_without_pyyaml_json_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "yaml", None)
    assert read_cases("cases.json", AS_JSON)
    with pytest.raises(CaseFileError, match="pip install PyYAML, or write it as JSON"):
        read_cases("cases.yaml", ORDERS)


def test_files_of_a_directory_are_found_by_their_names(tmp_path: Path) -> None:
    names = ("b.selectors.yaml", "a/c.selectors.json", "a/d.selectors.yml")
    for name in (*names, "x.yaml", ".git/y.selectors.yaml", "selectors.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(ORDERS, encoding="utf-8")
    assert [str(path.relative_to(tmp_path)) for path in find_files(tmp_path)] == [names[0], *names[1:]]


def test_the_plugin_knows_the_same_names() -> None:
    assert pytest_plugin.ENDINGS == PATTERNS


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.selectors.yaml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(CaseFileError, match="is not valid UTF-8: the byte at offset 0"):
        read_cases(file)


def values(text: str) -> Any:
    return read_cases("x.yaml", f"selector: ''\ncases: [{{expect: matches, message: {text}}}]")[0].written


def test_words_without_quotes_are_those_of_json() -> None:
    assert values("{a: true, b: False, c: null, d: 1, e: -1.5, f: 1.0e+3, g: '2024-06-24', h: .nan, i: '5'}") == (
        '{"a": true, "b": false, "c": null, "d": 1, "e": -1.5, "f": 1000.0, "g": "2024-06-24", "h": NaN, "i": "5"}'
    )
