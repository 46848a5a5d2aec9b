"""Fixes: which diagnostics have one, which fixes are certain, and how they are written with the file's escapes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.sizes import is_full
from transpiler.cli import main
from transpiler.language.selector.broker_dialects import ARTEMIS, RABBITMQ
from transpiler.language.selector.dialects import JMS, Dialect, find_dialect
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.embedded import FoundSelector, find_selectors
from transpiler.tools.lint.fixes import fix_all, fix_file
from transpiler.tools.lint.registry import RULES
from transpiler.tools.lint.rule import Rule


@pytest.mark.parametrize(
    ("selector", "dialect", "corrected"),
    [
        ("a == 1", JMS, "a = 1"),
        ("a=1&&b=2||c=3", JMS, "a=1 AND b=2 OR c=3"),
        ("(a = 1)&&!(b = 2)", JMS, "(a = 1) AND NOT(b = 2)"),
        ("a != 1 AND b === 'x'", JMS, "a <> 1 AND b = 'x'"),
        ("a ! = 1", JMS, "a <> 1"),
        ("a ≥ 1", JMS, "a >= 1"),
        ("a !> 1", JMS, "a <= 1"),
        ("JMSType = ’car’ AND color = ‘blue’", JMS, "JMSType = 'car' AND color = 'blue'"),
        ("a = NULL OR b <> null", JMS, "a IS NULL OR b IS NOT NULL"),
        ("weight > '2500' AND weight < ' 3000.5 '", JMS, "weight > 2500 AND weight < 3000.5"),
        ("a = 1 and b = 2", RABBITMQ, "a = 1 AND b = 2"),
        # Only a person can know what is meant.
        ('color = "red"', JMS, None),
        ("a = 'x' || 'y'", JMS, None),
        ("color = red", JMS, None),
        ("JMSPriorty > 4", JMS, None),
        ("a = 1 OR b = 2 AND c = 3", JMS, None),
        ("account > '00123'", JMS, None),
        ("weight = '5'", JMS, None),
        ("a != 1", RABBITMQ, None),
        ("a =", JMS, None),
    ],
)
def test_what_can_mean_one_thing_only_is_corrected(selector: str, dialect: Dialect, corrected: str | None) -> None:
    text, fixes = fix_all(selector, [dialect])
    assert text == (selector if corrected is None else corrected)
    assert bool(fixes) == (corrected is not None)


_words = st.sampled_from("a b = == != && || AND OR NOT ! NULL IS IN LIKE ( ) 1 '2' \"x\" ’y’ ≥ , < >".split())


@given(st.lists(_words, max_size=9).map(" ".join))
def test_a_correction_never_breaks_a_selector_and_comes_to_an_end(selector: str) -> None:
    before = Checker().check(selector).trees
    text, fixes = fix_all(selector, [JMS])
    assert fix_all(text, [JMS]) == (text, [])
    assert len(fixes) < 50
    if before:
        assert Checker().check(text).trees


@pytest.mark.parametrize(
    ("name", "text", "corrected"),
    [
        ("a.xml", "<a messageSelector='x == &apos;y&apos; &amp;&amp; z &gt; 5'/>", "x = &apos;y&apos; AND z &gt; 5"),
        ("a.xml", "<a messageSelector='x !> 5'/>", "x &lt;= 5"),
        ("a.java", 'f.setMessageSelector("a == 1 " +\n  "&& b ≥ 2");', '"a = 1 " +\n  "AND b >= 2"'),
        ("a.json", '{"messageSelector": "a == \\u0027x\\u0027"}', '"a = \\u0027x\\u0027"'),
        ("a.yaml", "jms.selector: 'a == ''x'' AND b = ’y’'", "'a = ''x'' AND b = ''y'''"),
        ("a.properties", "jms.selector=a == 'x' \\\n  && b = 1", "a = 'x' \\\n  AND b = 1"),
        ("a.sel", "a == 1 # selector-sql: ignore[syntax]\nb == 1\n", "a == 1 # selector-sql: ignore[syntax]\nb = 1\n"),
    ],
)
def test_a_file_is_corrected_in_its_own_escapes(name: str, text: str, corrected: str) -> None:
    changed, count = fix_file(text, name, (), Checker())
    assert count
    assert corrected in changed
    assert all(isinstance(one, FoundSelector) for one in find_selectors(changed, name))


def test_check_writes_corrections_and_reports_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.sel").write_bytes(b"\xef\xbb\xbfa == 1\r\nb = '5'\r\n")
    latin = b'<?xml version="1.0" encoding="latin-1"?><a messageSelector="c = &apos;\xe9&apos; AND a == 1"/>'
    Path("latin.xml").write_bytes(latin)
    result = CliRunner().invoke(main, ["check", "a.sel", "latin.xml", "--fix", "--format", "json"])
    assert Path("a.sel").read_bytes() == b"\xef\xbb\xbfa = 1\r\nb = '5'\r\n"
    assert [(one["file"], one["line"], one["code"]) for one in json.loads(result.stdout)] == [
        ("a.sel", 2, "lint.quoted-number"),
        ("latin.xml", 1, "syntax.operator"),
    ]
    assert result.stderr.splitlines() == [
        "a.sel: 1 correction written",
        "latin.xml: not corrected: it is not UTF-8, or its lines end in several ways",
    ]
    assert CliRunner().invoke(main, ["check", "a == 1", "--fix"]).exit_code == 2


def test_a_fix_is_data_at_its_place_in_json_and_sarif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("b.xml").write_text("<a messageSelector='x &lt; 1&amp;&amp;y = 2'/>", encoding="utf-8")
    [entry] = json.loads(CliRunner().invoke(main, ["check", "b.xml", "--format", "json"]).stdout)
    record = {"line": 1, "column": 29, "end_line": 1, "end_column": 39}
    assert entry["fix"] == {"text": " AND ", "certain": True, **record}
    [run] = json.loads(CliRunner().invoke(main, ["check", "b.xml", "--format", "sarif"]).stdout)["runs"]
    [fix] = run["results"][0]["fixes"]
    [change] = fix["artifactChanges"][0]["replacements"]
    region = {"startLine": 1, "startColumn": 29, "endLine": 1, "endColumn": 39}
    assert change == {"deletedRegion": region, "insertedContent": {"text": " AND "}}


def test_the_dialect_of_a_file_decides_on_corrections() -> None:
    filtered = '<filter string="a == 1 AND &quot;b&quot; = 2"/>'
    text = f'<core xmlns="urn:activemq:core"><queue name="q">{filtered}</queue></core>'
    changed, _ = fix_file(text, "broker.xml", (), Checker())
    assert 'string="a = 1 AND &quot;b&quot; = 2"' in changed
    assert Checker().check('"b" = 2', [ARTEMIS]).trees


@pytest.mark.parametrize("name", ["lint.repeated", "repeated"])
def test_the_page_of_a_rule_is_printed(name: str) -> None:
    result = CliRunner().invoke(main, ["rule", name])
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "# lint.repeated")


def test_an_unknown_rule_names_one_that_is_near() -> None:
    result = CliRunner().invoke(main, ["rule", "lint.repated"])
    hint = "did you mean lint.repeated?"
    assert (result.exit_code, result.output) == (2, f"there is no rule called 'lint.repated'\n  hint: {hint}\n")
    assert "| [lint.repeated]" in CliRunner().invoke(main, ["rule"]).stdout


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_a_fix_brings_no_finding_of_its_own(rule: Rule) -> None:
    dialect = find_dialect(rule.dialect)
    longer = (f"({rule.wrong}) AND zz = 1", f"NOT ({rule.wrong})") if is_full() or len(rule.wrong) < 10_000 else ()
    for text in (*rule.wrong.split("\n"), *longer, rule.right):
        before = {one.diagnostic.code for one in Checker().check(text, [dialect]).findings}
        changed, fixes = fix_all(text, [dialect])
        after = Checker().check(changed, [dialect]).findings
        new = [one.diagnostic for one in after if one.diagnostic.code not in before]
        assert not fixes or not [one for one in new if one.severity != "info"], (text, changed)


def test_a_change_that_means_something_else_is_not_made() -> None:
    text = "amqp.annotation.x-opt-offset > '100'"
    assert fix_all(text, [JMS]) == (text, [])
    assert not Checker().check(text).findings


#: Program that fixes a file but may write at most four bytes: it then gets an error or is killed.
LIMITED = """
import resource, signal, sys
from transpiler.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))
if sys.argv[1] == "killed":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
sys.argv = ["selector-sql", "check", "--fix", "--format", "json", "a.sel"]
main()
"""


@pytest.mark.full
@pytest.mark.parametrize("how", ["error", "killed"])
def test_a_correction_that_cannot_be_written_leaves_the_file_and_no_other(tmp_path: Path, how: str) -> None:
    (tmp_path / "a.sel").write_text("kind == 5\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, how], cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
    )
    assert (tmp_path / "a.sel").read_text(encoding="utf-8") == "kind == 5\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.sel"]
    if how == "error":
        assert "a.sel: not corrected: File too large" in done.stderr
    else:
        assert done.returncode == -signal.SIGXFSZ


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("JMSPriority >= '7' AND region = NULL", "JMSPriority >= 7 AND region IS NULL"),
        ("a <> NULL || b == 1", "a IS NOT NULL OR b = 1"),
        ("a = NULL && JMSPriority = '7'", "a IS NULL AND JMSPriority = '7'"),
    ],
)
def test_corrections_go_on_from_words_to_types(text: str, expected: str) -> None:
    assert fix_all(text, [JMS])[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Only a person can know what the first condition means.
        ("a = 1 2 AND b == 2", "a = 1 2 AND b = 2"),
        ("a = 1 2 AND (b == 2 || c = NULL)", "a = 1 2 AND (b = 2 OR c IS NULL)"),
        ("(a == 1 AND b = 'x' 'y') OR c == 2 AND d <> NULL", "(a = 1 AND b = 'x' 'y') OR c = 2 AND d IS NOT NULL"),
        ("a == 1 AND OR b == 2", "a = 1 AND OR b = 2"),
        ("a = 1 (b == 2) OR c == 3", "a = 1 (b == 2) OR c = 3"),
        ("a = 1) AND b == 2", "a = 1) AND b = 2"),
        ("f(a) BETWEEN 1 AND 2 3 && b == 2", "f(a) BETWEEN 1 AND 2 3 AND b = 2"),
        ("a IN ('x', , 'y' OR 'z') && b == 2", "a IN ('x', , 'y' OR 'z') AND b = 2"),
        ("a = 1 2 AND weight > '2500' AND b = = 3 AND c == 1", "a = 1 2 AND weight > 2500 AND b = = 3 AND c = 1"),
        ("a > 'x' AND weight > '2500' AND b != 3", "a > 'x' AND weight > 2500 AND b <> 3"),
        # It is unknown where the literal or the list ends.
        ("a = 'x AND b == 2", "a = 'x AND b == 2"),
        ("a IN ('x' 'y' AND b == 2", "a IN ('x' 'y' AND b == 2"),
    ],
)
def test_corrections_go_on_behind_an_error_that_nobody_can_correct(text: str, expected: str) -> None:
    changed, fixes = fix_all(text, [JMS])
    assert changed == expected
    assert bool(fixes) == (changed != text)
    assert fix_all(changed, [JMS]) == (changed, [])
    content, count = fix_file(f"# selectors\n{text}\n", "a.sel", (), Checker())
    assert (content, count) == (f"# selectors\n{expected}\n", len(fixes))


@given(st.lists(_words, max_size=6).map(" ".join), st.lists(_words, max_size=6).map(" ".join))
def test_the_rest_of_a_filter_is_corrected_as_if_it_stood_alone(broken: str, rest: str) -> None:
    """A condition in parentheses that cannot be fixed does not prevent fixes of the other conditions."""
    checker = Checker()
    alone, fixes = fix_all(rest, [JMS])
    if not fixes or checker.check(alone).trees == () or rest.count('"') % 2 or "’" in broken + rest:
        return
    stuck = "(a = 1 2)"
    changed, _ = fix_all(f"{stuck} AND ({rest})", [JMS])
    assert changed == f"{stuck} AND ({alone})"


def _check_and_fix(*arguments: str) -> list[str]:
    return CliRunner().invoke(main, ["check", "--fix", "--format", "json", *arguments]).stderr.splitlines()


def test_a_link_that_leads_out_of_the_directory_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.sel").write_text("a == 1\n", encoding="utf-8")
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "b.sel").write_text("b == 1\n", encoding="utf-8")
    (tmp_path / "given" / "inside.sel").symlink_to("b.sel")
    (tmp_path / "given" / "out.sel").symlink_to("../outside.sel")
    reported = _check_and_fix(str(tmp_path / "given"))
    where = (tmp_path / "outside.sel").resolve()
    assert reported[-1] == (
        f"{tmp_path / 'given' / 'out.sel'}: not corrected: it is a link to {where}, outside of what was given"
    )
    assert (tmp_path / "outside.sel").read_text(encoding="utf-8") == "a == 1\n"
    assert (tmp_path / "given" / "b.sel").read_text(encoding="utf-8") == "b = 1\n"
    # A user who names the link means the file that it leads to.
    assert "1 correction written" in _check_and_fix(str(tmp_path / "given" / "out.sel"))[0]
    assert (tmp_path / "outside.sel").read_text(encoding="utf-8") == "a = 1\n"
    assert (tmp_path / "given" / "out.sel").is_symlink()


def test_a_file_that_is_read_only_or_has_other_names_is_left_as_it_is(tmp_path: Path) -> None:
    for name in ("fixed", "linked"):
        (tmp_path / f"{name}.sel").write_text("a == 1\n", encoding="utf-8")
    (tmp_path / "fixed.sel").chmod(0o444)
    os.link(tmp_path / "linked.sel", tmp_path / "other.name")
    reported = _check_and_fix(str(tmp_path / "fixed.sel"), str(tmp_path / "linked.sel"))
    assert [line.partition(": not corrected: ")[2] for line in reported] == [
        "it is read-only",
        "it has 2 names (hard links), and the new text would be under one of them only",
    ]
    assert all((tmp_path / name).read_text(encoding="utf-8") == "a == 1\n" for name in ("fixed.sel", "linked.sel"))


def test_a_file_keeps_its_owner_or_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.sel"
    file.write_text("a == 1\n", encoding="utf-8")
    if os.geteuid() == 0:
        os.chown(file, 4321, 1234)
    owner = file.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    expected_text = "it belongs to another user, and the new file would belong to you"
    assert _check_and_fix(str(file)) == [f"{file}: not corrected: {expected_text}"]
    assert file.read_text(encoding="utf-8") == "a == 1\n"
    monkeypatch.undo()
    assert _check_and_fix(str(file)) == [f"{file}: 1 correction written"]
    assert (file.stat().st_uid, file.read_text(encoding="utf-8")) == (owner, "a = 1\n")
