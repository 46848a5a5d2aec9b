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
    "transpiler.message.jms_types",
    "transpiler.message.subscriptions",
    "transpiler.message.sections",
    "transpiler.message.json",
    "transpiler.message.codec",
    "transpiler.message.message",
    "transpiler.message.rabbitmq_trace",
    "transpiler.selector.ast",
    "transpiler.selector.dialect_rules",
    "transpiler.selector.dialects",
    "transpiler.selector.keywords",
    "transpiler.selector.deviations",
    "transpiler.selector.pattern",
    "transpiler.regex.characters",
    "transpiler.regex.syntax",
    "transpiler.regex.determinism",
    "transpiler.regex.replacement",
    "transpiler.regex.matcher",
    "transpiler.selector.numbers",
    "transpiler.selector.lexer",
    "transpiler.selector.words",
    "transpiler.selector.syntax_messages",
    "transpiler.selector.misplaced",
    "transpiler.selector.mistaken_lists",
    "transpiler.selector.foreign",
    "transpiler.selector.mistakes",
    "transpiler.selector.token_rewriting",
    "transpiler.selector.lr_driver",
    "transpiler.selector.limits",
    "transpiler.selector.grammar",
    "transpiler.selector.dialect_checks",
    "transpiler.selector.checks",
    "transpiler.selector.integer_sets",
    "transpiler.selector.value_sets",
    "transpiler.selector.satisfiability",
    "transpiler.selector.lint",
    "transpiler.selector.printer",
    "transpiler.selector.header_links",
    "transpiler.selector.header_names",
    "transpiler.filters",
    "transpiler.topology",
    "transpiler.reference",
    "transpiler.layouts",
    "transpiler.predicate",
    "transpiler.analysis",
    "transpiler.rewrites.optimizer",
    "transpiler.sql.quoting",
    "transpiler.sql.xml",
    "transpiler.sql.precedence",
    "transpiler.sql.patterns",
    "transpiler.sql.function_templates",
    "transpiler.sql.constant_arrays",
    "transpiler.sql.emitter",
    "transpiler.sql",
    "transpiler.stencils",
    "transpiler.gc_pause",
    "transpiler.compiler",
    "transpiler.routing.signatures",
    "transpiler.routing.prefilter",
    "transpiler.routing.interval_index",
    "transpiler.routing.parameterize",
    "transpiler.routing",
    "transpiler.dialect_tools.compare_dialects",
    "transpiler.dialect_tools.port.field_mapping",
    "transpiler.dialect_tools.port.sample_messages",
    "transpiler.dialect_tools.port.equivalence",
    "transpiler.dialect_tools.port.like_patterns",
    "transpiler.dialect_tools.port.candidates",
    "transpiler.dialect_tools.port.port",
    "transpiler.dialect_tools.port",
    "transpiler",
    "transpiler.cli",
    "spark_ext.schemas",
    "spark_ext.routing.codegen_budget",
    "spark_ext.traces",
    "spark_ext.columns",
    "spark_ext.routing.broadcast_join",
    "spark_ext.routing.lookups",
    "spark_ext.routing.constant_tables",
    "spark_ext.routing.deliveries",
    "spark_ext.routing.topic_sql",
    "spark_ext.routing.relay",
    "spark_ext.routing.routing_keys",
    "spark_ext.routing.exchange_graph",
    "spark_ext.routing.outcomes",
    "spark_ext.routing",
    "spark_ext.backtests",
    "spark_ext.compare_dialects",
    "spark_ext",
    "spark_ext.cli_jobs",
    "spark_ext.cli_routing",
    "spark_ext.cli",
)
WITH_SLY = {
    "transpiler.selector.lexer",
    "transpiler.selector.words",
    "transpiler.selector.syntax_messages",
    "transpiler.selector.misplaced",
    "transpiler.selector.mistaken_lists",
    "transpiler.selector.foreign",
    "transpiler.selector.mistakes",
    "transpiler.selector.token_rewriting",
    "transpiler.selector.lr_driver",
    "transpiler.selector.limits",
    "transpiler.selector.grammar",
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
    from transpiler.selector.grammar import SelectorParser

    assert SelectorParser._lrtable.sr_conflicts == []
    assert SelectorParser._lrtable.rr_conflicts == []


def test_the_public_names_are_few() -> None:
    import transpiler

    assert len(transpiler.__all__) <= 25
    assert all(hasattr(transpiler, name) for name in transpiler.__all__)
