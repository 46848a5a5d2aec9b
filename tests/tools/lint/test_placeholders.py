"""Placeholders in selectors are replaced by the project's properties. Others are reported with their keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from transpiler.cli import main
from transpiler.tools.lint.embedded import FoundSelector, UnreadSelector, find_selectors
from transpiler.tools.lint.embedded.placeholders import filled, read_properties

YAML = """
orders:
  type: paid
  min-weight: 5
  nested: ${other}
  shell: x
---
spring.config.activate.on-profile: test
orders:
  shell: y
"""
PROPERTIES = """
# A comment.
orders.selector = color = 'red' \\
    AND b = '\\u0041'
orders.messageSelector: x = 1
orders.type = paid
"""

#: The text of an annotation, and its selector: None if there is no selector, or the reason why it cannot be read.
CASES: tuple[tuple[str, str | None], ...] = (
    ("${orders.selector}", "color = 'red' AND b = 'A'"),
    ("${orders.message-selector}", "x = 1"),
    ("type = '${orders.type}' AND a = 1", "type = 'paid' AND a = 1"),
    ("w > ${orders.minWeight:3}", "w > 5"),
    ("w > ${orders.missing:3} AND c = '${orders.type}'", "w > 3 AND c = 'paid'"),
    ("${orders.missing:}", None),
    ("${orders.missing}", "${orders.missing} has no value"),
    ("${a.b} OR ${orders.type:x} OR ${a.b}", "${a.b} has no value"),
    # A value that contains a placeholder itself is not read.
    ("${orders.nested}", ""),
    ("#{config.selector}", ""),
    ("{{orders.type}}", ""),
    # A default in shell syntax has another form.
    ("${SELECTOR:-a = 1}", ""),
)


def properties() -> dict[str, dict[str, set[str]]]:
    found: dict[str, dict[str, set[str]]] = {}
    for text, suffix in ((YAML, ".yml"), (PROPERTIES, ".properties"), ("orders.type=no", ".conf"), ("a: [", ".yaml")):
        for profile, key, value in read_properties(text, suffix):
            found.setdefault(profile, {}).setdefault(key, set()).add(value)
    return found


@pytest.mark.parametrize(("written", "expected"), CASES, ids=[written for written, _ in CASES])
def test_a_placeholder_has_the_value_of_its_key_its_default_or_a_reason(written: str, expected: str | None) -> None:
    text = f'@JmsListener(selector = "{written}") class A {{}}'
    for one in filled(find_selectors(text, "A.java"), properties):
        seen = one.reason if isinstance(one, UnreadSelector) else one.mapped.text
        assert isinstance(one, FoundSelector) == ("AND" in seen or "=" in seen or ">" in seen)
        assert seen == expected
        return
    assert expected is None


def test_a_placeholder_in_a_file_within_a_file_has_its_value() -> None:
    text = "brokerProperties: \"queueConfigs.Q.filterString=type = '${orders.type}'\\n\""
    [one] = filled(find_selectors(text, "broker.yaml"), properties)
    assert isinstance(one, FoundSelector)
    assert (one.mapped.text, one.dialect) == ("type = 'paid'", "artemis-core")
    start, end = one.mapped.starts[8], one.mapped.ends[8]
    assert text[start:end] == "${orders.type}"


@pytest.mark.parametrize(
    ("written", "reason"),
    [(r"\${a}", "${a} has no value"), ("${a}", ""), (r"\\${a}", ""), (r"\\\${a}", "${a} has no value")],
)
def test_a_dollar_behind_a_backslash_is_no_name_of_kotlin(written: str, reason: str) -> None:
    [one] = filled(find_selectors(f'@JmsListener(selector = "{written}") fun f()', "A.kt"), dict)
    assert isinstance(one, UnreadSelector)
    assert one.reason == reason


LISTENER = '@JmsListener(destination = "orders", selector = "a = 1 AND ${orders.selector}")'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a project with a listener and without properties, as the current directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src/main/java/shop").mkdir(parents=True)
    (tmp_path / "src/main/resources").mkdir()
    (tmp_path / "src/main/java/shop/Orders.java").write_text(f"{LISTENER}\nclass Orders {{}}\n", encoding="utf-8")
    return tmp_path


def check(*arguments: str) -> list[str]:
    result = CliRunner().invoke(main, ["check", *arguments])
    return (result.stdout + result.stderr).splitlines()


def test_a_finding_in_a_value_is_at_the_placeholder_and_shows_the_selector(project: Path) -> None:
    (project / "src/main/resources/application.yml").write_text("orders:\n  selector: b == 'x'\n", encoding="utf-8")
    (project / "application.properties").write_text("unrelated=1\n", encoding="utf-8")
    lines = check("--fix", "src/main/java")
    assert lines == [
        "src/main/java/shop/Orders.java:1:60: syntax.operator: equality is written with a single =",
        f"  1 | {LISTENER}",
        f"    | {' ' * LISTENER.index('$')}{'^' * len('${orders.selector}')}",
        "  with the values of its names: a = 1 AND b == 'x'",
        "  hint: write b = 'x'",
        "1 error in 1 selector, 1 file",
    ]
    assert "${orders.selector}" in (project / "src/main/java/shop/Orders.java").read_text(encoding="utf-8")


#: The text of an annotation, and its selectors in the profiles of the files above and below.
BY_PROFILE: tuple[tuple[str, list[str]], ...] = (
    ("a = '${orders.shell}'", ["a = 'x'", "a = 'y'"]),
    # A profile that lacks a key has the common value, and values of two profiles are never mixed.
    (
        "a = '${orders.shell}' AND b = '${quarkus.b}'",
        ["a = 'x' AND b = '1'", "a = 'x' AND b = '2'", "a = 'y' AND b = '1'"],
    ),
    ("a = '${only.test}' OR b = '${orders.shell}'", ["a = 't' OR b = 'y'"]),
    ("a = '${only.test:d}'", ["a = 'd'", "a = 't'"]),
    ("a = '${twice}'", ["a = '1'", "a = '2'"]),
)


@pytest.mark.parametrize(("written", "selectors"), BY_PROFILE)
def test_a_key_with_values_by_profile_makes_a_selector_of_each(written: str, selectors: list[str]) -> None:
    found = properties()
    extra = "quarkus.b=1\n%dev.quarkus.b=2\n%test.only.test=t\ntwice=1\ntwice=2\n"
    for profile, key, value in read_properties(extra, ".properties"):
        found.setdefault(profile, {}).setdefault(key, set()).add(value)
    text = f'@JmsListener(selector = "{written}") class A {{}}'
    read = [one.mapped.text for one in filled(find_selectors(text, "A.java"), lambda: found) if one.mapped is not None]
    assert read == selectors


def test_a_key_of_several_profiles_is_read_with_each_and_the_summary_says_what_has_no_value(project: Path) -> None:
    record = "src/main/java/shop/Orders.java:1"
    hint = "give a key one value in application.properties or application.yml, or write ${key:default}"
    assert check("src/main/java") == [
        "no findings: 0 selectors, 1 file; 1 selector not read (1 judged in part): "
        f"{record} (${{orders.selector}} has no value); {hint}"
    ]
    for name, value in (("application.properties", "b = 1"), ("application-test.properties", "b = 2")):
        (project / "src/main/resources" / name).write_text(f"orders.selector={value}\n", encoding="utf-8")
    (project / "src/main/java/shop/Other.java").write_text((project / record[:-2]).read_text(encoding="utf-8"))
    locations = "read: src/main/java/shop/Orders.java:1, src/main/java/shop/Other.java:1"
    assert check(".")[-1] == f"no findings: 4 selectors, 4 files; {locations}"
    (project / "src/main/resources" / "application-test.properties").write_text("orders.selector=b == 2\n")
    lines = check("src/main/java")
    assert "  with the values of its names: a = 1 AND b == 2" in lines
    assert lines[-1] == "2 errors in 2 of 4 selectors, 2 files"
