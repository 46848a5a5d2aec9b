"""What the compiler and the evaluator share between threads: each gets the answer that one thread alone gets."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from tests.golden.corpus import COLUMNS, dialects, selectors
from tests.sizes import size
from transpiler import Message, TranspilerError, evaluate, transpile_selector

THREADS = 16
LAYOUTS: tuple[Any, ...] = ("amqp", "amqp-0-10", COLUMNS, "kafka-headers", "text-map", "variant")
#: Selectors of ever-new shapes.
TEXTS = [
    f"({text}) OR n{number} = {number}" for number, text in enumerate(selectors(size(320, 6_400))) if text.strip()
]


@pytest.fixture(autouse=True)
def often_switched() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def answers(number: int, text: str) -> list[object]:
    """The SQL of a text in one dialect and layout, and its verdict, or the errors' codes."""
    dialect, layout = dialects()[number % len(dialects())], LAYOUTS[number % len(LAYOUTS)]
    found: list[object] = []
    message = Message.of(color="red", weight=number, a=number % 7)
    for ask in (
        lambda: transpile_selector(text, layout, dialect=dialect, missing="null").sql,
        lambda: evaluate(text, message, dialect),
    ):
        try:
            found.append(ask())
        except TranspilerError as error:
            found.append([diagnostic.code for diagnostic in error.diagnostics])
    return found


def test_sixteen_threads_get_the_answers_of_one() -> None:
    barrier = Barrier(THREADS)

    def all_of_them(first: int) -> dict[int, list[object]]:
        barrier.wait()
        # Half of the selectors are those of all other threads at the same time, half are its own.
        mine = [number for number in range(len(TEXTS)) if number % 2 or number % THREADS == first]
        return {number: answers(number, TEXTS[number]) for number in mine}

    with ThreadPoolExecutor(THREADS) as pool:
        threaded = list(pool.map(all_of_them, range(THREADS)))
    alone = {number: answers(number, text) for number, text in enumerate(TEXTS)}
    assert set().union(*threaded) >= set(range(0, len(TEXTS), 2))
    for answered in threaded:
        assert {number: alone[number] for number in answered} == answered
