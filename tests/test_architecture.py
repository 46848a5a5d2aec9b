"""The structure of the code: imports of foreign packages, sizes of modules, and knowledge of types.

The layers are contracts of import-linter in pyproject.toml.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

import spark_ext
import transpiler
from tests.pages import DOCS, blocks
from transpiler.language.filters.kinds import Filter
from transpiler.topology.exchange_types import EXCHANGE_KINDS

ROOT = Path(__file__).parent.parent

WITH_SLY = {
    "transpiler.language.selector.lexer",
    "transpiler.language.selector.token_rewriting",
    "transpiler.language.selector.grammar",
    "transpiler.language.selector.parsing",
}
#: Names that several modules have because they treat the same subject: in the compiler and the evaluator, in a command
#: and the tool that it calls, in the plan of a route and its query in Spark, in the interface and a command.
COUNTERPARTS = {
    *("arithmetic", "comparison", "documents", "functions", "headers", "operands", "paths"),
    *(
        "check",
        "compare_dialects",
        "diff",
        "explain",
        "port",
        "route",
        "__main__",
    ),
    *("choices", "columns", "conditions", "constant_tables", "inputs", "schemas", "tuning"),
    *("layouts", "messages", "testing", "topologies"),
    "publication",
    "json",
}
MODULES = sorted([*ROOT.glob("transpiler/**/*.py"), *ROOT.glob("spark_ext/**/*.py")])


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return the nodes of the syntax tree of a module."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path) -> set[str]:
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {
                f"{node.module}.{alias.name}"
                if (ROOT / node.module.replace(".", "/") / f"{alias.name}.py").exists()
                else node.module
                for alias in node.names
            }
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "import_module":
            found |= {name.value for name in node.args if isinstance(name, ast.Constant)}
    return found


def test_foreign_packages_stay_in_their_rooms() -> None:
    for path in MODULES:
        own, roots = name_of(path), {module.split(".")[0] for module in imports(path)}
        assert "sly" not in roots or own in WITH_SLY, own
        assert "pyspark" not in roots or own.startswith("spark_ext"), own
        assert not roots & {"click", "rich"} or own.startswith(("transpiler.cli", "spark_ext.cli")), own


def test_no_module_exceeds_the_maximum_size() -> None:
    lines = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count > 800} == {}


def test_only_counterparts_share_a_name() -> None:
    names = Counter(path.stem for path in MODULES if path.stem != "__init__")
    assert {name for name, count in names.items() if count > 1} == COUNTERPARTS


def test_the_grammar_has_no_conflicts() -> None:
    from transpiler.language.selector.grammar import SelectorParser

    assert SelectorParser._lrtable.sr_conflicts == []
    assert SelectorParser._lrtable.rr_conflicts == []


def test_the_public_names_are_few() -> None:
    assert len(transpiler.__all__) <= 36


@pytest.mark.parametrize("package", [transpiler, spark_ext], ids=lambda package: package.__name__)
def test_type_checkers_see_the_names_that_are_loaded_on_demand(package: ModuleType) -> None:
    tree = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
    [checked] = [node for node in tree.body if isinstance(node, ast.If) and not isinstance(node.test, ast.UnaryOp)]
    seen = {
        alias.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == package._MODULES
    assert sorted(seen) == sorted(package.__all__)
    assert all(getattr(package, name) is not None for name in package.__all__)


def interface(module: str) -> bool:
    """Return True if ``module`` is public: a package, or a file at the top of a package."""
    return (module.count(".") <= 1 and not (ROOT / module.replace(".", "/")).is_dir()) or module.count(".") == 0


def shown_code() -> Iterator[tuple[str, str]]:
    """Yield the path or file name and the Python code of each page, each example and each notebook."""
    for page in ("README.md", *(str(path.relative_to(ROOT)) for path in sorted(DOCS.rglob("*.md")))):
        yield page, "\n".join(block.text for block in blocks(page) if block.language == "python")
    for path in sorted((ROOT / "examples").glob("**/*.py")):
        yield path.name, path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "examples").glob("**/*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield path.name, "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def test_documentation_and_examples_import_only_files_at_the_top() -> None:
    for name, code in shown_code():
        named = re.findall(r"^\s*(?:from|import) ((?:transpiler|spark_ext)[\w.]*)", code, re.MULTILINE)
        assert [module for module in named if not interface(module)] == [], name


def test_a_page_names_only_files_at_the_top() -> None:
    for page in (ROOT / "README.md", *sorted(DOCS.rglob("*.md"))):
        text = page.read_text(encoding="utf-8")
        named = {f"{package}.{name}" for package, name in re.findall(r"`(transpiler|spark_ext)\.(\w+)\.", text)}
        assert [module for module in sorted(named) if not interface(module)] == [], page


def test_no_file_imports_itself_by_way_of_others() -> None:
    graph = TopologicalSorter({name_of(path): imports(path) - {name_of(path)} for path in MODULES})
    graph.prepare()


#: Program that parses and compiles its first selector. It prints which of its own files were loaded, and which contain
#: functions that were entered, in order.
FIRST_SELECTOR = """
import json, sys

passed, root = [], sys.argv[1]

def own(frame):
    return frame is not None and frame.f_code.co_filename.startswith(root)

def follow(frame, event, argument):
    entered = frame if event == "call" else frame.f_back if event == "return" and own(frame) else None
    if own(entered) and passed[-1:] != [entered.f_code.co_filename]:
        passed.append(entered.f_code.co_filename)

sys.setprofile(follow)
from transpiler import transpile_selector
transpile_selector("color = 'red'")
sys.setprofile(None)
loaded = [module.__file__ for module in sys.modules.values() if getattr(module, "__file__", None)]
print(json.dumps([[path for path in loaded if path.startswith(root)], passed]))
"""


@pytest.fixture(scope="module")
def first_selector() -> tuple[list[str], list[str]]:
    command = [sys.executable, "-c", FIRST_SELECTOR, f"{ROOT}/transpiler/"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded, passed = json.loads(run.stdout)
    return loaded, passed


#: Token types that do not make a line a line of code.
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(path: Path) -> int:
    """Count the lines of the file ``path`` that contain code. Docstrings and comments do not delay a program."""
    lines: set[int] = set()
    first = True
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type in _LAYOUT:
                continue
            is_docstring = token.type == tokenize.STRING and first
            first = token.type == tokenize.NEWLINE
            if not first and not is_docstring:
                lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


@pytest.mark.full
def test_a_plain_selector_loads_few_lines_of_code(first_selector: tuple[list[str], list[str]]) -> None:
    loaded, _ = first_selector
    assert sum(code_lines(Path(path)) for path in loaded) <= 8_500, sorted(loaded)
    names = {name_of(Path(path)).rpartition(".")[2] for path in loaded}
    assert not names & {
        "paths",
        "xpath",
        "xml",
        "documents",
        "amqp_0_10",
        "html",
        "printer",
        "header_names",
        "broker_fields",
    }


@pytest.mark.full
def test_a_plain_selector_changes_files_at_most_430_times(first_selector: tuple[list[str], list[str]]) -> None:
    _, passed = first_selector
    assert len(passed) <= 430


#: The modules that know the kinds of filters and types of exchanges. The other modules in their rooms read and write
#: these kinds and types as they appear in files.
KNOWING = (
    "transpiler/language/filters/",
    "transpiler/topology/exchange_types.py",
    "transpiler/topology/broker_rules.py",
    "transpiler/topology/qpid_address/",
    "transpiler/topology/importers/",
)
KINDS_OF_FILTERS = {kind.__name__ for kind in get_args(Filter)}
TYPES_OF_EXCHANGES = set(EXCHANGE_KINDS) - {"unknown"}


def dispatches(path: Path) -> Iterator[str]:
    """Yield the lines of ``path`` that test for the kind of a filter or for the name of an exchange type."""

    def names_type(node: ast.AST) -> bool:
        inner = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
        return any(isinstance(one, ast.Constant) and one.value in TYPES_OF_EXCHANGES for one in inner)

    def asks_for_type(node: ast.AST) -> bool:
        return (isinstance(node, ast.Attribute) and node.attr == "type") or (
            isinstance(node, ast.Name) and node.id in ("exchange_type", "kind")
        )

    for node in nodes_of(path):
        match node:
            case ast.Compare(left=left, comparators=[right]) if asks_for_type(left) and names_type(right):
                yield f"{path}:{node.lineno}"
            case ast.MatchValue(value=ast.Constant(value=str() as value)) if value in TYPES_OF_EXCHANGES:
                yield f"{path}:{node.lineno}"
            case ast.MatchClass(cls=ast.Name(id=name)) if name in KINDS_OF_FILTERS:
                yield f"{path}:{node.lineno}"
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id=name)]) if name in KINDS_OF_FILTERS:
                yield f"{path}:{node.lineno}"


def test_only_conditions_know_kinds_of_filters_and_types_of_exchanges() -> None:
    asking = [path for path in MODULES if not path.relative_to(ROOT).as_posix().startswith(KNOWING)]
    assert [line for path in asking for line in dispatches(path)] == []


def test_a_dispatch_on_types_or_kinds_is_found(tmp_path: Path) -> None:
    written = tmp_path / "dispatching.py"
    written.write_text(
        """if exchange.type == "headers": pass
if exchange_type in ("topic", "x"): pass
match exchange.type:
    case "direct" | "fanout": pass
match node:
    case NoLocal(): pass
isinstance(node, JmsSelector)
"""
    )
    assert len(list(dispatches(written))) == 6
