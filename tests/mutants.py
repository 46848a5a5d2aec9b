"""Random mutants of the product, and the tests that notice them.

A mutant is the product with one small change: another operator, constant or condition. If all tests pass on it, it is
alive: either the change has no effect, or a test is missing. ``python -m tests.mutants cover`` records once which tests
run which lines, in a quarter of an hour. ``python -m tests.mutants run --seed 7`` draws mutants and prints those that
are alive. For each mutant these run, until one fails: tests that run the changed statement, recorded findings that run
it, and tests on Spark that run it. Results are kept in ``build/mutants``, so that a run that was interrupted goes on.
``python -m tests.mutants alone --seed 7 transpiler/routing tests/routing`` draws mutants of one folder of the product,
and prints those that the tests of one folder do not notice.

``cover`` needs the package ``coverage``, which is no dependency of the project: ``pip install coverage``.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "mutants"
COVERED = FOLDER / "covered.json"

#: The folders whose code is changed, except the modules ``tuning``, whose constants change only speed and size.
ROOMS = ("transpiler/compiler", "transpiler/language", "transpiler/routing", "transpiler/topology", "spark_ext/routing")

#: Maximum number of tests without Spark and of tests with it that run for one mutant, and of seconds for each of the
#: three steps. A mutant that runs into an endless loop is noticed by the time.
MOST, MOST_ON_SPARK, PATIENCE = 300, 40, 600

#: Number of recorded findings that are run together, and number of parallel processes.
CHUNK, PROCESSES = 20, 2

#: The context in which the recorded findings from a number on were run.
_FINDINGS = "findings:"

#: The arguments of Python that run tests until one fails.
_PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider")

#: The arguments of Python for each step that can notice a mutant; a step without arguments is left out.
Steps = dict[str, list[str]]

_OPPOSITES: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}


#: Names of generic types, whose use in an assignment makes an alias of a type.
_GENERIC = frozenset("Callable Collection Iterable Mapping Sequence dict frozenset list set tuple".split())


class Mutant(NamedTuple):
    """The bytes from ``start`` to ``end`` of ``file`` replaced by ``new``; ``line`` is the first changed line."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        old, new = (" ".join(text.split())[:60] for text in (self.old, self.new))
        return f"{self.file}:{self.line}: {old!r} became {new!r}"


class _Changes:
    """The changes of one module: each is a place in its source and a new text."""

    def __init__(self, file: str, source: str) -> None:
        self._file, self._source = file, source.encode()
        self._starts = [0]
        for line in source.split("\n"):
            self._starts.append(self._starts[-1] + len(line.encode()) + 1)
        tree = ast.parse(source)
        self._skipped = {id(inner) for node in _without_effect(tree) for inner in ast.walk(node)}
        self.found = [mutant for node in ast.walk(tree) if id(node) not in self._skipped for mutant in self._of(node)]

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = self._starts[node.lineno - 1], self._starts[node.end_lineno - 1]
        return start + node.col_offset, end + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _made(self, node: ast.expr | ast.stmt, start: int, end: int, new: str) -> Mutant:
        return Mutant(self._file, node.lineno, start, end, self._source[start:end].decode(), new)

    def _replaced(self, node: ast.expr | ast.stmt, new: str) -> Mutant:
        return self._made(node, *self._span(node), new)

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[Mutant]:
        """Yield the change of the sign ``old`` between two operands to ``new``."""
        start, end = self._span(left)[1], self._span(right)[0]
        between = self._source[start:end].decode()
        if between.strip("() \n") == old:
            yield self._made(left, start, end, between.replace(old, new))

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        match node:
            case ast.Compare():
                for sign, left, right in zip(node.ops, (node.left, *node.comparators), node.comparators, strict=False):
                    yield from self._between(left, right, *_OPPOSITES[type(sign)])
            case ast.BoolOp():
                sign, neutral, other = ("and", "True", "or") if isinstance(node.op, ast.And) else ("or", "False", "and")
                yield from (self._replaced(value, neutral) for value in node.values)
                if len(node.values) == 2:
                    yield from self._between(*node.values, sign, other)
            case ast.UnaryOp(op=ast.Not()):
                yield self._replaced(node, f"({self._text(node.operand)})")
            case ast.If() | ast.IfExp() | ast.While() if not isinstance(node.test, ast.Compare | ast.BoolOp):
                yield self._replaced(node.test, f"not ({self._text(node.test)})")
            case ast.comprehension():
                yield from (self._replaced(test, "True") for test in node.ifs)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                signs = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
                yield from self._between(node.left, node.right, *signs)
            case ast.Constant(value=bool() as value):
                yield self._replaced(node, str(not value))
            case ast.Constant(value=int() as value):
                yield self._replaced(node, str(value + 1))
            case ast.Constant(value=str() as value) if 0 < len(value) < 40 and self._text(node).startswith(('"', "'")):
                yield self._replaced(node, repr(value + "X"))
            case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
                yield self._replaced(value, "None")
            case ast.Continue():
                yield self._replaced(node, "break")
            case ast.Break():
                yield self._replaced(node, "continue")
            case ast.Expr(value=ast.Call()) | ast.AugAssign():
                yield self._replaced(node, "pass")
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                if not isinstance(getattr(node, "ctx", None), ast.Store):
                    for element, following in itertools.pairwise(elements):
                        yield self._made(element, self._span(element)[0], self._span(following)[0], "")
            case _:
                pass


def _without_effect(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the parts of a module that change no answer.

    They are annotations, aliases of types, docstrings, assertions, sizes of caches, the options of data classes, and
    ``strict`` of zip.
    """
    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign():
                yield node.annotation
            case ast.arg(annotation=ast.expr() as annotation) | ast.FunctionDef(returns=ast.expr() as annotation):
                yield annotation
            case ast.Assert() | ast.JoinedStr():
                yield node
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                yield node
            case ast.Call(func=ast.Name(id="TypeVar" | "NewType" | "cast" | "lru_cache" | "dataclass")):
                yield node
            case ast.keyword(arg="strict"):
                yield node
            case ast.Assign(value=ast.Subscript(value=ast.Name(id=name))) if name in _GENERIC:
                yield node
            case ast.Expr(value=ast.Constant()):
                yield node
            case _:
                pass


def changes(file: str, source: str) -> list[Mutant]:
    """Return all changes of the module ``file``, whose text is ``source``."""
    return _Changes(file, source).found


def draw(seed: int, count: int, rooms: Iterable[str] = ROOMS) -> list[Mutant]:
    """Return ``count`` random mutants of ``rooms`` that Python can compile."""
    found = [
        mutant
        for room in rooms
        for path in sorted((ROOT / room).rglob("*.py"))
        if path.name != "tuning.py"
        for mutant in changes(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    ]
    random.Random(seed).shuffle(found)
    drawn: list[Mutant] = []
    while found and len(drawn) < count:
        mutant = found.pop()
        try:
            compile(_changed(ROOT, mutant), mutant.file, "exec")
        except SyntaxError:
            continue
        drawn.append(mutant)
    return drawn


def _changed(tree: Path, mutant: Mutant) -> bytes:
    source = (tree / mutant.file).read_bytes()
    assert source[mutant.start : mutant.end].decode() == mutant.old, "the files have changed since the draw"
    return source[: mutant.start] + mutant.new.encode() + source[mutant.end :]


def cover() -> None:
    """Record the tests of ``make test``, and the recorded findings, that run each line of the product."""
    import coverage

    FOLDER.mkdir(parents=True, exist_ok=True)
    recording = coverage.Coverage(
        data_file=str(FOLDER / "coverage"), source=[str(ROOT / "transpiler"), str(ROOT / "spark_ext")]
    )
    recording.erase()
    recording.start()
    pytest.main(["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not live", "tests"], [_Contexts(recording)])
    # Imported here because pytest rewrites the assertions of modules that it imports itself.
    from tests.golden.findings import answer, recorded

    findings = recorded()
    for number in range(0, len(findings), CHUNK):
        recording.switch_context(f"{_FINDINGS}{number}")
        for line in findings[number : number + CHUNK]:
            answer(line["input"])
    recording.stop()
    data = recording.get_data()
    contexts: dict[str, int] = {}
    lines: dict[str, dict[int, list[int]]] = {}
    for file in data.measured_files():
        of_file = lines.setdefault(str(Path(file).relative_to(ROOT)), {})
        for line, names in data.contexts_by_lineno(file).items():
            of_file[line] = [contexts.setdefault(name, len(contexts)) for name in names if name]
    COVERED.write_text(json.dumps({"contexts": list(contexts), "lines": lines}), encoding="utf-8")


class _Contexts:
    """A plugin of pytest that names the test that runs."""

    def __init__(self, recording: Any) -> None:
        self._recording = recording

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._recording.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self._recording.switch_context("")


@cache
def _covered() -> dict[str, Any]:
    if not COVERED.exists():
        sys.exit(f"{COVERED} does not exist: run python -m tests.mutants cover")
    covered: dict[str, Any] = json.loads(COVERED.read_text(encoding="utf-8"))
    return covered


@cache
def _is_on_spark(file: str) -> bool:
    text = (ROOT / file).read_text(encoding="utf-8")
    return "SparkSession" in text or 'usefixtures("spark"' in text


def _first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])


def _statement(mutant: Mutant) -> ast.stmt:
    """Return the innermost statement that contains the mutant."""
    tree = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and _first_line(node) <= mutant.line <= (node.end_lineno or 0)
    ]
    return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)))


@cache
def _sources() -> dict[str, dict[str, str]]:
    """Return the lines of each file that a test runs, by number."""
    return {
        file: {str(number): line for number, line in enumerate((ROOT / file).read_text("utf-8").splitlines(), 1)}
        for file in _covered()["lines"]
    }


def _readers(statement: ast.stmt) -> set[int]:
    """Return the contexts that run a line with a name that ``statement`` defines.

    The statement itself is run when its module is imported.
    """
    targets = [
        node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    if isinstance(statement, ast.ClassDef | ast.FunctionDef):
        targets = [statement.name]
    word = re.compile(rf"\b(?:{'|'.join(targets)})\b")
    return {
        number
        for file, lines in _covered()["lines"].items()
        for line, numbers in lines.items()
        if targets and word.search(_sources()[file].get(line, ""))
        for number in numbers
    }


def _is_in_function(mutant: Mutant) -> bool:
    tree = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return any(node.body[0].lineno <= mutant.line <= (node.end_lineno or 0) for node in functions)


def _contexts(mutant: Mutant) -> list[str]:
    """Return, in random order, the tests and findings that run the changed statement.

    A statement outside of functions is run by the test that happens to import the module first. For such a statement,
    return the tests that read its names, those that run its module, and then all others.
    """
    names, lines = _covered()["contexts"], _covered()["lines"].get(mutant.file, {})
    statement = _statement(mutant)
    body = getattr(statement, "body", None)
    own = range(_first_line(statement), body[0].lineno if body else (statement.end_lineno or 0) + 1)
    groups = [{number for line in own for number in lines.get(str(line), ())}]
    if not groups[0] or not _is_in_function(mutant):
        module = {number for of_line in lines.values() for number in of_line}
        groups = [_readers(statement), module, {*range(len(names))}]
    ordered: dict[int, None] = {}
    for group in groups:
        ordered |= dict.fromkeys(random.Random(0).sample(sorted(group), len(group)))
    return [names[number] for number in ordered]


def _covering(mutant: Mutant) -> Steps:
    """Return the steps that run the changed statement: tests, recorded findings, and tests on Spark."""
    contexts = _contexts(mutant)
    tests = [name for name in contexts if not name.startswith(_FINDINGS)]
    plain = [name for name in tests if not _is_on_spark(name.split("::")[0])][:MOST]
    on_spark = [name for name in tests if _is_on_spark(name.split("::")[0])][:MOST_ON_SPARK]
    findings = [name.removeprefix(_FINDINGS) for name in contexts if name.startswith(_FINDINGS)]
    return {
        "tests": [*_PYTEST, *plain] if plain else [],
        "findings": ["-m", "tests.mutants", "answers", *findings] if findings else [],
        "Spark": [*_PYTEST, *on_spark] if on_spark else [],
    }


def notice(mutant: Mutant, tree: Path, steps: Steps) -> str:
    """Return the first of ``steps`` that notices ``mutant`` in the working tree ``tree``; "" if none does."""
    file = tree / mutant.file
    source = file.read_bytes()
    file.write_bytes(_changed(tree, mutant))
    try:
        return next((step for step, arguments in steps.items() if arguments and not _passes(arguments, tree)), "")
    finally:
        file.write_bytes(source)


def _passes(arguments: list[str], tree: Path) -> bool:
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED)


def answers(numbers: list[int]) -> int:
    """Return 1 if the answer to a recorded finding has changed; ``numbers`` are the first ones of chunks."""
    from tests.golden.findings import answer, recorded_lines

    lines = recorded_lines()
    chosen = [json.loads(line) for number in numbers for line in lines[number : number + CHUNK]]
    return int(any(answer(line["input"]) != line["answer"] for line in chosen))


def run(kept: Path, mutants: Sequence[Mutant], steps_of: Callable[[Mutant], Steps]) -> None:
    """Print how many of ``mutants`` each step notices, and those that are alive; ``kept`` is the file of results."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    known = (
        {Mutant(*row): step for row, step in map(json.loads, kept.read_text().splitlines())} if kept.exists() else {}
    )
    trees: SimpleQueue[Path] = SimpleQueue()
    for number in range(PROCESSES):
        trees.put(_working_tree(FOLDER / f"tree{number}"))

    def noticed(mutant: Mutant) -> str:
        if mutant in known:
            return known[mutant]
        tree = trees.get()
        try:
            step = notice(mutant, tree, steps_of(mutant))
        finally:
            trees.put(tree)
        with kept.open("a", encoding="utf-8") as out:
            out.write(json.dumps([mutant, step]) + "\n")
        return step

    with ThreadPoolExecutor(PROCESSES) as pool:
        steps = list(pool.map(noticed, mutants))
    for step, number in Counter(steps).most_common():
        print(f"{number:5}  {f'noticed by {step}' if step else 'alive'}")
    for mutant, step in zip(mutants, steps, strict=True):
        if not step:
            print(mutant)


def _working_tree(tree: Path) -> Path:
    """Return ``tree``, a working tree of the current commit, which is made if it does not exist."""
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    if tree.exists():
        subprocess.run(["git", "checkout", "--quiet", "--force", "--detach", head], cwd=tree, check=True)
    else:
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(tree), head], cwd=ROOT, check=True)
        (tree / ".venv").symlink_to(ROOT / ".venv")
    return tree


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("cover", help="record which tests run which lines")
    running = commands.add_parser("run", help="draw mutants, and print those that no test notices")
    alone = commands.add_parser(
        "alone", help="draw mutants of a folder, and print those that given tests do not notice"
    )
    alone.add_argument("room", help="a folder of the product, such as transpiler/routing")
    alone.add_argument("tests", help="a folder of tests, such as tests/routing")
    for drawing, count in ((running, 200), (alone, 60)):
        drawing.add_argument("--seed", type=int, required=True)
        drawing.add_argument("--count", type=int, default=count)
    answering = commands.add_parser("answers", help="compare the answers to some recorded findings")
    answering.add_argument("numbers", type=int, nargs="+")
    options = parser.parse_args()
    match options.command:
        case "cover":
            cover()
        case "run":
            run(FOLDER / f"{options.seed}.jsonl", draw(options.seed, options.count), _covering)
        case "alone":
            kept = FOLDER / f"{options.room.replace('/', '-')}-{options.seed}.jsonl"
            mutants = draw(options.seed, options.count, [options.room])
            run(kept, mutants, lambda _: {options.tests: [*_PYTEST, options.tests]})
        case "answers":
            return answers(options.numbers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
