"""Questions beyond the limits of the analysis: a difference that exists is never disproved.

Each pair of selectors has a message that only the second selects, in a subexpression beyond a limit: tests of one name,
products of patterns, constants of sums, cases, samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from tests.sizes import is_full, randomness, size
from tests.tools.analysis.claims import contains
from transpiler import Message, evaluate, parse_selector, subsumes
from transpiler.language.selector.dialects import JMS
from transpiler.tools.dialect_tools.diff import diff_selectors
from transpiler.tools.lint.check import contained_in
from transpiler.topology import topology_from_dict


class Planted(NamedTuple):
    """Two selectors. The second selects everything that the first selects, and in addition ``message``."""

    old: str
    new: str
    message: dict[str, Any]


def without(terms: list[str], number: int, joined: str = " OR ") -> tuple[str, str]:
    """Return the terms joined by ``joined``: once without the term ``number``, and once complete."""
    return joined.join(term for index, term in enumerate(terms) if index != number), joined.join(terms)


def equalities(count: int, number: int) -> Planted:
    return Planted(*without([f"a = {n}" for n in range(count)], number), {"a": number})


def members(count: int, number: int) -> Planted:
    listed = [f"'t{n}'" for n in range(count)]
    old, new = without(listed, number, ", ")
    return Planted(f"a IN ({old})", f"a IN ({new})", {"a": f"t{number}"})


def ranges(count: int, number: int) -> Planted:
    return Planted(
        *without([f"(a >= {10 * n} AND a < {10 * n + 9})" for n in range(count)], number), {"a": 10 * number + 4.5}
    )


def patterns(count: int, number: int) -> Planted:
    return Planted(*without([f"a LIKE '%<{n}>_z%'" for n in range(count)], number), {"a": f"-<{number}>yz"})


def patterns_at_once(count: int, number: int) -> Planted:
    texts = [f"<{n}>" for n in range(count)]
    new, old = without([f"a LIKE '%{text}%'" for text in texts], number, " AND ")
    return Planted(old, new, {"a": "".join(text for index, text in enumerate(texts) if index != number)})


def sums(count: int, number: int) -> Planted:
    return Planted(*without([f"a + 1 = {3 * n}" for n in range(count)], number), {"a": 3 * number - 1})


def sums_of_two(count: int, number: int) -> Planted:
    return Planted(
        *without([f"(a + b = {7 * n} AND a = {n})" for n in range(count)], number), {"a": number, "b": 6 * number}
    )


def names(count: int, number: int) -> Planted:
    return Planted(
        *without([f"(a{n} = b{n} AND a{n} + 1 > c{n} AND d LIKE '%{n}%')" for n in range(count)], number),
        {f"a{number}": 5, f"b{number}": 5, f"c{number}": 1, "d": str(number)},
    )


def choices(count: int, number: int) -> Planted:
    """Every name has one of two values, so that there are 2**count cases. The first selector excludes one of them."""
    all_of = " AND ".join(f"(p{n} = 1 OR p{n} = 2)" for n in range(count))
    one = " AND ".join(f"p{n} = {1 + (n == number)}" for n in range(count))
    message = {f"p{n}": 1 + (n == number) for n in range(count)}
    return Planted(f"{all_of} AND NOT ({one})", all_of, message)


def circles(count: int, number: int) -> Planted:
    """The order of the names is a cycle except for one ``<=``."""
    signs = ["<" if n != number else "<=" for n in range(count)]
    chain = " AND ".join(f"n{n} < n{n + 1}" for n in range(count))
    loose = " AND ".join(f"n{n} {sign} n{n + 1}" for n, sign in enumerate(signs))
    message = {f"n{n}": n - (n > number) for n in range(count + 1)}
    return Planted(chain, loose, message)


FAMILIES: tuple[tuple[Callable[[int, int], Planted], tuple[int, ...]], ...] = (
    (equalities, (41, 70, 700)),
    (members, (41, 300, 600)),
    (ranges, (21, 41, 200)),
    (patterns, (21, 60, 200)),
    (patterns_at_once, (5, 20, 60)),
    (sums, (21, 41, 80)),
    (sums_of_two, (21, 41, 60)),
    (names, (21, 41, 60)),
    (choices, (8, 11, 14, 20)),
    (circles, (3, 10, 20)),
)


def planted() -> Iterator[Any]:
    draw = randomness(40)
    for family, counts in FAMILIES:
        for count in counts if is_full() else counts[:1]:
            number = draw.choice((0, count - 1, draw.randrange(count)))
            yield pytest.param(family(count, number), id=f"{family.__name__}-{count}-{number}")


@pytest.mark.parametrize("case", [*planted()])
def test_a_difference_beyond_a_cap_is_not_proved_away(case: Planted) -> None:
    message = Message.of(**case.message)
    assert evaluate(case.new, message) is True
    assert evaluate(case.old, message) is not True
    assert subsumes(case.old, case.new) is not True
    # In the other direction there is no message to find.
    assert subsumes(case.new, case.old) is not False
    result = diff_selectors(case.old, case.new)
    assert not result.no_won
    assert result.won is not None or result.not_decided
    assert result.lost is None
    trees = [(number, tree) for number, text in enumerate(case[:2]) if (tree := parse_selector(text)) is not None]
    assert not any(found.number == 1 for found in contained_in(trees, JMS))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a > 0 AND a <= 1.7976931348623157E308", "a > 0"),
        ("a >= 0 AND a <= 9223372036854775807", "a >= 0"),
        ("a LIKE '%' AND a <> ''", "a LIKE '%'"),
        ("a < 0 OR a >= 0", "a IS NOT NULL"),
        ("a = a", "a IS NOT NULL"),
    ],
)
def test_the_ends_of_the_types_part_two_selectors(old: str, new: str) -> None:
    assert subsumes(old, new) is False
    assert subsumes(new, old) is True


@pytest.mark.parametrize("count", [20, size(60, 200)])
def test_a_binding_with_a_word_more_is_not_in_many_others(count: int) -> None:
    keys = [f"*.{'.'.join('#' if n % 3 else '*' for n in range(1 + number % 5))}.k{number}" for number in range(count)]
    bindings = [{"source": "x", "queue": "q", "key": key} for key in keys]
    topology = topology_from_dict(
        {
            "broker": "rabbitmq",
            "exchanges": [{"name": "x", "type": "topic"}],
            "queues": ["q"],
            "bindings": bindings,
        }
    )
    # Of two keys that end in two words, neither matches all messages of the other.
    for first, second in zip(topology.bindings, topology.bindings[1:], strict=False):
        assert not contains(topology, first, second)
