"""The scanner of literals replaces literals in a text by markers and skips everything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.language.selector.literal_scanner import locate, scan

#: Texts, their skeletons with ¤ instead of NUL, and the literals.
SCANNED = [
    ("a = 'x' AND b > 5", "a = ¤s AND b > ¤i", ["'x'", "5"]),
    ("a = 'it''s' OR b<>1.50", "a = ¤s OR b<>¤f", ["'it''s'", "1.50"]),
    ("a = ''", "a = ¤s", ["''"]),
    ("a IN ('1', '2.5')", "a IN (¤s, ¤s)", ["'1'", "'2.5'"]),
    ("b = -3", "b = -¤i", ["3"]),
    ("b = 1-3", "b = ¤i-¤i", ["1", "3"]),
    ("b5 = 5", "b5 = ¤i", ["5"]),
    ("$7 = a.8 + é9", "$7 = a.8 + é9", []),
    ("b = 0 OR b = 0.0 OR b = 0.000", "b = 0 OR b = 0.0 OR b = 0.000", []),
    ("b = 0.5 OR b = 00 OR b = 007", "b = ¤f OR b = 00 OR b = 007", ["0.5"]),
    ("b = 5. OR b = .5 OR b = 5e3 OR b = 5L OR b = 0x1F", "b = 5. OR b = .5 OR b = 5e3 OR b = 5L OR b = 0x1F", []),
    ("b = 1e-3", "b = 1e-¤i", ["3"]),
    ("b = 123456789012345678", "b = ¤i", ["123456789012345678"]),
    ("b = 1234567890123456789", "b = 1234567890123456789", []),
    ("b = 123456789.123456", "b = ¤f", ["123456789.123456"]),
    ("b = 1234567890.5 OR b = 1.1234567", "b = 1234567890.5 OR b = 1.1234567", []),
    ("b = ٣", "b = ٣", []),
    ("a = 'x", "a = 'x", []),
    ("b = 5 AND a = 'x", "b = ¤i AND a = 'x", ["5"]),
    ('"a" = 5', '"a" = 5', []),
    ("[a] = 5", "[a] = 5", []),
    ("`a` = 5", "`a` = 5", []),
    ("b = 5 -- 6", "b = 5 -- 6", []),
    ("b = 5 /* 6 */", "b = 5 /* 6 */", []),
    ("b = 5 - 6 / 2 * 3", "b = ¤i - ¤i / ¤i * ¤i", ["5", "6", "2", "3"]),
    ("b = 5\x00", "b = 5\x00", []),
]


@pytest.mark.parametrize(("text", "skeleton", "literals"), SCANNED)
def test_literals_are_taken_out(text: str, skeleton: str, literals: list[str]) -> None:
    assert scan(text) == (skeleton.replace("¤", "\x00"), literals)


@given(st.text(st.sampled_from("'abeEL$_.é -/*()=<>\n0123456789\"[")))
def test_a_skeleton_and_its_literals_are_the_text(text: str) -> None:
    skeleton, literals = scan(text)
    located = locate(skeleton, literals)
    assert [literal.raw for literal in located] == literals
    for literal in located:
        skeleton = skeleton.replace("\x00" + literal.kind[0], literal.raw, 1)
        assert skeleton[: literal.end] == text[: literal.end]
    assert skeleton == text
