"""Mutants: each change of a module, and draws that can be repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants import ROOT, changes, draw


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = a is not b", ["x = a is b"]),
        ("x = a and not b", ["x = True and not b", "x = a and True", "x = a or not b", "x = a and (b)"]),
        ("x = a if b else c", ["x = a if not (b) else c"]),
        ("x = [y for y in a if y.z]", ["x = [y for y in a if True]"]),
        ("x = a + 1", ["x = a - 1", "x = a + 2"]),
        ("x = True", ["x = False"]),
        ("x = 'é' or a", ["x = False or a", "x = 'é' or False", "x = 'é' and a", "x = 'éX' or a"]),
        ("x = (a, b, c)", ["x = (b, c)", "x = (a, c)"]),
        ("f(a)", ["pass"]),
        (
            "def f(a: int = 1) -> int:\n    return a",
            ["def f(a: int = 2) -> int:\n    return a", "def f(a: int = 1) -> int:\n    return None"],
        ),
        ("for x in a:\n    continue", ["for x in a:\n    break"]),
        # Annotations, docstrings, assertions, options without effect and texts with expressions are not changed.
        ("x: 'int | str'", []),
        ("def f():\n    'text'\n    assert a < b", []),
        ("x = f'{a + 1}'", []),
        ("x = zip(a, b, strict=True)", []),
        ("X = Mapping[str, tuple[int, int]]", []),
        (
            "@dataclass(frozen=True, slots=True)\nclass C:\n    x = a < b",
            ["@dataclass(frozen=True, slots=True)\nclass C:\n    x = a <= b"],
        ),
    ],
)
def test_the_changes_of_a_module(before: str, after: list[str]) -> None:
    source = before.encode()
    found = [(source[: one.start] + one.new.encode() + source[one.end :]).decode() for one in changes("m.py", before)]
    assert sorted(found) == sorted(after)


def test_a_draw_can_be_repeated_and_stays_in_its_room() -> None:
    rooms = ["transpiler/routing"]
    drawn = draw(seed=1, count=20, rooms=rooms)
    assert drawn == draw(seed=1, count=20, rooms=rooms)
    assert len({*drawn}) == 20
    assert {str(Path(mutant.file).parent) for mutant in drawn} == {*rooms}
    for mutant in drawn:
        source = (ROOT / mutant.file).read_bytes()
        assert source[mutant.start : mutant.end].decode() == mutant.old
