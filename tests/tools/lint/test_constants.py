"""Selectors in constants of other files, and selectors of which a part is known only at run time."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from transpiler.cli import main
from transpiler.language.selector.dialects import JMS
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.embedded import Declarations, FoundSelector, find_selectors
from transpiler.tools.lint.embedded.selector_patterns import HOLE
from transpiler.tools.lint.embedded.selector_text import plain
from transpiler.tools.lint.holes import judge_in_part

_JAVA = 'package shop; public final class Filters { public static final String PAID = "a = 1"; }'
_USES = "setMessageSelector"

#: Files, the first of which uses a constant, and its selectors: the text, or the reason why it cannot be read.
CASES: tuple[tuple[dict[str, str], list[str]], ...] = (
    ({"A.java": f"c.{_USES}(Filters.PAID);", "Filters.java": _JAVA}, ["a = 1"]),
    ({"A.java": f"c.{_USES}(shop.Filters.PAID);", "Filters.java": _JAVA}, ["a = 1"]),
    ({"A.java": f'c.{_USES}("(" + Filters.PAID + ")");', "Filters.java": _JAVA}, ["(a = 1)"]),
    ({"A.java": f"c.{_USES}(Filters.PAID.trim());", "Filters.java": _JAVA}, ["a = 1"]),
    ({"A.java": f"c.{_USES}(Filters.LATE);", "Filters.java": _JAVA}, ["a constant of Filters, not found here"]),
    ({"A.java": f"c.{_USES}(Filters.PAID);"}, ["a constant of Filters, not found here"]),
    ({"A.java": f"c.{_USES}(filters.paid);", "Filters.java": _JAVA}, [""]),
    # A type in a file of another name, and a nested type.
    (
        {
            "A.java": f"c.{_USES}(Filters.PAID);",
            "All.java": 'class All { static class Filters { String PAID = "b=1"; } }',
        },
        ["b=1"],
    ),
    # A static import, an inherited constant, an interface.
    (
        {
            "A.java": f"import static shop.Filters.PAID;\nclass A {{ void a() {{ c.{_USES}(PAID); }} }}",
            "Filters.java": _JAVA,
        },
        ["a = 1"],
    ),
    (
        {
            "A.java": f"import static shop.Filters.*;\nclass A {{ void a() {{ c.{_USES}(PAID); }} }}",
            "Filters.java": _JAVA,
        },
        ["a = 1"],
    ),
    ({"A.java": f"class A extends Filters {{ void a() {{ c.{_USES}(PAID); }} }}", "Filters.java": _JAVA}, ["a = 1"]),
    (
        {"A.java": f"class A implements B, Filters {{ void a() {{ c.{_USES}(PAID); }} }}", "Filters.java": _JAVA},
        ["a = 1"],
    ),
    ({"A.java": f"class A {{ void a() {{ c.{_USES}(PAID); }} }}", "Filters.java": _JAVA}, [""]),
    # A constant that refers to a constant, and a constant that refers to itself.
    (
        {
            "A.java": f"c.{_USES}(Two.X);",
            "Two.java": 'class Two { String X = "b = 1 AND " + Filters.PAID; }',
            "Filters.java": _JAVA,
        },
        ["b = 1 AND a = 1"],
    ),
    (
        {
            "A.java": f"c.{_USES}(B.X);",
            "B.java": "class B { String X = C.X; }",
            "C.java": "class C { String X = B.X; }",
        },
        ["a constant of B, not found here"],
    ),
    # Two types of the same name: an import decides, or the directory.
    (
        {
            "x/A.java": f"import two.Filters;\nc.{_USES}(Filters.PAID);",
            "one/Filters.java": 'class Filters { String PAID = "b = 1"; }',
            "two/Filters.java": 'class Filters { String PAID = "c = 1"; }',
        },
        ["c = 1"],
    ),
    (
        {
            "one/A.java": f"c.{_USES}(Filters.PAID);",
            "one/Filters.java": 'class Filters { String PAID = "b = 1"; }',
            "two/Filters.java": 'class Filters { String PAID = "c = 1"; }',
        },
        ["b = 1"],
    ),
    (
        {
            "x/A.java": f"c.{_USES}(Filters.PAID);",
            "one/Filters.java": 'class Filters { String PAID = "b = 1"; }',
            "two/Filters.java": 'class Filters { String PAID = "c = 1"; }',
        },
        ["a constant of Filters, which several files declare"],
    ),
    # A variable that is assigned again is not a constant.
    (
        {
            "A.java": f"c.{_USES}(Filters.PAID);",
            "Filters.java": 'class Filters { String PAID = "a"; void x() { PAID = y; } }',
        },
        ["a constant of Filters, not found here"],
    ),
    # Kotlin, Scala, Go, Python, TypeScript, C#.
    ({"A.kt": f"c.{_USES}(Consts.PAID)", "Consts.kt": 'object Consts { const val PAID = "a = 1" }'}, ["a = 1"]),
    ({"A.kt": f"c.{_USES}(PAID)", "B.kt": 'const val PAID = "a = 1"'}, ["a = 1"]),
    (
        {"x/A.kt": f"import y.PAID\nfun a() {{ c.{_USES}(PAID) }}", "y/B.kt": 'const val PAID = "a = 1"'},
        ["a = 1"],
    ),
    (
        {"A.kt": f"c.{_USES}(B.PAID)", "B.kt": 'class B { companion object { const val PAID = "a = 1" } }'},
        ["a = 1"],
    ),
    ({"A.java": f"c.{_USES}(Filters.PAID);", "Filters.kt": 'object Filters { const val PAID = "a = 1" }'}, ["a = 1"]),
    ({"A.scala": f"c.{_USES}(F.Paid)", "F.scala": 'object F { val Paid = "a = 1" }'}, ["a = 1"]),
    ({"q/a.go": "amqp.NewSelectorFilter(Paid)", "q/b.go": 'package q\nconst Paid = "a = 1"'}, ["a = 1"]),
    ({"q/a.go": "amqp.NewSelectorFilter(f.Paid)", "f/b.go": 'package f\nconst (\n\tPaid = "a = 1"\n)'}, ["a = 1"]),
    ({"q/a.go": "amqp.NewSelectorFilter(Paid)", "f/b.go": 'package f\nconst Paid = "a = 1"'}, [""]),
    (
        {"a.py": "from consts import PAID\nc.set_message_selector(PAID)", "consts.py": 'PAID = "a = 1"'},
        ["a = 1"],
    ),
    (
        {"a.py": "from .consts import (X,\n  PAID as P)\nc.set_message_selector(P)", "consts.py": 'PAID = "a = 1"'},
        ["a = 1"],
    ),
    (
        {"a.py": "import shop.consts\nc.set_message_selector(consts.PAID)", "shop/consts.py": 'PAID = "a = 1"'},
        ["a = 1"],
    ),
    (
        {"a.py": "from consts import F\nc.set_message_selector(F.PAID)", "consts.py": 'class F:\n    PAID = "a = 1"'},
        ["a = 1"],
    ),
    ({"a.py": "c.set_message_selector(PAID)", "consts.py": 'PAID = "a = 1"'}, [""]),
    (
        {
            "a.ts": 'import { PAID } from "./consts";\nc.setMessageSelector(PAID)',
            "consts.ts": 'export const PAID = "a = 1";',
        },
        ["a = 1"],
    ),
    (
        {
            "a.js": "const { PAID } = require('./consts');\nc.setMessageSelector(PAID)",
            "consts.js": 'const PAID = "a = 1"; module.exports = { PAID };',
        },
        ["a = 1"],
    ),
    (
        {
            "a.ts": 'import * as F from "./consts";\nc.setMessageSelector(F.PAID)',
            "consts.ts": 'export const PAID = "a = 1";',
        },
        ["a = 1"],
    ),
    (
        {
            "A.cs": f"c.{_USES}(Filters.Paid);",
            "Filters.cs": 'static class Filters { public const string Paid = "a = 1"; }',
        },
        ["a = 1"],
    ),
    # Constants of files in another language are not found.
    (
        {"a.py": "c.set_message_selector(Filters.PAID)", "Filters.java": _JAVA},
        ["a constant of Filters, not found here"],
    ),
)


@pytest.mark.parametrize(("files", "expected"), CASES, ids=range(len(CASES)))
def test_a_constant_of_another_file_is_read(files: dict[str, str], expected: list[str]) -> None:
    declarations = Declarations(files.get)
    for name, text in files.items():
        declarations.add(text, name)
    name, text = next(iter(files.items()))
    found = list(find_selectors(text, name, declarations))
    assert [one.mapped.text if isinstance(one, FoundSelector) else one.reason for one in found] == expected
    for one in found:
        if isinstance(one, FoundSelector) and one.file is not None and not one.is_filled:
            start = one.mapped.starts[0]
            assert files[one.file][start : start + len(one.mapped.text)] == one.mapped.text


def _check(directory: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> Result:
    monkeypatch.chdir(directory)
    return CliRunner().invoke(main, ["check", ".", *options])


def test_a_finding_is_at_the_constant_and_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Filters.java").write_text('class Filters {\n  String PAID = "a == 1";\n}\n', encoding="utf-8")
    for name in ("A", "Z"):
        text = f"class {name} {{ void a() {{ c.setMessageSelector(Filters.PAID); }} }} // jms\n"
        (tmp_path / f"{name}.java").write_text(text, encoding="utf-8")
    result = _check(tmp_path, monkeypatch)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "Filters.java:2:20: syntax.operator: equality is written with a single =",
        '  2 |   String PAID = "a == 1";',
        "    |                    ^^",
        "  a selector in A.java:1",
        "  hint: write a = 1",
    ]
    assert result.stderr == "1 error in 1 selector, 3 files\n"
    listed = _check(tmp_path, monkeypatch, "--list").stdout
    assert listed == "Filters.java:2:18: jms: a == 1  [setMessageSelector($), A.java:1]\n"


def test_an_ignore_comment_at_the_constant_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'class Filters {\n  String PAID = "a == 1"; // selector-sql: ignore\n}\n'
    (tmp_path / "Filters.java").write_text(text, encoding="utf-8")
    (tmp_path / "A.java").write_text("class A { void a() { c.setMessageSelector(Filters.PAID); } }", encoding="utf-8")
    result = _check(tmp_path, monkeypatch)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "1 ignored" in result.stderr


def test_fix_corrects_the_constant_in_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Filters", "Z"):
        (tmp_path / f"{name}.java").write_text(f'class {name} {{\n  String PAID = "a == 1";\n}}\n', encoding="utf-8")
    text = "class M { void a() { c.setMessageSelector(Filters.PAID); c.setMessageSelector(Z.PAID); } }"
    (tmp_path / "M.java").write_text(text, encoding="utf-8")
    result = _check(tmp_path, monkeypatch, "--fix")
    assert (result.exit_code, result.stdout) == (0, "")
    for name in ("Filters", "Z"):
        assert '"a = 1"' in (tmp_path / f"{name}.java").read_text(encoding="utf-8")


#: Selectors with an unknown part (``#``), and the codes of the certain diagnostics; None if nothing can be checked.
HOLES: tuple[tuple[str, list[str] | None], ...] = (
    ("weight > # AND color == 'red'", ["syntax.operator"]),
    ("color = '#' AND", ["syntax.unexpected-end"]),
    ("JMSPriorty = #", ["lint.unknown-header"]),
    ("JMSPriority = '5' AND a = #", ["lint.text-for-number"]),
    ("a IN (#)", []),
    ("a IN ('x', #)", []),
    ("a IN ('x' #", []),
    ("a # 5 # b = 1", []),
    ("NOT #", []),
    ("# AND x = NULL", ["syntax.unexpected-token"]),
    ("a LIKE '#' ESCAPE 'xx'", ["syntax.escape"]),
    ("color = 'red#", None),
    ("color = #", []),
    ("#", None),
    ("(#)", None),
    ("'#'", None),
    ("# AND # AND # AND # AND # AND a == 1", None),
    ("a = 'x' AND #", []),
    ("a = #b", []),
)


@pytest.mark.parametrize(("text", "codes"), HOLES)
def test_what_no_value_can_mend_is_reported(text: str, codes: list[str] | None) -> None:
    judged = judge_in_part(plain(text.replace("#", HOLE)), JMS, Checker())
    assert (None if judged is None else [finding.diagnostic.code for finding in judged.findings]) == codes


_VALUES = st.sampled_from(
    ["5", "'red'", "a", "a = 1", "1, 2", "'x', 'y'", "", "IS NULL", "IN ('a')", "BETWEEN 1 AND 2"]
)
_PIECES = st.sampled_from(
    ["a = 1", " AND ", " OR ", "b", " = ", "'x'", "(", ")", " IN ", "NOT ", "==", " > ", "5", ", ", " LIKE "]
)


@given(st.lists(st.one_of(_PIECES, st.just(HOLE)), min_size=1, max_size=8), st.data())
def test_an_error_that_is_certain_is_one_for_every_value(pieces: list[str], data: st.DataObject) -> None:
    judged = judge_in_part(plain("".join(pieces)), JMS, Checker())
    if judged is not None and any(finding.diagnostic.severity == "error" for finding in judged.findings):
        filled = "".join(data.draw(_VALUES) if piece == HOLE else piece for piece in pieces)
        findings = Checker().check(filled).findings
        assert any(finding.diagnostic.severity == "error" for finding in findings), filled
