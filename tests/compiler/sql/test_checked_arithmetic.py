"""The SQL of integer sums and products: a chain is cut where Spark's optimizer would otherwise reorder it."""

from __future__ import annotations

import pytest

from tests.compiler.sql_text import bare
from transpiler import transpile_selector


@pytest.mark.parametrize(
    ("selector", "sql"),
    [
        ("n + i = 1", "try_add(n, i) = 1"),
        ("n + i + m = 1", "try_add(try_add(n, i), m) = 1"),
        ("n + (i + m) = 1", "try_add(n, try_add(i, m)) = 1"),
        ("n + i + 5 = m", "try_add(try_add(n, i), 5) = m"),
        ("n + (i + m) + 5 = m", "try_add(try_add(n, try_add(i, m)) | 0, 5) = m"),
        ("n + 5 + i = 1", "try_add(try_add(n, 5) | 0, i) = 1"),
        ("n + 5 + -5 = m", "try_add(try_add(n, 5) | 0, -5) = m"),
        ("n - 5 - 3 = m", "try_subtract(try_subtract(n, 5), 3) = m"),
        ("n + 5 - 3 = m", "try_subtract(try_add(n, 5), 3) = m"),
        ("n * 5 + 3 = m", "try_add(try_multiply(n, 5), 3) = m"),
        ("2 * (n * 3) = m", "try_multiply(2, try_multiply(n, 3) | 0) = m"),
        ("n + 0 = m", "n = m"),
        ("1 * n * 5 = m", "try_multiply(n, 5) = m"),
        ("(n * 5 + 0) * i = 1", "try_multiply(try_multiply(n, 5) | 0, i) = 1"),
        ("n - 0 = m", "try_subtract(n, 0) = m"),
        ("n * 0 = m", "try_multiply(n, 0) = m"),
        ("x + 0 = 1", "x + 0D = 1D"),
        ("x + 5 + 3 = 1", "x + 5D + 3D = 1D"),
    ],
)
def test_a_chain_ends_where_constants_would_move(selector: str, sql: str) -> None:
    assert bare(transpile_selector(selector, "n BIGINT, i BIGINT, m BIGINT, x DOUBLE").sql) == sql
