"""selector-sql check for a team: excluded files, a project's options, a baseline, lists, unread selectors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from transpiler.cli import main
from transpiler.tools.lint.registry import RULES, Selection
from transpiler.tools.lint.run import Run, Text

JAVA = """import jakarta.jms.*;
class A {
  static final String S = "kind == 1";
  void a() { s.createConsumer(q, S); }
  void b() { s.createConsumer(q, "weight > 5"); }
  void c() { s.createConsumer(q, "x = '" + name() + "'"); }
  // selector-sql: ignore[unread]
  void d() { s.createConsumer(q, build("y")); }
}
"""


def check(*arguments: str, given: str = "") -> Result:
    result = CliRunner().invoke(main, ["check", *arguments], input=given)
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("p/A.java", "p/gen/B.java", "p/deep/gen/C.java"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(JAVA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(result: Result) -> list[str]:
    return [line.split(":")[0] for line in result.stdout.splitlines() if ": syntax.operator: " in line]


@pytest.mark.parametrize(
    ("patterns", "files"),
    [
        ([], ["p/A.java", "p/deep/gen/C.java", "p/gen/B.java"]),
        (["p/gen"], ["p/A.java", "p/deep/gen/C.java"]),
        (["./p/gen/"], ["p/A.java", "p/deep/gen/C.java"]),
        (["gen"], ["p/A.java"]),
        (["**/gen/**"], ["p/A.java"]),
        (["*.java", "!A.java"], ["p/A.java"]),
        (["p/A.java", "p/deep"], ["p/gen/B.java"]),
    ],
)
@pytest.mark.usefixtures("project")
def test_exclude_leaves_files_and_directories_out(patterns: list[str], files: list[str]) -> None:
    options = [f"--exclude={pattern}" for pattern in patterns]
    result = check("p", *options)
    assert checked(result) == files
    assert ("left out: " in result.stderr) is (len(files) < 3)
    named = ["p/A.java", "p/gen/B.java", "p/deep/gen/C.java"]
    assert sorted(checked(check(*named, *options))) == files


def test_pyproject_has_the_options_of_a_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = '[tool.selector-sql]\ndialect = "activemq"\nexclude = ["/p/gen", "deep"]\nignore = ["unquoted-word"]\n'
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    (project / "r.sel").write_text("REGEX('^a+$', name)\na = b\n", encoding="utf-8")
    assert check("r.sel").exit_code == 0
    assert check("r.sel", "--dialect", "jms").exit_code == 1
    assert check("r.sel", "--ignore", "nothing-such").exit_code == 2
    assert "lint.unquoted-word" in check("r.sel", "--ignore", "repeated").stdout
    assert checked(check(".")) == ["p/A.java"]
    monkeypatch.chdir(project / "p")
    assert checked(check(".")) == ["A.java"]


@pytest.mark.parametrize(
    ("table", "expected_text"),
    [
        ("[tool.selector-sql]\ndialects = 'jms'", "has no key 'dialects'\n  hint: did you mean dialect?"),
        ("[tool.selector-sql]\nexclude = 5", "exclude must be a text, or a list of texts"),
        ("[tool.selector-sql]\nbaseline = ['a']", "baseline must be a text"),
        ("[tool.selector-sql]\ndialect = 'artemsi'", "did you mean artemis?"),
        ("[tool]\nselector-sql = 5", "must be a table"),
        ("[tool.selector-sql\n", "this is not TOML"),
    ],
)
def test_a_wrong_table_is_an_error(project: Path, table: str, expected_text: str) -> None:
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    result = check("p")
    assert result.exit_code == 2
    assert expected_text in result.stderr


def test_a_baseline_keeps_what_is_known_and_reports_what_is_new(project: Path) -> None:
    assert check("p", "--baseline", "base.json").exit_code == 2
    assert check("p", "--write-baseline").exit_code == 2
    result = check("p", "--baseline", "base.json", "--write-baseline")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "base.json: 3 findings written" in result.stderr
    result = check("p", "--baseline", "base.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no findings (3 ignored, 3 in the baseline)" in result.stderr
    # A diagnostic whose code moves is still known. Another one of the same kind is new, and so is the same one in
    # another file.
    (project / "p/A.java").write_text("\n\n" + JAVA, encoding="utf-8")
    assert check("p", "--baseline", "base.json").exit_code == 0
    extra = JAVA.replace('S = "kind == 1"', 'S = "kind == 1", T = "kind == 1"').replace("(q, S)", "(q, S); f(q, T)")
    (project / "p/A.java").write_text(extra.replace("f(q", "s.createConsumer(q"), encoding="utf-8")
    assert checked(check("p", "--baseline", "base.json")) == ["p/A.java"]
    shutil.copy(project / "p/gen/B.java", project / "p/D.java")
    assert checked(check("p/D.java", "--baseline", "base.json")) == ["p/D.java"]
    (project / "base.json").write_text("[]", encoding="utf-8")
    assert "is not a baseline" in check("p", "--baseline", "base.json").stderr


def test_a_baseline_is_found_from_every_directory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "pyproject.toml").write_text("[tool.selector-sql]\nbaseline = 'base.json'\n", encoding="utf-8")
    assert check("p", "--write-baseline").exit_code == 0
    monkeypatch.chdir(project / "p")
    assert check(".").exit_code == 0


@pytest.mark.usefixtures("project")
def test_a_list_has_every_selector_with_its_place_dialect_and_whence() -> None:
    result = check("p/A.java", "--list")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "p/A.java:3:28: jms: kind == 1  [createConsumer(_, $), line 4]",
        "p/A.java:5:35: jms: weight > 5  [createConsumer(_, $)]",
        "p/A.java:6:34: info: check.unread: "
        "the selector of createConsumer(_, $) is judged in part: the rest is known at run time only",
    ]
    entries = json.loads(check("p/A.java", "--list", "--format", "json").stdout)
    assert [(one["line"], one["selector"], one.get("used_line")) for one in entries] == [
        (3, "kind == 1", 4),
        (5, "weight > 5", 5),
        (6, None, None),
    ]
    data = 'messageSelector: a = 1\nx: b = 2  # selector[artemis]\n"jms:q?selector=c": 1\n'
    result = check("--as", "yaml", "-", "--list", given=data)
    assert [line.partition(": ")[2] for line in result.stdout.splitlines()] == [
        "jms: a = 1  [messageSelector]",
        "artemis: b = 2  [a comment]",
    ]


@pytest.mark.usefixtures("project")
def test_unread_places_are_in_every_format_and_human_has_an_option() -> None:
    unread = [one for one in json.loads(check("p", "--format", "json").stdout) if one["code"] == "check.unread"]
    assert [(one["file"], one["line"]) for one in unread] == [
        ("p/A.java", 6),
        ("p/deep/gen/C.java", 6),
        ("p/gen/B.java", 6),
    ]
    [run] = json.loads(check("p", "--format", "sarif").stdout)["runs"]
    assert [one["level"] for one in run["results"] if one["ruleId"] == "check.unread"] == ["note"] * 3
    assert check("p", "--format", "github").stdout.count("title=check.unread::") == 3
    for form in ("human", "oneline"):
        assert "check.unread" not in check("p", "--format", form).stdout
        assert check("p", "--format", form, "--unread").stdout.count("check.unread") == 3
    assert "check.unread" not in check("p", "--format", "json", "--ignore", "check.unread").stdout
    assert "not read" not in check("p", "--ignore", "unread").stderr


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_the_last_part_of_an_id_ignores_the_rule(rule: str) -> None:
    tail = rule.rpartition(".")[2]
    assert Selection.of((), (tail,)).ignored
    text = f'class I {{ void a() {{ s.setMessageSelector("a == 1"); }} }} // selector-sql: ignore[{tail}]\n'
    codes = [one.diagnostic.code for one in Run().report([Text(text, "I.java")]).findings]
    assert codes == ([] if tail == "operator" else ["syntax.operator"])


@pytest.mark.parametrize(
    ("call", "is_one"),
    [
        ("createConsumer(tenantId, handler)", False),
        ("createConsumer(tenantId, this::handle, x -> close())", False),
        ("createConsumer(String.class, dest)", False),
        ("createConsumer(queue, String.class)", False),
        ("createConsumer(session, queueName)", False),
        ('createConsumer(q, new Handler<Message>() { public void handle(Message m) { log("a"); } })', False),
        ("createConsumer(q, h)", False),
        ("createConsumer(q, RoutingType.Anycast, token)", False),
        ("createConsumer(q, n)", False),
        ("createConsumer(q, messageSelector)", True),
        ("createConsumer(q, expr)", True),
        ("createConsumer(q, t)", True),
        ("createConsumer(q, config.getSelector())", True),
    ],
)
def test_only_what_is_probably_a_selector_is_listed_as_unread(call: str, is_one: bool) -> None:
    text = f"import jakarta.jms.*; class A {{ void a(Handler<M> h, int n, String t) {{ s.{call}; }} }}"
    assert len(Run().report([Text(text, "A.java")]).unread) == is_one


@pytest.mark.parametrize("code", ["check.unread", "check.unknown-rule"])
def test_findings_of_the_check_itself_have_pages(code: str) -> None:
    result = CliRunner().invoke(main, ["rule", code])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"# {code}\n")


@pytest.mark.parametrize(("name", "hint"), [("nosuchrule", None), ("quotednumber", "lint.quoted-number")])
def test_an_unknown_rule_gets_a_near_name_or_none(name: str, hint: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.sel").write_text(f"# selector-sql: ignore[{name}]\na = 1\n", encoding="utf-8")
    output = CliRunner().invoke(main, ["check", str(tmp_path / "a.sel")]).stdout
    assert ("did you mean" in output) is (hint is not None)
    assert hint is None or hint in output
