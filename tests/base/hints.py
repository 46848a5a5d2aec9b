"""Every hint in the code, as a template, and the kind of its proposal: ``python -m tests.base.hints`` prints the table.

A hint is a proposal if one of its clauses is an order ("write …", "remove it"), or asks "did you mean". The proposal is
data if the same diagnostic has a ``fix``, if a hint of the table of mistakes has its text between « and », or if the
hint is an ``Advice`` of two elements.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_VERBS = """add cast change choose close compare compile create declare exchange exclude give join keep leave let mend
move name put remove rename repeat replace say select shorten spell split take use write""".split()
_ORDER = re.compile(rf"(?:^|[;:?.] |, or |; or )(?:{'|'.join(_VERBS)}) |[Dd]id you mean")


class Hint(NamedTuple):
    """A hint: its file and line, its template, and whether its proposal is also available as data."""

    file: str
    line: int
    text: str
    has_data: bool

    @property
    def kind(self) -> str:
        """The kind of the hint: ``data``, ``perhaps``, ``fact``, or ``order`` for a proposal without data
        or "perhaps".
        """
        if self.has_data:
            return "data"
        if "perhaps" in self.text.lower():
            return "perhaps"
        return "order" if _ORDER.search(self.text) else "fact"


def hints() -> Iterator[Hint]:
    """Yield the hints of ``transpiler`` and ``spark_ext`` in the order of their files."""
    files = [path for package in ("transpiler", "spark_ext") for path in sorted((ROOT / package).rglob("*.py"))]
    trees = {path: ast.parse(text) for path in files if "hint" in (text := path.read_text("utf-8")) or "Row(" in text}
    hint_indexes = _hint_indexes(trees.values())
    for path, tree in trees.items():
        found = _Hints(hint_indexes)
        found.visit(tree)
        # Several diagnostics of one function may share a variable.
        with_data = {(line, text) for line, text, has_data in found.hints if has_data}
        for line, text in dict.fromkeys((line, text) for line, text, _ in found.hints):
            yield Hint(str(path.relative_to(ROOT)), line, text, (line, text) in with_data)


def _hint_indexes(trees: Iterable[ast.Module]) -> dict[str, int]:
    """Return the index of the argument ``hint`` in a call, for each function that has a parameter of this name."""
    indexes = {"Diagnostic": 5, "at": 4, "at_path": 4, "Violation": 2, "Advice": 0, "Row": 1, "Unusable": 1, "_hint": 1}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                names = [one.arg for one in node.args.args]
                if "hint" in names and node.name != "__init__":
                    indexes[node.name] = names.index("hint") - (names[0] in ("self", "cls"))
    return indexes


class _Hints(ast.NodeVisitor):
    """A visitor that collects the hints of a module: arguments of calls, and values of a variable ``hint``."""

    def __init__(self, hint_indexes: dict[str, int]) -> None:
        self.hint_indexes, self.hints = hint_indexes, list[tuple[int, str, bool]]()
        self._assigned: dict[str, list[ast.expr]] = defaultdict(list)
        self._module: dict[str, list[ast.expr]] = self._assigned

    def visit_Module(self, node: ast.Module) -> None:
        for part in node.body:
            if isinstance(part, ast.Assign):
                for target in part.targets:
                    self._assign(target, part.value)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer, self._assigned = self._assigned, defaultdict(list)
        for part in ast.walk(node):
            if isinstance(part, ast.Assign):
                for target in part.targets:
                    self._assign(target, part.value)
        self.generic_visit(node)
        self._assigned = outer

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._assigned[target.id].append(value)
        elif isinstance(target, ast.Tuple):
            parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            for part in parts:
                for one, own in zip(target.elts, getattr(part, "elts", ()), strict=False):
                    self._assign(one, own)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        index = self.hint_indexes.get(name)
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        hint = named.get("hint")
        if hint is None and index is not None and index < len(node.args):
            hint = node.args[index]
        if hint is not None:
            # The fix is the argument after the hint, or for a lint warning the argument after its severity.
            behind = node.args[(index or 0) + 1 + (name == "Violation") :][:1] if name != "Row" else ()
            fix = named.get("fix") or next(iter(behind), None)
            has_fix = fix is not None and not (isinstance(fix, ast.Constant) and fix.value is None)
            for line, text in self._texts(hint, 0):
                self.hints.append((line, text, has_fix or ("«" in text and name in ("Row", "_hint"))))
        self.generic_visit(node)

    def _part(self, node: ast.expr) -> str:
        """Return one piece of a template: its text, or in braces the expression whose value is not known statically."""
        if not isinstance(node, ast.FormattedValue):
            return str(ast.literal_eval(node))
        constant = self._module.get(node.value.id, ()) if isinstance(node.value, ast.Name) else ()
        if len(constant) == 1 and isinstance(constant[0], ast.Constant):
            return str(constant[0].value)
        return f"{{{ast.unparse(node.value)}}}"

    def _texts(self, node: ast.expr, depth: int) -> Iterator[tuple[int, str]]:
        match node:
            case ast.Constant(value=str() as text) if text:
                yield node.lineno, text
            case ast.JoinedStr(values=values):
                yield node.lineno, "".join(map(self._part, values))
            case ast.IfExp(body=body, orelse=orelse):
                yield from (*self._texts(body, depth), *self._texts(orelse, depth))
            case ast.BoolOp(values=values):
                for value in values:
                    yield from self._texts(value, depth)
            case ast.Name(id=name) if depth < 3:
                for value in self._assigned.get(name, self._module.get(name, [])):
                    yield from self._texts(value, depth + 1)
            case _:
                return


if __name__ == "__main__":
    for one in sorted(set(hints())):
        print(one.kind, f"{one.file}:{one.line}", one.text, sep="\t")
