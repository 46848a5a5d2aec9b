"""selector-sql check as a user runs it: the meaning of arguments, ignored files, exit codes, formats, hooks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given
from hypothesis import strategies as st

from tests.sizes import size
from transpiler.cli import main
from transpiler.language.selector.dialects import DIALECTS
from transpiler.tools.lint.formats import github, human, json_form, sarif, uri
from transpiler.tools.lint.run import Run, Text

ROOT = Path(__file__).parents[3]


ARTEMIS = (
    """<core xmlns="urn:activemq:core"><queue name="q"><filter string="hyphenated_props:a-b = 1"/></queue></core>"""
)


def check(*arguments: str, given: str = "") -> Result:
    result = CliRunner().invoke(main, ["check", *arguments], input=given)
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a small repository with selectors of all kinds, two of them wrong, and with files that contain none."""
    files = {
        "routes.sel": "# routes\ncolor = 'red'\nweight = big\n",
        "etc/broker.xml": '<core xmlns="urn:activemq:core"><queue name="q"><filter string="x == 1"/></queue></core>',
        "etc/definitions.json": '{"bindings": [{"arguments": {"rjms_selector": "color = \'red\'"}}]}',
        "src/Listener.java": "class A { String messageSelector = \"type = 'a'\"; }",
        "notes.txt": "not a selector\n",
        "node_modules/a.sel": "x == 1\n",
        ".hidden/a.sel": "x == 1\n",
        "k8s.yaml": "spec:\n  selector:\n    app: x\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "given", "code", "printed"),
    [
        (["routes.sel"], "", 1, "routes.sel:3:10: warning: lint.unquoted-word"),
        (["."], "", 1, "1 error, 1 warning in 2 of 5 selectors, 5 files"),
        (["etc", "src"], "", 1, "etc/broker.xml:1:67: syntax.operator"),
        (["src"], "", 0, "no findings: 1 selector, 1 file; read: src/Listener.java:1"),
        (["--file", "routes.sel"], "", 1, "routes.sel:3:10: "),
        (["routes.sel", "--exit-zero"], "", 0, "1 warning in 1 of 2 selectors, 1 file"),
        # An argument that names no file is a selector, unless it looks like a file name.
        (["color = 'red'"], "", 0, ""),
        (["active"], "", 0, ""),
        (["a = red", "b == 1"], "", 1, "argument 2:1:3: syntax.operator"),
        (["missing.sel"], "", 2, "there is no file 'missing.sel'; if it is a selector, write -e 'missing.sel'"),
        (["etc/missing"], "", 2, "there is no file 'etc/missing'"),
        (["-e", "color.red"], "", 0, ""),
        (["-e", "routes.sel"], "", 0, ""),
        ([], "", 2, "nothing to check"),
        (["--file", "missing.sel"], "", 2, "file 'missing.sel' does not exist"),
        (["-"], "a = red\n", 1, "standard input:1:5: "),
        (["-", "--stdin-filename", "A.java"], 'setMessageSelector("a = red");', 1, "A.java:1:25: "),
        (["-", "--stdin-filename", "b.xml"], '<a messageSelector="a == 1"/>', 1, "b.xml:1:23: syntax.operator"),
        (["-", "--stdin-filename", "b.xml"], "<selector>", 2, "b.xml:1:11: this is not XML"),
        (["-"], "", 0, "no findings: 0 selectors, 1 file"),
        # A broker's own file determines the dialect.
        (["-", "--stdin-filename", "b.xml"], ARTEMIS, 0, "no findings: 1 selector, 1 file"),
        (["-", "--stdin-filename", "b.xml", "--dialect", "jms"], ARTEMIS, 1, "syntax.prefix"),
        # Severities, and selected rules.
        (["region <> 'eu'"], "", 0, "info: lint.may-be-absent: this does not select messages without region"),
        (["a = red", "--select", "never-true"], "", 0, ""),
        (["a = red", "--select", "lint"], "", 1, "lint.unquoted-word"),
        (["a == 1", "--select", "syntax,lint"], "", 1, "syntax.operator"),
        (["a = red", "--select", "error"], "", 0, ""),
        (["a = red", "--ignore", "unquoted-word,lint.implied"], "", 0, ""),
        (["a = red", "--ignore", "warning"], "", 0, ""),
        (["a = red", "--select", "unquoted-wrd"], "", 2, "did you mean lint.unquoted-word?"),
        (["a = red", "--ignore", "nonsense"], "", 2, "there is no rule called 'nonsense'"),
        # Several dialects: a diagnostic that holds in some of them names these.
        (['color = "red"', "--dialect", "jms", "--dialect", "rabbitmq"], "", 1, "begins nothing in JMS [jms]"),
        (["a = red", "--dialect", "jms,artemis"], "", 1, "is the name of a property here, not text\n"),
        (["a = 1", "--dialect", "artemsi"], "", 2, "did you mean artemis?"),
        (["AMQSize > 5", "--dialect", "artemis-core"], "", 0, "info: name.unreadable: AMQSize cannot be read"),
        (["AMQSize > 5", "--dialect", "artemis", "--schema", "a INT"], "", 1, "name.unreadable: AMQSize cannot be"),
        (["colour = 'red'", "--schema", "color STRING"], "", 1, "did you mean color?"),
        (["colour = 'red'", "--schema", "color STRING", "--missing", "null"], "", 0, ""),
        (["JMSTimestamp = '2024-06-01'"], "", 1, "write the milliseconds since 1970-01-01: 1717200000000"),
        (["id IN ('" + "','".join(map(str, range(99))) + "')", "--dialect", "rabbitmq"], "", 1, "limit.tokens"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_check_answers(arguments: list[str], given: str, code: int, printed: str) -> None:
    result = check(*arguments, given=given)
    assert result.exit_code == code, result.output
    assert printed in result.output


@pytest.mark.parametrize(
    ("name", "text", "codes"),
    [
        ("a.sel", "# selector-sql: ignore[unquoted-word]\na = red\na = blue\n", ["lint.unquoted-word"]),
        ("a.sel", "a = red  # selector-sql: ignore\nb == 1 # selector-sql: ignore[lint]\n", ["syntax.operator"]),
        ("a.sel", "a = red  # selector-sql: ignore[error, warning]\n", []),
        ("a.sel", "a = red  # selector-sql: ignore[nonsense]\n", ["lint.unquoted-word", "check.unknown-rule"]),
        ("a.xml", "<a>\n<!-- selector-sql: ignore[syntax] -->\n<b messageSelector='a == 1'/></a>", []),
        ("A.java", '// selector-sql: ignore[unquoted-word]\nsetMessageSelector("a = red");', []),
        ("A.java", 'setMessageSelector("a = 1 " + // selector-sql: ignore\n  "AND b == 5");', []),
        ("a.yaml", "messageSelector: a = red  # selector-sql: ignore[lint.unquoted-word]\n", []),
        ("a.properties", "# selector-sql: ignore\njms.selector=a = red\n", []),
    ],
)
def test_comments_ignore_rules(name: str, text: str, codes: list[str]) -> None:
    report = Run().report([Text(text, name)])
    assert [found.diagnostic.code for found in report.findings] == codes


def test_selectors_that_others_contain_are_noted_in_selector_files_and_arguments() -> None:
    text = "color = 'red'\ncolor = 'red' AND weight > 5\nweight > 5\n color='red'\n"
    found = [(one.location.line, one.diagnostic.message) for one in Run().report([Text(text, "a.sel")]).findings]
    assert found == [
        (2, "line 1 selects all of these messages too"),
        (4, "line 1 is the same selector"),
    ]
    java = 'setMessageSelector("a = 1"); setMessageSelector("a = 1 AND b = 2");'
    assert not Run().report([Text(java, "A.java")]).findings


def test_a_finding_in_joined_literals_is_under_the_characters_in_the_file() -> None:
    java = "setMessageSelector(\n    \"color = 'a' AND \"\n    + \"color = 'b'\");\n"
    (block,) = human(Run().report([Text(java, "A.java")])).strip().split("\n\n")
    assert block.splitlines()[:3] == [
        "A.java:3:8: warning: lint.never-true: this is never true together with color = 'a'",
        "  3 |     + \"color = 'b'\");",
        "    |        ^^^^^^^^^^^",
    ]


def test_the_findings_of_a_directory_go_on_behind_a_file_that_does_not_read(repository: Path) -> None:
    (repository / "bad.xml").write_text("<selector>", encoding="utf-8")
    (repository / "latin.java").write_bytes(b"// selector \xe9")
    result = check(".")
    assert result.exit_code == 1
    assert "bad.xml:1:11: skipped: this is not XML" in result.output
    assert "latin.java: skipped: it is not UTF-8" in result.output
    assert "routes.sel:3:10" in result.output
    result = check("bad.xml", "routes.sel")
    assert result.exit_code == 2
    assert "bad.xml:1:11: this is not XML: no element found" in result.output
    assert "routes.sel:3:10" in result.output


def test_xml_in_another_encoding_and_files_with_a_mark_and_crlf(repository: Path) -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a messageSelector="é == 1"/>'
    (repository / "latin.xml").write_bytes(text.encode("iso-8859-1"))
    assert "latin.xml:2:23: syntax.operator" in check("latin.xml").output
    (repository / "mark.sel").write_bytes("\ufeffa == 1\r\nb == 2\r\n".encode())
    assert re.findall(r"mark.sel:(\d+:\d+)", check("mark.sel").output) == ["1:3", "2:3"]


@pytest.mark.usefixtures("repository")
def test_json_has_places_in_the_file() -> None:
    entries = json.loads(check("etc", "--format", "json").stdout)
    assert entries == [
        {
            "version": 1,
            "code": "syntax.operator",
            "severity": "error",
            "message": "equality is written with a single =",
            "hint": "write x = 1",
            "file": "etc/broker.xml",
            "line": 1,
            "column": 67,
            "end_line": 1,
            "end_column": 69,
            "selector": "x == 1",
            "start": 2,
            "end": 4,
            "help": "selector-sql rule syntax.operator",
            "fix": {"text": "=", "certain": True, "line": 1, "column": 67, "end_line": 1, "end_column": 69},
        }
    ]


def test_workflow_commands_are_escaped(repository: Path) -> None:
    (repository / "a,b:c%.sel").write_text("a LIKE '%'\nregion <> 'eu'\n", encoding="utf-8")
    assert check("a,b:c%.sel", "--format", "github").stdout.splitlines() == [
        "::warning file=a%2Cb%3Ac%25.sel,line=1,endLine=1,col=8,endColumn=11,title=lint.like-any-text::"
        "every text matches %25: this asks if a is text (write a IS NOT NULL)",
        "::notice file=a%2Cb%3Ac%25.sel,line=2,endLine=2,col=1,endColumn=15,title=lint.may-be-absent::"
        "this does not select messages without region (if it should, write (region <> 'eu' OR region IS NULL))",
    ]


def test_sarif_has_the_rules_and_places_that_code_scanning_shows(repository: Path) -> None:
    (repository / "a b#%é.sel").write_text("a = red\nregion <> 'eu'\n", encoding="utf-8")
    log = json.loads(check(".", "--format", "sarif").stdout)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({result["ruleId"] for result in run["results"]})
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["markdown"]
        # No page of rules has a public address yet, so that the help names a command.
        assert "://" not in json.dumps(rule)
        assert rule["help"]["text"].endswith(f"selector-sql rule {rule['id']}")
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region["startColumn"]) < (region["endLine"], region["endColumn"])
    locations = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert locations[0]["artifactLocation"]["uri"] == "a%20b%23%25%C3%A9.sel"
    assert locations[0]["region"] | {"snippet": None} == {
        "startLine": 1,
        "startColumn": 5,
        "endLine": 1,
        "endColumn": 8,
        "snippet": None,
    }
    assert uri("/tmp/a b.sel") == "file:///tmp/a%20b.sel"


@pytest.mark.usefixtures("repository")
def test_colours_are_for_terminals_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in check("routes.sel").output
    for terminal, no_color, coloured in (("xterm", "", True), ("dumb", "", False), ("xterm", "1", False)):
        monkeypatch.setenv("TERM", terminal)
        monkeypatch.setenv("NO_COLOR", no_color)
        output = CliRunner().invoke(main, ["check", "routes.sel"], color=True).output
        assert ("\x1b[33m\x1b[1mwarning" in output) is coloured


@given(st.text(max_size=40), st.sampled_from(list(DIALECTS)))
@example("JMSMessageID LIKE '%' AND a-b = 'x' OR 1 = 1", "artemis")
def test_any_text_has_findings_inside_it_in_every_format(text: str, dialect: str) -> None:
    selector = text.replace("\r", " ")
    report = Run(dialects=(DIALECTS[dialect],)).report(
        [Text(selector), Text(f"setMessageSelector({text!r});", "A.java")]
    )
    for found in report.findings:
        if found.file is None:
            lines = selector.split("\n")
            assert 1 <= found.location.column <= len(lines[found.location.line - 1]) + 1
    human(report)
    assert isinstance(json.loads(json_form(report)), list)
    assert json.loads(sarif(report, "1"))["version"] == "2.1.0"
    assert all(line.startswith("::") for line in github(report).splitlines())


def test_all_of_twenty_thousand_selectors_are_checked() -> None:
    shapes = ("color = 'c{0}' AND weight > {1}", "region IN ('a{0}', 'b{1}') OR JMSPriority > 4", "t LIKE 'x{0}%'")
    count = size(2_000, 20_000)
    text = "\n".join(shapes[number % 3].format(number, number % 97) for number in range(count))
    assert Run().report([Text(text, "a.sel")]).selectors == count


def test_the_summary_ends_with_the_selectors_that_are_not_read(repository: Path) -> None:
    code = "\n".join(f'c.setMessageSelector("a = " + {name});' for name in "abcd")
    (repository / "src" / "Orders.java").write_text(f'c.setMessageSelector("a = 1");\n{code}\n', encoding="utf-8")
    result = check("src")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1] == (
        "no findings: 2 selectors, 2 files; read: src/Listener.java:1, src/Orders.java:1; "
        "4 selectors not read (4 judged in part): src/Orders.java:2, src/Orders.java:3, src/Orders.java:4 and 1 more"
    )


def test_a_finding_is_one_line_for_an_editor(repository: Path) -> None:  # noqa: ARG001
    result = check("routes.sel", "etc/broker.xml", "--format", "oneline")
    assert [line.partition(": ")[0] for line in result.stdout.splitlines()] == [
        "routes.sel:3:10",
        "etc/broker.xml:1:67",
    ]
    assert result.stdout.startswith("routes.sel:3:10: warning: lint.unquoted-word: big is the name")


def test_equal_notes_of_many_files_are_one_block(tmp_path: Path) -> None:
    for number in range(7):
        calls = f's.createConsumer(q, "n <> 5"); s.createConsumer(q, "m LIKE \'x{number}\'");'
        text = f"class A{number} {{ void f(Session s, Queue q) throws JMSException {{ {calls} }} }}"
        (tmp_path / f"A{number}.java").write_text(text)
    result = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert result.stdout.count("this does not select messages without n") == 1
    [line] = (line for line in result.stdout.splitlines() if "more places" in line)
    assert line.startswith(f"  and at 6 more places: {tmp_path / 'A1.java'}:1:")
    assert line.endswith(", …")
    # Warnings have a block each, and so do findings in the forms for editors and programs.
    assert result.stdout.count("lint.like-without-wildcard") == 7
    lines = CliRunner().invoke(main, ["check", str(tmp_path), "--format", "oneline"]).stdout
    assert lines.count("this does not select messages without n") == 7
