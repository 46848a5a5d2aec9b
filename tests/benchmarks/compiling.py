"""The cost of compilation: each phase alone, many selectors, long selectors, and the start of a process."""

from __future__ import annotations

import itertools
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import sqlglot
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from sqlglot.optimizer.simplify import simplify

from tests.benchmarks.measure import Table
from transpiler import Layout, parse_selector, transpile_selector
from transpiler.base.source import Source
from transpiler.compiler import ir
from transpiler.compiler.lowering.selectors import SelectorLowering
from transpiler.compiler.presets import find_layout
from transpiler.compiler.sql import emit_filter
from transpiler.language.selector.dialects import JMS
from transpiler.pipeline import PASSES

TYPICAL = "region LIKE 'eu-%' AND weight > 2500 AND color = 'blue' AND NOT JMSPriority < 3"

#: Numbers that make each compiled text a new one, because the trees of texts that were parsed before are kept.
_NUMBERS = itertools.count(2_500)


def renewed(text: str) -> str:
    """Return ``text`` with a number in place of 2500 that no text before has had."""
    return text.replace("2500", str(next(_NUMBERS)))


def microseconds(run: Callable[[], object], repeat: int, number: int) -> float:
    """Return the median CPU time of one run over ``repeat`` repeats of ``number`` runs, in microseconds."""
    run()
    found = []
    for _ in range(repeat):
        started = time.process_time_ns()
        for _ in range(number):
            run()
        found.append((time.process_time_ns() - started) / number / 1_000)
    return statistics.median(found)


def phases(frame: DataFrame, scale: int) -> Table:
    """Return the cost of each phase for a typical selector of four terms."""
    table = Table(
        "What one selector of four terms costs to compile",
        ("phase", "µs", "target"),
        f"`{TYPICAL}` in the canonical layout; CPU time of Python; Spark's two rows are by the clock.",
        unit="µs",
    )
    layout, source = find_layout("amqp"), Source(TYPICAL)
    tree = parse_selector(TYPICAL)
    assert tree is not None

    def lower() -> object:
        return SelectorLowering(layout, "error", source, JMS).selector(tree)

    lowered = SelectorLowering(layout, "error", source, JMS).selector(tree)

    def rewrite() -> ir.Predicate:
        predicate = lowered
        for run in PASSES:
            predicate = run(predicate)
        return predicate

    optimized = rewrite()
    sql = emit_filter(optimized)
    number = max(1, 200 // scale)

    for phase, run, target in (
        ("parse and check", lambda: parse_selector(renewed(TYPICAL)), None),
        ("analyze", lower, None),
        ("optimize", rewrite, None),
        ("emit", lambda: emit_filter(optimized), None),
        ("selector to SQL", lambda: transpile_selector(renewed(TYPICAL)), 300.0),
    ):
        found = microseconds(run, 9, number)
        table.add(phase, found, target or "")
        table.bars.append((phase, found, target))
    for phase, run in (
        ("one expr call", lambda: sf.expr(sql)),
        ("filter and plan", lambda: frame.filter(sql)._jdf.queryExecution().executedPlan()),
    ):
        found = clock(run, max(2, 20 // scale))
        table.add(f"Spark: {phase}", found, "")
        table.bars.append((f"Spark: {phase}", found, None))
    return table


def clock(run: Callable[[], object], number: int) -> float:
    """Return the median time of one run by the clock, in microseconds."""
    run()
    found = []
    for _ in range(number):
        started = time.perf_counter_ns()
        run()
        found.append((time.perf_counter_ns() - started) / 1_000)
    return statistics.median(found)


def distinct_selectors(count: int) -> list[str]:
    """Return ``count`` selectors, hardly two of which have the same shape."""
    spread = random.Random(11)
    found = []
    for _ in range(count):
        terms = []
        for _ in range(spread.randrange(2, 6)):
            name = f"{spread.choice(('region', 'color', 'weight', 'size', 'kind'))}{spread.randrange(40)}"
            number = spread.randrange(10_000)
            terms.append(
                spread.choice(
                    (
                        f"{name} = 'v{number}'",
                        f"{name} > {number}",
                        f"{name} LIKE 'v{number}%'",
                        f"{name} IN ('a{number}', 'b', 'c')",
                        f"NOT {name} BETWEEN {number} AND {number + 5}",
                        f"{name} IS NULL",
                    )
                )
            )
        found.append(spread.choice((" AND ", " OR ")).join(terms))
    return found


def against_sqlglot(scale: int) -> Table:
    """Return the cost of compiling a selector, and of parsing, simplifying and generating its SQL with sqlglot."""
    table = Table(
        "A selector to SQL, and sqlglot on the same condition",
        ("layout", "selector to SQL, µs", "sqlglot, µs", "ratio"),
        f"`{TYPICAL}` compiled to a WHERE condition, and that condition parsed, simplified and generated by sqlglot "
        f"{sqlglot.__version__} in its dialect for Spark. CPU time of Python, in turn; the median. Target: at most 1.",
        unit="selector to SQL / sqlglot",
    )
    typed = find_layout("region STRING, weight BIGINT, color STRING, JMSPriority INT")
    for name, layout in (("canonical", find_layout("amqp")), ("typed columns", typed)):
        sql = transpile_selector(TYPICAL, layout).sql

        def ours(layout: Layout = layout) -> object:
            return transpile_selector(renewed(TYPICAL), layout)

        def theirs(sql: str = sql) -> object:
            return simplify(sqlglot.parse_one(renewed(sql), read="spark")).sql(dialect="spark")

        number = max(1, 100 // scale)
        pairs = [(microseconds(ours, 1, number), microseconds(theirs, 1, number)) for _ in range(9)]
        first, second = (statistics.median(found) for found in zip(*pairs, strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        table.add(name, first, second, ratio)
        table.bars.append((name, ratio, 1.0))
    return table


def many(scale: int) -> Table:
    """Return the cost of compiling many selectors, hardly two of which have the same shape."""
    table = Table(
        "Many selectors to SQL", ("selectors", "seconds", "µs each"), "CPU time of Python.", unit="µs a selector"
    )
    selectors = distinct_selectors(10_000 // scale)
    title = f"{len(selectors):,} distinct"
    started = time.process_time()
    for selector in selectors:
        transpile_selector(selector)
    seconds = time.process_time() - started
    each = seconds / len(selectors) * 1e6
    table.add(title, seconds, each)
    table.bars.append((title, each, None))
    return table


def lengths(scale: int) -> Table:
    """Return the cost of one term in selectors of increasing length."""
    kinds: dict[str, Callable[[int], str]] = {
        "equalities": lambda i: f"p = 'v{i}'",
        "LIKE": lambda i: f"p LIKE '%,{12_002_031 + 7 * i},%'",
        "pairs": lambda i: f"(p = 'v{i}' AND q > {i})",
        "mixed": lambda i: f"p{i % 50} = {i} AND q{i % 7} LIKE 'a{i}%b'",
    }
    counts = tuple(count for count in (10, 100, 1_000, 10_000) if count <= 100_000 // scale)
    table = Table(
        "Long selectors to SQL",
        ("terms", *(f"{kind}, µs a term" for kind in kinds)),
        "CPU time of Python, joined by OR, up to the limits of 1,000,000 characters and 50,000 names and literals. "
        "Target: the cost of a term does not grow.",
        unit="µs a term",
    )
    for count in counts:
        found = []
        for kind, make in kinds.items():
            number = max(1, 100 // count)
            # Each text is a new one: the first and 3 times ``number`` others.
            texts = iter([" OR ".join(map(make, range(start, start + count))) for start in range(3 * number + 1)])
            found.append(microseconds(lambda texts=texts: transpile_selector(next(texts)), 3, number) / count)
            table.bars.append((f"{count:,} {kind}", found[-1], None))
        table.add(count, *found)
    return table


def start_up(runs: int) -> Table:
    """Return the time of new processes: Python alone, the import, and a command."""
    table = Table(
        "Start-up",
        ("process", "CPU seconds", "seconds by the clock", "target"),
        f"The least of {runs} runs.",
        unit="CPU seconds",
    )
    command = Path(sys.executable).parent / "selector-sql"
    for title, arguments, target in (
        ("python alone", [sys.executable, "-c", "pass"], None),
        ("import transpiler", [sys.executable, "-c", "import transpiler"], 0.2),
        ("selector-sql sql", [str(command), "sql", TYPICAL], 0.2),
    ):
        cpu, wall = [], []
        for _ in range(runs + 1):
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(arguments, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            wall.append(time.perf_counter() - started)
            cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        table.add(title, min(cpu), min(wall), target or "")
        table.bars.append((title, min(cpu), target))
    return table


def parts(frame: DataFrame, scale: int) -> Iterator[Table]:
    """Yield all tables of this benchmark."""
    yield phases(frame, scale)
    yield against_sqlglot(scale)
    yield many(scale)
    yield lengths(scale)
    yield start_up(5 if scale == 1 else 2)
