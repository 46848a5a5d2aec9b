"""The pages on stores are true: their Python runs, their SQL is what the compiler emits, and Spark's results agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tests.pages import steps
from tests.spark_ext.harness import answers, numbered
from tests.store_pages import PAGES, ROOT, blocks, lay_out, layout_of, run, statements
from transpiler import LayoutError, evaluate, stores, transpile_selector
from transpiler.cli import main
from transpiler.compiler.layouts.named_fields import FIELDS
from transpiler.compiler.layouts.store import refuse_unchosen
from transpiler.compiler.layouts.text_types import POLICIES
from transpiler.compiler.presets import find_layout

INDEX = (ROOT / "docs" / "stores" / "README.md").read_text(encoding="utf-8")

#: A policy's name as layouts accept it. The last column of the table declares a type instead.
TYPES: tuple[Any, ...] = (*POLICIES, {"x": "DOUBLE"})
VERDICTS = {"TRUE": True, "FALSE": False, "unknown": None}


def cells(text: str, columns: int) -> list[list[str]]:
    """Return the rows of all tables in ``text`` with ``columns`` columns, without headers and backquotes."""
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip().strip("`").replace("`", "") for cell in row] for row in rows if len(row) == columns]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_are_true(
    page: Path, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The folder contains no file of a checkout, as for users who installed the package.
    monkeypatch.chdir(tmp_path)
    lay_out(page, tmp_path)
    names: dict[str, Any] = {"spark": spark, "__name__": "__main__"}
    for block in blocks(page):
        if block.language == "python" and block.word != "no-run":
            run(_with_files(block.text, page, tmp_path), page, names)
        elif block.language == "python":
            compile(block.text, str(page), "exec")
        elif block.language == "sql":
            check_sql(block.text, names)
        elif block.language != "console":
            assert "." in block.word
    for step in steps(str(page.relative_to(ROOT))):
        assert step.words[0] == "selector-sql"
        assert CliRunner().invoke(main, step.words[1:], input=step.given).output == step.printed


def _with_files(text: str, page: Path, folder: Path) -> str:
    """Return ``text`` with the full paths of the page's files, because the JVM has another working directory."""
    for block in blocks(page):
        if "." in block.word:
            text = text.replace(f'"{block.word}"', repr(str(folder / block.word)))
    return text


def check_sql(block: str, names: dict[str, Any]) -> None:
    """Check that the SQL in ``block`` is what its selectors compile to, and agrees with the evaluator for each row."""
    layout, sample = layout_of(names), names["messages"]
    assert isinstance(sample, DataFrame)
    written = list(statements(block))
    assert written
    assert [(text, transpile_selector(text, layout).sql) for text, _ in written] == written
    verdicts = sample.select("*", *[sf.expr(sql).alias(f"verdict{number}") for number, (_, sql) in enumerate(written)])
    for row in verdicts.collect():
        message = layout.message(row)
        for number, (selector, _) in enumerate(written):
            assert (row[f"verdict{number}"] is True) is (evaluate(selector, message) is True), (selector, row)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    # A regular expression in SQL may look like a link.
    prose = re.sub(r"^```.*?^```$|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose)
    assert links or page.name != "README.md"
    for link in links:
        assert (page.parent / link).exists(), link


def test_the_index_lists_every_store_with_its_preset_and_its_page() -> None:
    listed = re.findall(r"^\| `stores\.(\w+)\(.*\)` \| .* \| `([\w-]+)` \| \[.*\]\((.+)\) \|$", INDEX, re.MULTILINE)
    assert [preset for _, preset, _ in listed] == list(stores.STORES)
    for name, preset, page in listed:
        assert stores.STORES[preset].__name__ == name
        text = (ROOT / "docs" / "stores" / page).read_text(encoding="utf-8")
        assert f"stores.{name}(" in text or f"`{preset}`" in text, page


def test_the_index_lists_every_header_field_of_a_store() -> None:
    section = INDEX.partition("## Header fields")[2].partition("\n## ")[0]
    assert set(FIELDS) <= set(re.findall(r"`([\w-]+)`", section))


def test_the_table_of_policies_says_what_spark_and_the_evaluator_answer(spark: SparkSession) -> None:
    rows = cells(INDEX, 7)
    assert len(rows) > 8
    layouts = [stores.text_map(types=types) for types in TYPES]
    sent = [{"properties": {"x": text}} for text, *_ in rows]
    sqls = [transpile_selector(row[1], layout, result="ternary").sql for row in rows for layout in layouts]
    found = iter(answers(numbered(spark.createDataFrame(sent, "properties MAP<STRING, STRING>")), sqls))
    for index, (text, selector, *verdicts) in enumerate(rows):
        for types, layout, verdict in zip(TYPES, layouts, verdicts, strict=True):
            expected = VERDICTS[verdict]
            assert evaluate(selector, layout.message(sent[index])) is expected, (text, selector, types)
            assert next(found)[index] is expected, (text, selector, types)


def test_the_table_of_schemas_says_what_is_inferred() -> None:
    rows = cells(INDEX, 2)
    assert len(rows) > 5
    for schema, layout in rows:
        if layout.startswith("LayoutError"):
            with pytest.raises(LayoutError):
                refuse_unchosen(find_layout(schema))
        else:
            assert find_layout(schema).name == layout, schema
