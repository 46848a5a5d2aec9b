"""The house: a module imports from lower floors only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: From the ground up; a longer name says more about its own module than its package does.
FLOORS = (
    "transpiler.source",
    "transpiler.diagnostics",
    "transpiler.errors",
    "transpiler.jsontext",
    "transpiler.message.types",
    "transpiler.message.documents",
    "transpiler.amqp",
    "transpiler.message.fields",
    "transpiler.message.operand_types",
    "transpiler.message.broker_fields",
    "transpiler.message.ids",
    "transpiler.message.equality",
    "transpiler.message.kinds",
    "transpiler.message.subscriptions",
    "transpiler.message.sections",
    "transpiler.message.json",
    "transpiler.message.wire",
    "transpiler.message.message",
    "transpiler.message.rabbitmq",
    "transpiler.selector.ast",
    "transpiler.selector.rules",
    "transpiler.selector.dialects",
    "transpiler.selector.reserved",
    "transpiler.selector.deviations",
    "transpiler.selector.pattern",
    "transpiler.selector.characters",
    "transpiler.selector.regular",
    "transpiler.selector.following",
    "transpiler.selector.replacement",
    "transpiler.selector.searching",
    "transpiler.selector.numbers",
    "transpiler.selector.lexer",
    "transpiler.selector.words",
    "transpiler.selector.expected",
    "transpiler.selector.misplaced",
    "transpiler.selector.mistaken_lists",
    "transpiler.selector.foreign",
    "transpiler.selector.mistakes",
    "transpiler.selector.tokens",
    "transpiler.selector.driver",
    "transpiler.selector.limits",
    "transpiler.selector.parser",
    "transpiler.selector.kinds",
    "transpiler.selector.check",
    "transpiler.selector.whole_numbers",
    "transpiler.selector.value_sets",
    "transpiler.selector.satisfiability",
    "transpiler.selector.lint",
    "transpiler.selector.printer",
    "transpiler.selector.vocabulary",
    "transpiler.selector.renaming",
    "transpiler.filters",
    "transpiler.topology",
    "transpiler.reference",
    "transpiler.layouts",
    "transpiler.predicate",
    "transpiler.analysis",
    "transpiler.optimizer",
    "transpiler.sql.quoting",
    "transpiler.sql.documents",
    "transpiler.sql.binding",
    "transpiler.sql.patterns",
    "transpiler.sql.templates",
    "transpiler.sql.lists",
    "transpiler.sql.emitter",
    "transpiler.sql",
    "transpiler.stencils",
    "transpiler.collector",
    "transpiler.compiler",
    "transpiler.routing.shapes",
    "transpiler.routing.bounds",
    "transpiler.routing.ranks",
    "transpiler.routing.selectors",
    "transpiler.routing",
    "transpiler.comparing",
    "transpiler.porting.places",
    "transpiler.porting.samples",
    "transpiler.porting.trial",
    "transpiler.porting.patterns",
    "transpiler.porting.candidates",
    "transpiler.porting.port",
    "transpiler.porting",
    "transpiler",
    "transpiler.cli",
    "spark_ext.schemas",
    "spark_ext.methods",
    "spark_ext.traces",
    "spark_ext.columns",
    "spark_ext.joins",
    "spark_ext.look_ups",
    "spark_ext.tables",
    "spark_ext.found",
    "spark_ext.topics",
    "spark_ext.relay",
    "spark_ext.published",
    "spark_ext.composing",
    "spark_ext.outcomes",
    "spark_ext.routing",
    "spark_ext.backtests",
    "spark_ext.comparing",
    "spark_ext",
    "spark_ext.cli_jobs",
    "spark_ext.cli_routing",
    "spark_ext.cli",
)
WITH_SLY = {
    "transpiler.selector.lexer",
    "transpiler.selector.words",
    "transpiler.selector.expected",
    "transpiler.selector.misplaced",
    "transpiler.selector.mistaken_lists",
    "transpiler.selector.foreign",
    "transpiler.selector.mistakes",
    "transpiler.selector.tokens",
    "transpiler.selector.driver",
    "transpiler.selector.limits",
    "transpiler.selector.parser",
}
JUDGED = ("analysis", "predicate", "optimizer", "layouts", "sql", "compiler")
MODULES = sorted([*ROOT.glob("transpiler/**/*.py"), *ROOT.glob("spark_ext/**/*.py")])


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor(module: str) -> int:
    if module in ("transpiler.message", "transpiler.selector"):
        return 0
    while module not in FLOORS:
        module = module.rpartition(".")[0]
    return FLOORS.index(module)


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
def test_a_module_imports_from_lower_floors_only(path: Path) -> None:
    own = name_of(path)
    for module in imports(path):
        if module.split(".")[0] in ("transpiler", "spark_ext") and module.rpartition(".")[0] != own:
            assert floor(module) <= floor(own), f"{own} imports {module}, which stands above it"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_foreign_packages_stay_in_their_rooms(path: Path) -> None:
    own, roots = name_of(path), {module.split(".")[0] for module in imports(path)}
    assert "sly" not in roots or own in WITH_SLY
    assert "pyspark" not in roots or own.startswith("spark_ext")
    assert not roots & {"click", "rich"} or own.startswith(("transpiler.cli", "spark_ext.cli"))


@pytest.mark.parametrize("path", sorted(ROOT.glob("transpiler/reference/*.py")), ids=name_of)
def test_the_oracle_shares_nothing_that_it_judges(path: Path) -> None:
    for module in imports(path):
        assert not module.startswith(tuple(f"transpiler.{part}" for part in JUDGED))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_can_be_read_at_a_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_the_grammar_has_no_conflicts() -> None:
    from transpiler.selector.parser import SelectorParser

    assert SelectorParser._lrtable.sr_conflicts == []
    assert SelectorParser._lrtable.rr_conflicts == []


def test_the_public_names_are_few() -> None:
    import transpiler

    assert len(transpiler.__all__) <= 25
    assert all(hasattr(transpiler, name) for name in transpiler.__all__)
