"""The pages of the site and the README are true: commands print what the page shows, and Python blocks run.

``test_docs_spark`` runs the commands and blocks that need Spark.
"""

from __future__ import annotations

import json
import pkgutil
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from inspect import Parameter, getdoc, signature
from pathlib import Path
from types import FunctionType
from typing import Any

import griffe
import pytest
from click.testing import CliRunner

import spark_ext
import transpiler
from spark_ext.cli.commands import main as selector_spark
from tests.pages import DOCS, PAGES, ROOT, Block, Step, blocks, lay_out, read, steps, without_times
from transpiler import (
    DecodeError,
    Message,
    Publisher,
    TranspilerError,
    evaluate,
    layouts,
    messages,
    parse_selector,
    route_message,
    stores,
    testing,
    topologies,
    transpile_filter,
    transpile_selector,
)
from transpiler.cli import main as selector_sql
from transpiler.language.selector.dialects import DIALECTS
from transpiler.topologies import topology_from_dict

FILTER = {"descriptor": "apache.org:legacy-amqp-headers-binding:map", "value": {"a": 1}}
VERDICTS = {"TRUE": True, "FALSE": False, "unknown": None}


@pytest.mark.parametrize("script", sorted(DOCS.glob("*.py")), ids=lambda path: path.stem)
def test_a_page_is_what_its_script_writes(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == script.with_suffix(".md").read_text(encoding="utf-8")


def test_the_plots_are_those_of_the_results() -> None:
    pictures = runpy.run_path(str(DOCS / "site" / "speed_plots.py"))["pictures"]()
    assert len(pictures) == 2
    for path, text in pictures:
        assert path.read_text(encoding="utf-8") == text, "run: python docs/site/speed_plots.py"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_no_block_that_nothing_runs(page: str) -> None:
    before = ""
    for block in blocks(page):
        named = "." in block.word
        assert named or block.language in {"python", "console", "sh", "json", "text", "sql"}, block
        if block.language == "text" and not named:
            assert before == "python", f"nothing prints {block.text!r}"
        before = block.language


def commands(program: str) -> list[Any]:
    return [
        pytest.param(page, step, id=f"{page}: {' '.join(step.words)}")
        for page in PAGES
        for step in steps(page)
        if step.words[0] == program
    ]


def check_step(page: str, step: Step, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(page, folder)
    monkeypatch.chdir(folder)
    program = {"selector-sql": selector_sql, "selector-spark": selector_spark}[step.words[0]]
    output = CliRunner().invoke(program, step.words[1:], input=step.given).output
    assert without_times(output) == step.printed


@pytest.mark.parametrize(("page", "step"), commands("selector-sql"))
def test_a_command_prints_what_the_page_says(
    page: str, step: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_step(page, step, tmp_path, monkeypatch)


def test_every_command_of_a_page_is_one_of_the_two_programs() -> None:
    assert {step.words[0] for page in PAGES for step in steps(page)} == {"selector-sql", "selector-spark"}


def needs_spark(page: str) -> bool:
    return any(block.language == "python" and "spark" in block.text for block in blocks(page))


PYTHON = [page for page in PAGES if any(block.language == "python" for block in blocks(page))]


def run_python(page: str, names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    printed = ""
    for block in blocks(page):
        if block.language == "python":
            code = compile(block.text, page, "exec", dont_inherit=True)
            if block.word != "no-run":
                exec(code, names)
            printed = capsys.readouterr().out
        elif block.language == "sql" and not block.word:
            names["spark"].sql(block.text).collect()
        elif block.language == "console":
            for step in map(str.strip, re.findall(r"^CREATE .*$", block.text, re.MULTILINE)):
                names["spark"].sql(re.sub("^CREATE (?!OR REPLACE)", "CREATE OR REPLACE ", step))
        elif block.language == "text" and not block.word:
            assert printed == block.text


@pytest.mark.parametrize("page", [page for page in PYTHON if not needs_spark(page)])
def test_the_python_of_a_page_runs(
    page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    run_python(page, {"__name__": "page"}, capsys)


def json_blocks() -> list[Block]:
    return [block for page in PAGES for block in blocks(page) if block.language == "json" and not block.word]


def test_a_message_in_json_is_a_message() -> None:
    assert json_blocks()
    for block in json_blocks():
        assert Message.from_dict(json.loads(block.text)).to_dict() == json.loads(block.text)


def rows(page: str, pattern: str) -> list[tuple[str, ...]]:
    return re.findall(pattern, read(page), re.MULTILINE)


@pytest.mark.parametrize(("page", "least"), [("docs/meaning.md", 30), ("docs/language.md", 20)])
def test_the_verdicts_of_a_page_on_the_language_are_those_of_the_evaluator(page: str, least: int) -> None:
    judged = rows(page, r"^\| `(.+?)` \| `(\{.*\})` \| (TRUE|FALSE|unknown) \|")
    assert len(judged) > least
    for selector, message, verdict in judged:
        assert evaluate(selector, json.loads(message)) is VERDICTS[verdict], (selector, message)
        explained = CliRunner().invoke(selector_sql, ["match", selector, "--count"], input=f"{message}\n").output
        assert explained.splitlines()[-1] == str(int(verdict == "TRUE")), selector


def test_the_errors_of_the_page_on_meaning_are_raised() -> None:
    refused = rows("docs/meaning.md", r"^\| `(.+?)` \| `((?:type|syntax)\.[\w-]+)` \|$")
    assert len(refused) > 5
    for selector, code in refused:
        with pytest.raises(TranspilerError) as raised:
            parse_selector(selector)
        assert raised.value.diagnostics[0].code == code, selector


def answers(selector: str, message: str) -> set[bool | str | None]:
    """Return the distinct results of all dialects: the truth value, or the code of the error."""
    compared = transpiler.compare_dialects(selector, json.loads(message))
    return {one.truth if one.refused is None else one.refused.code for one in compared}


def test_the_broker_page_replaces_constructs_on_which_dialects_differ() -> None:
    replaced = rows("docs/brokers.md", r"^\| `(.+?)` \| `(\{.*\})` \| `(.+?)` \|")
    assert len(replaced) > 8
    for selector, message, instead in replaced:
        assert len(answers(selector, message)) > 1, selector
        assert answers(instead, message) == {message != "{}"}, instead


def test_the_page_on_brokers_has_every_dialect() -> None:
    listed = re.findall(r"^\| [^|`]+ \| `([\w-]+)` \|", read("docs/brokers.md"), re.MULTILINE)
    assert set(listed) == set(DIALECTS)


def test_the_language_fits_on_one_screen() -> None:
    assert len(read("docs/language.md").splitlines()) <= 40


def test_the_tables_of_three_values_are_those_of_the_evaluator() -> None:
    values: dict[str, dict[str, Any]] = {"TRUE": {"": True}, "FALSE": {"": False}, "unknown": {}}

    def message(**operands: str) -> dict[str, Any]:
        return {name: values[value][""] for name, value in operands.items() if values[value]}

    tables = re.findall(r"^\| `(a AND b|a OR b)` .*\n\|.*\n((?:\|.*\n){3})", read("docs/meaning.md"), re.MULTILINE)
    assert [operator for operator, _ in tables] == ["a AND b", "a OR b"]
    for selector, lines in tables:
        for line in lines.splitlines():
            head, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            for right, verdict in zip(VERDICTS, cells, strict=True):
                given = message(a=head.removeprefix("a "), b=right)
                assert evaluate(selector, given) is VERDICTS[verdict], (selector, given)
    negated = rows("docs/meaning.md", r"^\| a (\w+) \| (\w+) \|$")
    assert len(negated) == 3
    for value, verdict in negated:
        assert evaluate("NOT a", message(a=value)) is VERDICTS[verdict]


COLUMNS = "weight BIGINT, color STRING, region STRING"


def test_the_table_of_layouts_shows_the_sql_that_comes_out() -> None:
    layouts = {"typed": COLUMNS, "amqp": "amqp"}
    shown = rows("docs/messages.md", r"^\| (typed|amqp) \| `(.+?)` \| `(.+?)` \|$")
    assert len(shown) == 9
    for name, selector, sql in shown:
        assert transpile_selector(selector, layouts[name]).sql == sql


def test_the_canonical_schema_is_that_of_the_page() -> None:
    text = read("docs/messages.md").partition("## The canonical schema")[2].partition("\n## ")[0]
    table = dict(rows_of_schema(text))
    for section in spark_ext.MESSAGE_SCHEMA.fields:
        names = getattr(section.dataType, "names", [])
        assert re.findall(r"`(\w+)`", table[section.name]) == names


def rows_of_schema(text: str) -> list[tuple[str, str]]:
    cells = re.findall(r"^\| (`.+?) \| (.+) \|$", text, re.MULTILINE)
    return [(name, expected_text) for names, expected_text in cells for name in re.findall(r"`(\w+)`", names)]


def test_the_limits_are_those_of_the_default_dialect() -> None:
    limits = transpiler.Dialect("jms")
    for limit in (limits.max_length, limits.max_nesting, limits.max_terms):
        assert f"{limit:,}" in read("docs/meaning.md")


def test_the_readme_is_short_and_names_make_targets_that_exist() -> None:
    readme = read("README.md")
    assert len(readme.splitlines()) < 150
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE))
    named = {name for page in ("README.md", "CONTRIBUTING.md") for name in re.findall(r"\bmake ([a-z-]+)", read(page))}
    assert {"demo", "test", "docs"} <= named <= targets


@pytest.mark.parametrize(
    "page", [*PAGES, "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/cheat_sheet.md", "tests/README.md"]
)
def test_the_links_of_a_page_lead_to_files(page: str) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", read(page)):
        if "://" not in link:
            assert ((ROOT / page).parent / link).exists(), link


#: All pages except those of the rules, which have a form of their own, and the one that the playground replaces.
WRITTEN = sorted(
    {page for page in PAGES if page != "docs/playground/index.md"}
    | {"ARCHITECTURE.md", "CONTRIBUTING.md", "docs/cheat_sheet.md", "docs/layouts.md"}
    | {str(path.relative_to(ROOT)) for path in DOCS.glob("stores/*.md")}
)


@pytest.mark.parametrize("page", WRITTEN)
def test_a_page_begins_with_an_example_and_says_for_whom_it_is(page: str) -> None:
    text = re.sub(r"\A---\n.*?\n---\n", "", read(page), flags=re.DOTALL)
    first_screen = "\n".join(text.splitlines()[:25])
    assert re.search(r"^(?:```|\|---)", first_screen, re.MULTILINE), "the first screen has neither code nor a table"
    prose = " ".join(re.split(r"^(?:## |```|\|---)", text, maxsplit=1, flags=re.MULTILINE)[0].split())
    assert re.search(r"\b(?:is|are) for\b|\*[^*]*\bfor\b", prose, re.IGNORECASE), prose


def shown_names() -> list[tuple[Any, set[str] | None]]:
    """Return the objects on the API pages, each with the names of the members on the page; None means all members."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in DOCS.glob("api/*.md"))
    shown = re.finditer(r"^::: (\S+)\n(?:    options:\n      members: \[(.*)\]\n)?", text, re.MULTILINE)
    return [(pkgutil.resolve_name(one[1]), None if one[2] is None else set(one[2].split(", "))) for one in shown]


def test_the_api_pages_have_every_public_name() -> None:
    shown = [one for one, _ in shown_names()]
    for module in (transpiler, spark_ext, layouts, messages, stores, testing, topologies):
        assert [name for name in module.__all__ if not any(getattr(module, name) is one for one in shown)] == []


def shown_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the functions, methods and ``Publisher`` from the API pages, each with its name in the page's tables."""
    for shown, members in shown_names():
        if isinstance(shown, FunctionType) or shown is Publisher:
            yield shown.__name__, shown
        if isinstance(shown, type):
            for name, member in vars(shown).items():
                method = getattr(member, "__func__", member)
                is_public = not name.startswith("_") and (members is None or name in members)
                if is_public and isinstance(method, FunctionType) and method.__doc__:
                    yield f"{shown.__name__}.{name}", getattr(shown, name)


def taken(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters of ``function``, including the keys of its keyword options."""
    names = []
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD and str(parameter.annotation).startswith("Unpack["):
            keywords = getattr(sys.modules[function.__module__], str(parameter.annotation)[len("Unpack[") : -1])
            names += list(keywords.__annotations__)
        elif name != "self":
            names.append(name)
    return names


def described(docstring: str) -> list[str]:
    """Return the parameters that the section ``Args:`` of ``docstring`` describes."""
    [section] = re.findall(r"^Args:\n((?:    .*\n|\n)+)", docstring + "\n", re.MULTILINE)
    return re.findall(r"^    (\w+): ", section, re.MULTILINE)


def test_a_docstring_of_the_api_describes_each_parameter() -> None:
    for name, shown in shown_functions():
        parameters = taken(shown)
        assert not parameters or sorted(described(getdoc(shown) or "")) == sorted(parameters), name


def test_the_api_pages_show_the_options_of_a_function_as_parameters() -> None:
    loader = griffe.GriffeLoader(
        search_paths=[str(ROOT)], extensions=griffe.load_extensions(str(DOCS / "site" / "parameters.py"))
    )
    for package in ("transpiler", "spark_ext"):
        loader.load(package)
    for name, shown in shown_functions():
        documented = loader.modules_collection[f"{shown.__module__}.{name}"]
        assert [*sorted(one.name for one in documented.parameters if one.name not in ("self", "cls"))] == sorted(
            taken(shown)
        )


@pytest.mark.parametrize("page", sorted(DOCS.glob("api/*.md")), ids=lambda path: path.stem)
def test_every_name_of_the_api_has_an_example(page: Path) -> None:
    parts = re.split(r"^::: ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert [part.split()[0] for part in parts if "```python" not in part] == []


def test_every_error_has_an_example_that_prints_it() -> None:
    """The errors page has an example with an ``except`` clause for each error class, which another test runs."""
    for name in (name for name in transpiler.__all__ if name.endswith("Error")):
        [part] = re.findall(rf"^::: transpiler\.{name}\n(.*?)(?=^::: |\Z)", read("docs/api/errors.md"), re.M | re.S)
        assert f"except {name} as error:" in part, name
        assert "```text\n" in part, name


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/glossary.md"])
def test_a_page_for_contributors_names_modules_that_exist(page: str) -> None:
    text = read(page)
    named = re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)+(?:\.[a-z]+)?)(?:`|\.[A-Z])", text)
    assert len(named) > 8
    for name in named:
        if name.startswith("build/"):
            # Commands create these files.
            continue
        paths = [top / name for top in (ROOT, ROOT / "transpiler")]
        assert any(path.exists() or path.with_name(f"{path.name}.py").exists() for path in paths), name


def test_a_headers_filter_demands_x_match_and_an_exchange_does_not() -> None:
    assert "`x-match` | is required in a filter, because the document says MUST" in (DOCS / "filters.md").read_text(
        "utf-8"
    )
    with pytest.raises(DecodeError, match="x-match is missing"):
        transpile_filter(FILTER)
    message = Message.from_dict({"application_properties": {"a": 1}})
    bound = {"source": "amq.match", "queue": "q", "arguments": {"a": 1}}
    for broker in ("qpid-java", "rabbitmq"):
        topology = topology_from_dict({"broker": broker, "queues": ["q"], "bindings": [bound]})
        assert route_message(topology, message, "amq.match") == ("q",)


def test_the_selector_of_a_headers_binding_of_broker_j_is_asked() -> None:
    assert "on direct, topic, fanout and headers exchanges" in (DOCS / "dialects.md").read_text("utf-8")
    arguments = {"x-match": "all", "a": 1, "x-filter-jms-selector": "b = 2"}
    bound = {"source": "amq.match", "queue": "q", "arguments": arguments}
    topology = topology_from_dict({"broker": "qpid-java", "queues": ["q"], "bindings": [bound]})
    for b, queues in ((2, ("q",)), (3, ())):
        message = Message.from_dict({"application_properties": {"a": 1, "b": b}})
        assert route_message(topology, message, "amq.match") == queues


def test_no_page_and_no_message_takes_this_project_from_a_public_address() -> None:
    """No package index and no host has this project yet: an address would lead to something else, or nowhere."""
    texts = [
        path for folder in ("docs", "examples", "transpiler", "spark_ext") for path in (ROOT / folder).rglob("*.*")
    ]
    for path in [ROOT / "README.md", *(path for path in texts if path.suffix in (".md", ".py", ".yml", ".yaml"))]:
        text = path.read_text(encoding="utf-8")
        assert "github.com/selector-sql" not in text, path
        assert not re.search(r"pip install ['\"]?selector-sql", text), path
