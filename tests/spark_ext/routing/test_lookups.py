"""The SQL of look-ups in the indexes of constant tables."""

from __future__ import annotations

import pytest

from spark_ext.routing.lookups import cut_up
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.routing.substring_index import choose_grams


@pytest.mark.parametrize(
    ("texts", "substrings"),
    [
        (["abc", "abd"], "regexp_extract_all(name, '(?s)ab(?=([cd].{0}))', 1)"),
        (
            ["ab", "xyz"],
            "concat(regexp_extract_all(name, '(?s)ab(?=())', 1), regexp_extract_all(name, '(?s)xyz(?=())', 1))",
        ),
    ],
)
def test_the_substrings_of_a_value(texts: list[str], substrings: str) -> None:
    assert cut_up(ir.Column(("name",), STRING), choose_grams(texts)) == (
        f"array_distinct(transform({substrings}, g -> crc32(g)))"
    )
