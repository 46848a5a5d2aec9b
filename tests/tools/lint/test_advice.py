"""Warnings of check are also given where selectors are compiled, and can be turned off there."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from transpiler import transpile_selector
from transpiler.cli import main

#: The selector, its columns, the dialect, and the code of the warning.
WARNED = (
    ("color LIKE '*bl*'", "color STRING", "jms", "lint.like-without-wildcard"),
    ("JMSTimestamp > 1700000000", "JMSTimestamp TIMESTAMP", "jms", "lint.time-in-seconds"),
    ("x BETWEEN 5 AND 1", "x INT", "jms", "lint.empty-range"),
    ("JMSPriority = 12", "JMSPriority INT", "jms", "lint.out-of-range"),
    ("order-type = 5", "`order` INT, type INT", "jms", "lint.hyphenated-name"),
    ("NOT color = 'blue'", "color STRING", "activemq", "type.unlike"),
    ("isActive = 'true'", "isActive STRING", "jms", "lint.quoted-boolean"),
    ("x = 0777", "x INT", "jms", "lint.octal-number"),
)


@pytest.mark.parametrize(("selector", "schema", "dialect", "code"), WARNED)
def test_a_compilation_has_the_warnings_of_check(selector: str, schema: str, dialect: str, code: str) -> None:
    assert code in {one.code for one in transpile_selector(selector, schema, dialect=dialect).diagnostics}
    lean = transpile_selector(selector, schema, dialect=dialect, lint=False).diagnostics
    assert not [one for one in lean if one.code.startswith("lint.")]


@pytest.mark.parametrize("selector", ["JMSMessageID = '1234'", "JMSMessageID LIKE '12%'"])
def test_an_id_in_a_column_of_the_tables_own_needs_no_prefix(selector: str) -> None:
    assert transpile_selector(selector, "JMSMessageID STRING", lint=True).diagnostics == ()
    [found] = transpile_selector(selector, lint=True).diagnostics
    assert found.code == "id.form"
    run = CliRunner().invoke(main, ["check", selector, "--schema", "JMSMessageID STRING"])
    assert (run.exit_code, "id.form" in run.output) == (0, False)


def test_a_word_that_has_a_column_is_no_text_without_quotes() -> None:
    assert transpile_selector("n = small", "n INT, small TINYINT").diagnostics == ()
    [found] = transpile_selector("n = small", "n INT", missing="null").diagnostics
    assert found.code == "lint.unquoted-word"
    for schema, code in (("n INT, small TINYINT", 0), ("n INT", 1)):
        run = CliRunner().invoke(main, ["check", "n = small", "--missing", "null", "--schema", schema])
        assert (run.exit_code, "unquoted-word" in run.output) == (code, bool(code))


def test_a_second_name_has_a_warning_where_the_layout_says_which_names_there_are() -> None:
    for layout in ("amqp", "kafka-headers"):
        assert transpile_selector("color = red", layout).diagnostics == ()
        run = CliRunner().invoke(main, ["check", "color = red", "--layout", layout])
        assert (run.exit_code, "if text was meant, write 'red'" in run.output) == (0, True)
    assert "text goes into single quotes: 'red'" in CliRunner().invoke(main, ["check", "-e", "color = red"]).output


#: The selector, its columns, and the text of the warning; None if the column can have values on both sides.
BY_TYPE = (
    ("f = 1.1", "f FLOAT", "no FLOAT is 1.1, so the condition is never true"),
    ("f = 0.5", "f FLOAT", None),
    ("price = 10.555", "price DECIMAL(12,2)", "no DECIMAL(12,2) is 10.555"),
    ("price = 10.55", "price DECIMAL(12,2)", None),
    ("i = 1.5", "i INT", "no INT is 1.5"),
    ("1.5 = i", "i INT", "no INT is 1.5"),
    ("i <> 1.5", "i INT", "true wherever it has a value"),
    ("i = 2.0", "i INT", None),
    ("t = 1.5", "t TIMESTAMP", "no TIMESTAMP is 1.5"),
    ("b = 300", "b TINYINT", "no TINYINT is 300"),
    ("i > 1.5", "i INT", None),
    ("i > 40000", "i SMALLINT", "no SMALLINT is above 40000, so the condition is never true"),
    ("40000 > i", "i SMALLINT", "true wherever it has a value"),
    ("i < -40000", "i SMALLINT", "no SMALLINT is below -40000, so the condition is never true"),
    ("d > 1000.5", "d DECIMAL(5,2)", "so the condition is never true"),
    ("f > 1E300", "f FLOAT", None),
    ("i BETWEEN 1.5 AND 1.7", "i INT", "no INT is between 1.5 and 1.7, so the condition is never true"),
    ("i BETWEEN 1.5 AND 2.5", "i INT", None),
    ("d = 1.1", "d DOUBLE", None),
)


@pytest.mark.parametrize(("selector", "schema", "expected_text"), BY_TYPE)
def test_a_condition_that_the_type_of_a_column_makes_constant_warns(
    selector: str, schema: str, expected_text: str | None
) -> None:
    messages = " ".join(one.message for one in transpile_selector(selector, schema).diagnostics)
    assert messages == "" if expected_text is None else expected_text in messages


@pytest.mark.parametrize("command", ["match", "explain"])
def test_commands_say_what_is_never_true_and_a_compilation_does_not_prove_it(command: str) -> None:
    run = CliRunner().invoke(main, [command, "a > 5 AND a < 3"], input='{"a": 1}\n')
    assert "lint.never-true" in run.stderr
    assert transpile_selector("a > 5 AND a < 3").diagnostics == ()


@pytest.mark.parametrize(
    "words", [("sql", "color LIKE '*bl*'"), ("match", "color LIKE '*bl*'"), ("explain", "color LIKE '*bl*'")]
)
def test_commands_warn_and_are_quiet_on_request(words: tuple[str, ...]) -> None:
    run = CliRunner().invoke(main, list(words), input='{"color": "blue"}\n')
    assert "lint.like-without-wildcard" in run.stderr
    quiet = CliRunner().invoke(main, [*words, "-q"], input='{"color": "blue"}\n')
    assert (quiet.exit_code, quiet.stderr) == (run.exit_code, "")
