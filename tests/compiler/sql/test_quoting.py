"""Texts and names as SQL that a person can read, and that no setting, variable or template changes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import transpile_selector
from transpiler.compiler.ir.column_types import Key
from transpiler.compiler.sql.quoting import quote_path, quote_text

TEXTS = {
    "red": "'red'",
    "": "''",
    "{x} costs $5 :name ?": "'{x} costs $5 :name ?'",
    "O'Brien": "concat('O', char(39), 'Brien')",
    "it's": "concat('it', char(39), 's')",
    "'": "char(39)",
    "a\tb": "concat('a', char(9), 'b')",
    "c:\\temp": "concat('c:', char(92), 'temp')",
    'say "hi"': "concat('say ', char(34), 'hi', char(34))",
    "\xa0": "char(160)",
    "${env:HOME}": "concat('$', '{env:HOME}')",
    "{{ 1 }}": "concat('{', '{ 1 }}')",
    "a{# b #}c": "concat('a{', '# b #}c')",
    "{% raw %}": "concat('{', '% raw %}')",
    "${{x": "concat('$', '{', '{x')",
    "\x01\x02\x03": "CAST(X'010203' AS STRING)",
    "a\u2028b": "CAST(X'61E280A862' AS STRING)",
}

#: Pieces of a text in the SQL: a literal, a character by its code, or bytes in hexadecimal.
_PART = re.compile(r"'([^']*)'|char\(([0-9]+)\)|X'([0-9A-F]*)'")

#: Characters that a SQL text must not contain in quotes: an escape, another quote, a variable, Jinja.
_CHANGED = re.compile(r"[\\\"]|\$\{|\{[{%#]")


def meant(sql: str) -> str:
    """Return the text that ``sql``, a constant from the emitter, denotes."""
    parts = _PART.findall(sql)
    return "".join(bytes.fromhex(coded).decode() or (chr(int(code)) if code else plain) for plain, code, coded in parts)


@pytest.mark.parametrize(("text", "sql"), TEXTS.items(), ids=ascii)
def test_a_text_is_readable_where_few_of_its_characters_need_a_code(text: str, sql: str) -> None:
    assert quote_text(text) == sql


@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("'\"\\${}%#\t"))))
def test_any_text_is_the_text_that_was_meant_and_nothing_in_it_is_changed(text: str) -> None:
    sql = quote_text(text)
    assert meant(sql) == text
    assert not _CHANGED.search(sql)
    assert sql.isprintable()


def test_a_name_that_would_open_a_template_or_a_variable_is_given_as_a_text() -> None:
    assert quote_path(("{{ x }}",)) == "IDENTIFIER(concat('`{', '{ x }}`'))"
    assert quote_path(("a", "${b}")) == "IDENTIFIER(concat('`a`.`$', '{b}`'))"
    assert quote_path(("properties", Key("{% raw %}"))) == "properties[concat('{', '% raw %}')]"
    assert quote_path(("a {b}",)) == "`a {b}`"


def test_the_sql_of_a_selector_has_nothing_that_a_template_of_dbt_changes() -> None:
    text = "a = '{{ 1 }}' OR a = 'a{# b #}c' OR a LIKE '{\\%%' ESCAPE '\\' OR \"{% b %}\" = '{%'"
    sql = str(transpile_selector(text, dialect="qpid-cpp"))
    assert not _CHANGED.search(sql)
