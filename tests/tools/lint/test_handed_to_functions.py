"""Conditions that are passed to functions declared in other files of a directory."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from transpiler.cli import main
from transpiler.tools.lint.embedded import Declarations, FoundSelector, find_selectors

RULE = "class Rule { Rule(int id, String selector) { } static void subscribe(String mySelector, String name) { } }"

#: The declaring file, the calling file, and the selectors of the calling file; None for one that cannot be read.
CASES: tuple[tuple[tuple[str, str], tuple[str, str], list[str | None]], ...] = (
    (("Rule.java", RULE), ("A.java", 'class A { Rule r = new Rule(5, "x = 1"), s = new Rule(5, "red"); }'), ["x = 1"]),
    (("Rule.java", RULE), ("A.java", 'class A { void a() { Rule.subscribe("x = 1", "y = 1"); } }'), ["x = 1"]),
    (("Rule.java", RULE), ("A.java", 'class A { Rule r = new Rule(5, "x = " + y); }'), [None]),
    (
        ("Rule.java", RULE),
        ("A.java", 'class A { static final String X = "x = 1"; Rule r = new Rule(5, X + " OR y = 1"); }'),
        ["x = 1 OR y = 1"],
    ),
    # A function of the same name in a file that does not name the declaring one.
    (("Rule.java", RULE), ("A.java", 'class A { void a() { Other.subscribe("x = 1", "y"); } }'), []),
    (("Rule.java", RULE), ("a.sql", "-- Rule\nSELECT Rule(1, 'x = 1')"), []),
    (
        ("Rule.java", "class Rule { void a() { other(id, selector); } }"),
        ("A.java", 'class A { Rule r; void a() { r.other(id, "x = 1"); } }'),
        [],
    ),
    (
        ("helpers.py", "import stomp\ndef listen(queue, selector=None):\n    pass\n"),
        ("a.py", "from helpers import listen\nlisten('q', \"x = 'y'\")\nlisten('x = 1')\n"),
        ["x = 'y'"],
    ),
    (
        ("Check.java", "import javax.jms.*; class Check { static void matchesSelector(Message m, String text) { } }"),
        ("A.java", 'class A { void a() { Check.matchesSelector(m, "x = 1"); } }'),
        ["x = 1"],
    ),
    # No selectors: an exception's text about selectors, an operator alone, and a text with names of another language.
    (
        ("Bad.java", "class BadSelectorException { BadSelectorException(String text, String selector, int at) { } }"),
        ("A.java", 'class A { Bad b; void a() { throw new BadSelectorException("Invalid ==, use =", selector, i); } }'),
        [],
    ),
    (
        ("SelectorToken.java", "class SelectorToken { SelectorToken(int id, String text) { } }"),
        (
            "A.java",
            'class A { SelectorToken a = new SelectorToken(1, "<="), b = new SelectorToken(1, "x:a = \'b\'"),'
            " c = new SelectorToken(1, \"a = 'x:b'\"); }",
        ),
        ["a = 'x:b'"],
    ),
    # Go: a package is a directory, and files in other directories name the package.
    (
        ("mq/client.go", "package mq\nfunc (c *Client) Subscribe(queue, selector string) error { return nil }"),
        ("mq/other.go", 'package mq\nfunc a() { c.Subscribe("q", "x = 1"); c.Subscribe("q", "x") }'),
        ["x = 1"],
    ),
    (
        ("client/client.go", "package mq\nfunc Listen(ctx context.Context, selector string) {}"),
        ("cmd/mq.go", 'package main\nimport "x/mq"\nfunc main() { mq.Listen(ctx, "x = 1") }'),
        ["x = 1"],
    ),
    (
        ("mq/client.go", "package mq\nfunc Listen(ctx context.Context, selector string) {}"),
        ("other/a.go", 'package other\nfunc a() { Listen(ctx, "x = 1") }'),
        [],
    ),
    (
        ("cmd/run.go", "package main\nfunc run(selector string) {}"),
        ("other/main.go", 'package main\nfunc main() { run("x = 1") }'),
        [],
    ),
    # In a web page such a text is a CSS path.
    (
        ("page.js", "export function click(name, selector) {}"),
        ("a.js", "import {click} from 'page'; click('a', 'ul > li');"),
        [],
    ),
)


@pytest.mark.parametrize(("declares", "calls", "expected"), CASES, ids=range(len(CASES)))
def test_a_condition_is_read_where_another_file_declares_what_takes_it(
    declares: tuple[str, str], calls: tuple[str, str], expected: list[str | None]
) -> None:
    functions = Declarations()
    functions.add(declares[1], declares[0])
    functions.add("import javax.jms.*; void a(String selector) {}", "B.java")
    found = find_selectors(calls[1], calls[0], functions)
    assert [one.mapped.text if isinstance(one, FoundSelector) else None for one in found] == expected
    # The calling file alone does not show that it is a selector.
    assert not list(find_selectors(calls[1], calls[0]))


def test_without_messages_in_the_directory_a_selector_is_another_one() -> None:
    functions = Declarations()
    functions.add(RULE, "Rule.java")
    assert not list(find_selectors('class A { Rule r = new Rule(5, "x = 1"); }', "A.java", functions))


def test_the_files_of_a_directory_know_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Rule.java").write_text(f"import javax.jms.*; {RULE}", encoding="utf-8")
    (tmp_path / "A.java").write_text('class A { Rule r = new Rule(5, "x == 1"); }\n', encoding="utf-8")
    assert CliRunner().invoke(main, ["check", "A.java"]).exit_code == 0
    result = CliRunner().invoke(main, ["check", "."])
    assert (result.exit_code, result.stdout.partition(" ")[0]) == (1, "A.java:1:35:")
    assert CliRunner().invoke(main, ["check", ".", "--fix"]).exit_code == 0
    assert "x = 1" in (tmp_path / "A.java").read_text(encoding="utf-8")
