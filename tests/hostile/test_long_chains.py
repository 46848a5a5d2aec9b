"""``check`` of a chain of thousands of terms takes work proportional to the number of terms, not to its square."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.sizes import size
from transpiler.cli import main

#: Number of terms of the shorter chain. The longer chain has four times as many.
TERMS = size(40, 400)


def joined(word: str, term: str) -> Callable[[int], str]:
    return lambda count: word.join(term.format(number, number + 1) for number in range(0, 2 * count, 2))


CHAINS: dict[str, Callable[[int], str]] = {
    "OR of names": joined(" OR ", "a{0} = {0}"),
    "OR of one name": joined(" OR ", "a = {0}"),
    "AND of names": joined(" AND ", "a{0} = {0}"),
    "AND of negative tests of names": joined(" AND ", "a{0} <> {0}"),
    "AND of negative tests of one name": joined(" AND ", "a <> {0}"),
    "OR of negative tests of one name": joined(" OR ", "a <> {0}"),
    "AND of NOT": joined(" AND ", "NOT (a = {0})"),
    "AND of NOT LIKE": joined(" AND ", "a NOT LIKE 'x{0}%'"),
    "OR of BETWEEN": joined(" OR ", "a BETWEEN {0} AND {1}"),
    "OR of IN": joined(" OR ", "a IN ('x{0}', 'y{0}')"),
    "OR of pairs": joined(" OR ", "(a = {0} AND b = 'x{0}')"),
    "AND of pairs": joined(" AND ", "(a = {0} OR b = 'x{0}')"),
    "OR of IS NULL": joined(" OR ", "a{0} IS NULL"),
    "OR of columns": joined(" OR ", "a{0} = b{0}"),
    "IN": lambda count: f"a IN ({', '.join(str(number) for number in range(count))})",
    "parentheses": lambda count: "(" * count + "a = 1" + ")" * count,
}


def calls(path: Path, selector: str) -> int:
    """Return the number of function calls that one check makes."""
    path.write_text(f"{selector}\n")
    profile = cProfile.Profile()
    result = profile.runcall(CliRunner().invoke, main, ["check", str(path)])
    assert result.exit_code in (0, 1), result.output
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", CHAINS)
def test_the_work_of_a_check_grows_with_the_terms(tmp_path: Path, name: str) -> None:
    # The first check of a process also imports modules.
    fixed, short, long = (calls(tmp_path / "a.sel", CHAINS[name](count)) for count in (1, TERMS, 4 * TERMS))
    fixed = min(fixed, calls(tmp_path / "a.sel", CHAINS[name](1)))
    # Four times the terms are four times the work; they would be sixteen times the work if it grew with the square.
    assert long - fixed < 6 * (short - fixed)
