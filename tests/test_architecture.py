"""Foreign packages and the size of modules; pyproject.toml has the layers, as contracts of import-linter."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

WITH_SLY = {
    "transpiler.language.selector.lexer",
    "transpiler.language.selector.token_rewriting",
    "transpiler.language.selector.grammar",
    "transpiler.language.selector.parsing",
}
#: Names that several modules have, which are of one thing: in the compiler and the evaluator, in a command and the tool
#: behind it, in the plan of a route and its query in Spark.
COUNTERPARTS = {
    *("arithmetic", "comparison", "documents", "functions", "headers", "operands", "xpath", "xquery"),
    *(
        "check",
        "compare_dialects",
        "diff",
        "explain",
        "match",
        "port",
        "route",
        "__main__",
    ),
    *("choices", "columns", "constant_tables", "exchange_graph", "inputs", "schemas", "tuning"),
    "json",
}
MODULES = sorted([*ROOT.glob("transpiler/**/*.py"), *ROOT.glob("spark_ext/**/*.py")])


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {
                f"{node.module}.{alias.name}"
                if (ROOT / node.module.replace(".", "/") / f"{alias.name}.py").exists()
                else node.module
                for alias in node.names
            }
    return found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_foreign_packages_stay_in_their_rooms(path: Path) -> None:
    own, roots = name_of(path), {module.split(".")[0] for module in imports(path)}
    assert "sly" not in roots or own in WITH_SLY
    assert "pyspark" not in roots or own.startswith("spark_ext")
    assert not roots & {"click", "rich"} or own.startswith(("transpiler.cli", "spark_ext.cli"))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_can_be_read_at_a_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_only_counterparts_share_a_name() -> None:
    names = Counter(path.stem for path in MODULES if path.stem != "__init__")
    assert {name for name, count in names.items() if count > 1} == COUNTERPARTS


def test_the_grammar_has_no_conflicts() -> None:
    from transpiler.language.selector.grammar import SelectorParser

    assert SelectorParser._lrtable.sr_conflicts == []
    assert SelectorParser._lrtable.rr_conflicts == []


def test_the_public_names_are_few() -> None:
    import transpiler

    assert len(transpiler.__all__) <= 32
    assert all(hasattr(transpiler, name) for name in transpiler.__all__)
