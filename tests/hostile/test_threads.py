"""Sixteen threads that compile at once get the results of a single thread: no parser state is shared."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from tests.golden import corpus
from tests.sizes import size
from transpiler import (
    Message,
    TranspilerError,
    evaluate,
    matches,
    parse_selector,
    print_selector,
    route_message,
    transpile_address,
    transpile_filter,
    transpile_selector,
)
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.language.selector.dialects import DIALECTS
from transpiler.routing.plan import build_plan
from transpiler.topology.files import parse_topology

THREADS = 16
DIALECTS_IN_TURN = tuple(DIALECTS)

SELECTORS = (
    "a = 1 AND (b > 2.5 OR NOT c LIKE 'x!%%' ESCAPE '!')",
    "a BETWEEN 1 AND 2 AND b IN ('x', 'y') AND NOT d",
    "JMSPriority > 4 OR JMSMessageID = 'ID:1' OR JMSTimestamp < 5",
    "a = = 1",
    "a = 'open",
    "(((a))) AND b IS NOT NULL",
    "a --b\n = 1 /* c */",
    "a % 2 = 1 OR XPATH '//a' OR REGEX('a', b)",
    "convert_string_expressions:a = '5'",
    "hyphenated_props:a-b = 1",
    "[a b] = 0xCAFE AND header.priority > 4",
    "\"a b\" = 'c' OR a = NOT b",
    "a + b * -c / 2 <> 0x1F AND a <= 017",
    "",
)

MESSAGE = Message.from_dict({"application_properties": {"a": 1, "b": 2.5, "c": "x%"}, "properties": {"subject": "a.b"}})

TOPOLOGY = """
broker: qpid-java
queues: [q, r]
exchanges: [{name: t, type: topic}, {name: h, type: headers}]
default_exchange: t
bindings:
- {source: t, queue: q, key: "a.#", selector: "a = 1"}
- {source: t, exchange: h, key: "*.b"}
- {source: h, queue: r, arguments: {x-match: any, a: 1, b: 2}}
addresses: ["t/a.*; {link: {selector: 'b > 2'}}"]
"""


def answer(work: Callable[[], object]) -> str:
    """Return the result of ``work`` as text: a value, or the whole error."""
    try:
        return repr(work())
    except TranspilerError as error:
        return f"{type(error).__name__}: {error}"


def printed(text: str, dialect: str) -> str | None:
    """Return the canonical text of the selector ``text``; None if the selector is empty."""
    tree = parse_selector(text, dialect)
    return None if tree is None else print_selector(tree, dialect)


def jobs() -> Iterator[Callable[[], object]]:
    """Yield all tasks that threads may run at the same time."""
    for dialect in DIALECTS:
        for text in SELECTORS:
            yield (
                lambda text=text, dialect=dialect: (
                    transpile_selector(text, dialect=dialect, result="ternary", now=0).sql
                )
            )
            yield lambda text=text, dialect=dialect: evaluate(text, MESSAGE, dialect, now=0)
            yield lambda text=text, dialect=dialect: printed(text, dialect)
    filters = {
        "a": {"descriptor": "apache.org:selector-filter:string", "value": "a = 1"},
        "b": {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": "a.#"},
    }
    yield lambda: transpile_filter(filters).sql
    yield lambda: matches(filters, MESSAGE)
    yield lambda: transpile_address('q/s; {link: {selector: "a = 1"}}', "topic").sql
    yield lambda: parse_topology(TOPOLOGY, "t.yaml").bindings
    yield lambda: route_message(parse_topology(TOPOLOGY, "t.yaml"), MESSAGE)
    yield lambda: build_plan(parse_topology(TOPOLOGY, "t.yaml"), AmqpLayout(), "null", "t")


@pytest.fixture
def _switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_switching_often")
@pytest.mark.parametrize("same", [False, True], ids=["each at its own place", "all at the same place"])
def test_threads_that_compile_at_once_get_what_one_gets(same: bool) -> None:
    works = list(jobs())[:: size(11, 3) if same else size(5, 2)]
    expected = [answer(work) for work in works]
    barrier = Barrier(THREADS)

    def run(thread: int) -> list[str]:
        first = 0 if same else thread * len(works) // THREADS
        barrier.wait()
        found = {index % len(works): answer(works[index % len(works)]) for index in range(first, first + len(works))}
        return [found[index] for index in range(len(works))]

    with ThreadPoolExecutor(THREADS) as pool:
        for found in pool.map(run, range(THREADS)):
            assert found == expected


#: Layouts for which columns, header fields and operands are cached between selectors.
LAYOUTS: tuple[Any, ...] = ("amqp", "amqp-0-10", corpus.COLUMNS, "kafka-headers", "text-map", "variant")


@pytest.mark.usefixtures("_switching_often")
def test_threads_get_the_sql_of_one_for_ever_new_shapes_and_names() -> None:
    """The caches of names and header fields hold 4,096 entries, which are evicted while other threads read them."""
    texts = [f"({text}) OR n{n} = {n}" for n, text in enumerate(corpus.selectors(size(240, 1_200))) if text.strip()]

    def sql(number: int) -> str:
        options = {"dialect": DIALECTS_IN_TURN[number % len(DIALECTS_IN_TURN)], "missing": "null"}
        return answer(lambda: transpile_selector(texts[number], LAYOUTS[number % len(LAYOUTS)], **options).sql)

    barrier = Barrier(THREADS)

    def run(thread: int) -> dict[int, str]:
        barrier.wait()
        # All threads compile each sixteenth text, and each thread compiles texts of its own.
        mine = (number for number in range(len(texts)) if number % THREADS in (0, thread))
        return {number: sql(number) for number in mine}

    with ThreadPoolExecutor(THREADS) as pool:
        threaded = list(pool.map(run, range(THREADS)))
    alone = [sql(number) for number in range(len(texts))]
    assert set().union(*threaded) == set(range(len(texts)))
    for found in threaded:
        assert found == {number: alone[number] for number in found}


@pytest.mark.full
def test_threads_that_compile_first_of_all_get_what_one_gets() -> None:
    """Sixteen threads in a new process build the tables that are created on first use, all at once."""
    import subprocess

    script = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from tests.hostile.test_threads import THREADS, answer, jobs\n"
        "works = list(jobs())\n"
        "with ThreadPoolExecutor(THREADS) as pool:\n"
        "    first = list(pool.map(answer, works))\n"
        "assert first == [answer(work) for work in works]\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
