"""Thirty hostile names in every output of selector-spark, parsed by a parser of its format.

``tests/hostile/test_names.py`` contains the names, and tests the outputs of selector-sql.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from spark_ext.cli.commands import main
from tests.hostile.test_names import ACTING, NAMES, PRINTABLE_NAMES

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture(autouse=True)
def in_a_directory_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    whole = {
        "broker": "rabbitmq",
        "queues": [*NAMES],
        "exchanges": [{"name": "t", "type": "topic"}, {"name": "none", "type": "topic"}],
        "bindings": [{"source": "t", "queue": name, "key": name} for name in NAMES],
    }
    Path("topology.json").write_text(json.dumps(whole))
    Path("empty.json").write_text(json.dumps(whole | {"bindings": []}))
    messages = [
        {
            "exchange": "t",
            "properties": {"subject": name},
            "application_properties": {"a": name, "n": number},
            "routed_queues": [f"recorded {name}"],
        }
        for number, name in enumerate(NAMES)
    ]
    Path("m.jsonl").write_text("".join(json.dumps(message) + "\n" for message in messages))


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == code, result.output
    assert ACTING.search(result.stdout.replace("\x1b[0m", "")) is None
    assert ACTING.search(result.stderr) is None
    return result


@pytest.mark.full
def test_counts_of_routes_have_all_names(spark: SparkSession, tmp_path: Path) -> None:
    listed = run("route", "topology.json", "m.jsonl", "--output", "out").stdout.splitlines()
    assert sorted(line[12:] for line in listed) == sorted(PRINTABLE_NAMES)
    written = spark.read.parquet(str(tmp_path / "out")).selectExpr("explode(queues) AS queue").collect()
    assert sorted(row.queue for row in written) == sorted(NAMES)
    summary = json.loads(run("route", "topology.json", "m.jsonl", "--summary").stdout)
    assert summary["queues"] == dict.fromkeys(NAMES, 1)


@pytest.mark.full
def test_comparisons_with_a_broker_have_all_names() -> None:
    words = ["backtest", "m.jsonl", "topology.json", "--examples", "100"]
    output = run(*words, code=1).stdout
    # Each message is an example, and the most frequent differences are listed in addition.
    assert [name for name in PRINTABLE_NAMES if f"missed recorded {name}; extra {name}" not in output] == []
    found = json.loads(run(*words, "--format", "json", code=1).stdout)
    assert {one["queue"] for one in found["extra"]} == {*NAMES}
    assert {one["queue"] for one in found["missed"]} == {f"recorded {name}" for name in NAMES}


@pytest.mark.full
@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_changes_of_routes_have_all_names(form: str) -> None:
    words = ["diff", "empty.json", "topology.json", "m.jsonl", "--examples", "100", "--format", form]
    printed = run(*words, code=1).stdout
    if form == "json":
        texts = json.dumps(json.loads(printed), ensure_ascii=False)
        assert [name for name in NAMES if json.dumps(name, ensure_ascii=False)[1:-1] not in texts] == []
    elif form == "text":
        assert [name for name in PRINTABLE_NAMES if name not in printed] == []
    else:
        assert len(printed.splitlines()) >= len(NAMES)
        # Outside of code spans, each character that could start an HTML tag is escaped.
        assert re.findall(r"(?<!\\)<", re.sub(r"(?<!\\)(`+).*?(?<!`)\1(?!`)", "", printed)) == []
    run(*words, "--output", "report", code=1)
    assert ACTING.search(Path("report").read_text(encoding="utf-8")) is None


@pytest.mark.full
def test_messages_and_explanations_have_all_names() -> None:
    listed = ", ".join("'{}'".format(name.replace("'", "''")) for name in NAMES)
    shown = run("filter", f"a IN ({listed})", "m.jsonl", "--show", "100").stdout
    assert shown.count("-RECORD ") == len(NAMES)
    selector = f"n < 0 OR a IN ({listed}) AND n > 100"
    output = run("explain", selector, "m.jsonl", "--examples", "100").stdout
    assert "n < 0" in output
    explained = json.loads(run("explain", selector, "m.jsonl", "--examples", "100", "--format", "json").stdout)
    assert explained
    run("verify", selector, "m.jsonl")


@pytest.mark.parametrize("name", [name for name in NAMES if "/" not in name])
def test_names_of_versions_and_files_act_on_no_terminal(name: str) -> None:
    run("compile-topology", "topology.json", "m.jsonl", "--output", f"{name}.compiled", "--version", name)
    assert Path(f"{name}.compiled").exists()
    Path(f"{name}.jsonl").write_text("[1]\n")
    run("filter", "a = 1", f"{name}.jsonl", code=2)
