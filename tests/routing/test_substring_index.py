"""Substring index: every row that may match a value is among the rows of the value's substrings."""

from __future__ import annotations

import re
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.compiler.ir.java_regex import regular_expression
from transpiler.language.selector.pattern import read_pattern
from transpiler.routing import tuning
from transpiler.routing.substring_index import Grams, build_substring_index, choose_grams

TEXTS = st.lists(st.text(alphabet="ab,1é😀[^-]\\", min_size=1, max_size=9), min_size=1, max_size=20)
VALUES = st.text(alphabet="ab,1é😀[^-]\\\n", max_size=40)


def rows_of(value: str, grams: Grams, texts: list[str]) -> set[int]:
    """Return the rows of a value's substrings as Spark finds them, with Java expressions that Python supports, too."""
    index = build_substring_index(0, grams, [(text,) for text in texts])
    rows: set[int] = set()
    for expression in grams.expressions:
        python = re.sub(r"\\x\{([0-9a-f]+)\}", lambda code: re.escape(chr(int(code[1], 16))), expression)
        rows.update(row for end in re.findall(python, value) for row in index.nodes[crc32(end.encode()) & index.mask])
    return rows


@given(texts=TEXTS, value=VALUES, most=st.sampled_from([1, 4, 24]))
def test_a_value_finds_every_row_whose_text_it_contains(texts: list[str], value: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "MAX_GRAM", most)
        grams = choose_grams(texts)
        assert len(grams.lengths) <= tuning.GRAM_LENGTHS
        found = rows_of(value, grams, texts)
    assert {row for row, text in enumerate(texts) if text in value} <= found


def test_substrings_that_begin_as_no_text_does_are_passed_over() -> None:
    grams = choose_grams(f",1{number:03d}" for number in range(0, 500, 3))
    assert grams == Grams((5,), ("(?s),1(?=([01234].{2}))",), (2,))
    assert re.findall(grams.expressions[0], ",10123,20999,14999x,1,15555,1") == ["012", "499"]


def test_texts_that_begin_within_themselves_are_all_found() -> None:
    grams = choose_grams(f"aba{letter}" for letter in "bc")
    assert grams == Grams((4,), ("(?s)(?=(aba[bc].{0}))",), (0,))
    assert re.findall(grams.expressions[0], "ababababac") == ["abab", "abab", "abab", "abac"]


def test_many_lengths_share_few_substrings() -> None:
    grams = choose_grams("x" * length for length in range(2, 200))
    assert (len(grams.lengths), grams.lengths[0]) == (tuning.GRAM_LENGTHS, 2)
    assert grams.gram("x" * 199) == "x" * max(grams.lengths)


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("a%b", ["ab", "axb", "a\nb"], ["b", "abc"]),
        ("a_c%", ["abc", "a\ncx"], ["ac"]),
        ("%x%y%", ["xy", "1x2y3"], ["yx"]),
    ],
)
def test_expressions_of_patterns_match_what_the_patterns_do(
    pattern: str, matching: list[str], other: list[str]
) -> None:
    expression = regular_expression(read_pattern(pattern))
    assert all(re.search(expression, text) for text in matching)
    assert not any(re.search(expression, text) for text in other)
