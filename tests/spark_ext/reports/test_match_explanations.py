"""``explain_matches`` groups all rows by the subexpression that rejected them, in agreement with the evaluator."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType

from spark_ext import MatchExplanation, create_messages, explain_matches, infer_layout
from spark_ext.cli.commands import main
from tests.pages import ROOT
from tests.sizes import randomness, size
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import INTERPRETED
from tests.spark_ext.test_dialect_agreement import takes
from transpiler import (
    LayoutError,
    Message,
    SelectorSyntaxError,
    UnsupportedFeatureError,
    parse_selector,
    print_selector,
    stores,
)
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS
from transpiler.message.receiver import Receiver
from transpiler.reference.evaluate import judge, value_of

NOW = 1_750_772_279_000
TABLES = Path(__file__).parents[2] / "data" / "stores"

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> DataFrame:
    rows = "('red', 2600L, 'us'), ('blue', 100L, NULL), ('red', 5L, 'us'), (NULL, 7L, 'eu'), ('red', 9999L, NULL)"
    return spark.sql(f"SELECT * FROM VALUES {rows} AS t(color, weight, region)")


def test_rows_are_counted_by_the_first_part_that_kept_them_out(orders: DataFrame) -> None:
    explained = explain_matches(orders, "color = 'red' AND weight > 2500 AND region <> 'eu'")
    assert (explained.rows, explained.matched) == (5, 1)
    assert [(group.part, group.verdict, group.missing, group.rows) for group in explained.groups] == [
        (None, True, None, 1),
        ("color = 'red'", False, None, 1),
        ("color = 'red'", None, "color", 1),
        ("weight > 2500", False, None, 1),
        ("region <> 'eu'", None, "region", 1),
    ]
    assert explained.groups[3].examples == (
        ({"application_properties": {"color": "red", "weight": 5, "region": "us"}}, "weight is 5, not above 2500"),
    )
    assert str(explained) == (
        "1 of 5 messages match\n"
        "\n"
        "kept out  by the first part that is not true\n"
        "       2  color = 'red'\n"
        "            1 false\n"
        "                e.g. color is 'blue', not 'red'\n"
        "            1 unknown: color is missing\n"
        "       1  weight > 2500\n"
        "            1 false\n"
        "                e.g. weight is 5, not above 2500\n"
        "       1  region <> 'eu'\n"
        "            1 unknown: region is missing\n"
        "\n"
        "name      rows  types    place\n"
        "color   4 of 5  text     color\n"
        "weight  5 of 5  integer  weight\n"
        "region  3 of 5  text     region"
    )


def test_rows_are_counted_by_the_first_alternative_that_let_them_in(orders: DataFrame) -> None:
    explained = explain_matches(orders, "color = 'blue' OR weight > 2500 OR region = 'eu'")
    assert explained.are_alternatives
    assert explained.by_part() == {"color = 'blue'": 1, "weight > 2500": 2, "region = 'eu'": 1, None: 1}
    assert explained.matched == 4
    assert str(explained).partition("\n\nname")[0].splitlines()[2:] == [
        "messages  by the first alternative that is true",
        "       1  color = 'blue'",
        "       2  weight > 2500",
        "       1  region = 'eu'",
        "       1  no alternative is true",
        "            1 false",
        "                e.g. neither `color = 'blue'`, `weight > 2500` nor `region = 'eu'` holds: color is 'red', "
        "not 'blue'; weight is 5, not above 2500; region is 'us', not 'eu'",
    ]


def test_an_explanation_has_other_forms(orders: DataFrame) -> None:
    explained = explain_matches(orders, "color = 'red' AND weight > 2500")
    frame = explained.to_df()
    assert "ExistingRDD" not in frame._jdf.queryExecution().executedPlan().toString()
    rows = frame.collect()
    assert sum(row.rows for row in rows) == 5
    first = rows[0]
    assert (first.part, first.verdict, first.rows) == (None, "true", 2)
    data = json.loads(json.dumps(explained.to_dict()))
    schema = json.loads((ROOT / "docs" / "schemas" / "match-explanation.json").read_text(encoding="utf-8"))
    jsonschema.validate(data, schema, jsonschema.Draft202012Validator)
    assert (data["rows"], data["matched"], len(data["groups"])) == (5, 2, 4)
    page = explained._repr_html_()
    assert "color = &#x27;red&#x27;" in page
    assert "2 of 5 messages match" in page
    assert repr(explained) == "<MatchExplanation of \"color = 'red' AND weight > 2500\": 2 of 5 messages match>"


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ("", "5 of 5 messages match"),
        ("weight > 0", "5 of 5 messages match\n\nname      rows  types    place\nweight  5 of 5  integer  weight"),
        ("weight < 0", "0 of 5 messages match\n\nkept out  by the first part that is not true\n       5  weight < 0"),
    ],
)
def test_one_part_may_decide_all(orders: DataFrame, selector: str, text: str) -> None:
    assert str(explain_matches(orders, selector, examples=0)).partition("\n            ")[0] == text


def test_an_empty_dataframe_has_no_reasons(orders: DataFrame) -> None:
    assert str(explain_matches(orders.limit(0), "weight > 0")) == "there are no messages"


def test_examples_are_few_and_unlike(spark: SparkSession) -> None:
    df = spark.range(0, 1000, 1, 4).select((sf.col("id") % 3).alias("weight"))
    explained = explain_matches(df, "weight > 5", examples=3)
    [group] = explained.groups
    assert (group.rows, len(group.examples)) == (1000, 3)
    assert {example.reason for example in group.examples} == {f"weight is {n}, not above 5" for n in range(3)}
    assert explain_matches(df, "weight > 5", examples=0).groups[0].examples == ()
    assert len(explain_matches(df, "weight > 5", examples=20).groups[0].examples) == 20


@pytest.mark.full
def test_a_long_selector_is_counted_in_so_many_parts(orders: DataFrame) -> None:
    selector = " AND ".join([*(f"weight <> {number}" for number in range(100)), "region <> 'eu'"])
    explained = explain_matches(orders, selector)
    assert explained.rows == 5
    assert len(set(explained.by_part())) <= 40
    assert explain_matches(orders, selector.replace("AND", "OR").replace("<>", "=")).rows == 5


def reference_groups(tree: ast.Expression, messages: list[Message], dialect: str) -> Counter[Any]:
    """Return the groups of ``messages`` from the evaluator's results for the subexpressions, one message at a time."""
    rules = DIALECTS[dialect]

    def truth(node: ast.Expression, message: Message) -> bool | None:
        return judge(node, message, rules, Receiver(NOW)).truth

    groups: Counter[Any] = Counter()
    for message in messages:
        if isinstance(tree, ast.Or):
            whole = truth(tree, message)
            first = next((part for part in tree.terms if truth(part, message)), None) if whole else None
            key = (first, whole)
        else:
            terms = tree.terms if isinstance(tree, ast.And) else (tree,)
            first = next((part for part in terms if truth(part, message) is not True), None)
            key = (first, True if first is None else truth(first, message))
        groups[(None if key[0] is None else print_selector(key[0], rules), key[1])] += 1
    return groups


#: Subexpressions that, for the messages below, are TRUE, FALSE or unknown, or throw in some dialect.
PARTS = ("a > 4", "b = 'abc'", "NOT a = 5", "a LIKE 'a%'", "c IS NOT NULL", "b - 1 > 0", "b IN ('a', 'abc')", "flag")
VALUES = (5, 7.5, "abc", "5", True, None)


def selectors(dialect: str) -> list[str]:
    """Return random conjunctions and disjunctions of three subexpressions, some of them inside NOT and OR."""
    draw = randomness(dialect)
    texts = []
    for operator in ("AND", "OR") * size(1, 3):
        first, second, third, fourth = draw.sample(PARTS, 4)
        texts.append(f" {operator} ".join((first, f"NOT ({second} OR {third})", fourth)))
    return [text for text in texts if takes(text, dialect)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_groups_are_those_of_the_evaluator(spark: SparkSession, dialect: str) -> None:
    draw = random.Random(0)
    choose = [{name: draw.choice(VALUES) for name in ("a", "b", "c", "flag")} for _ in range(40)]
    messages = [Message.of(**values) for values in choose]
    frame = create_messages(spark, messages)
    rules = DIALECTS[dialect]
    texts = selectors(dialect)
    assert texts
    for text in texts:
        with spark_settings(spark, INTERPRETED):
            explained = explain_matches(frame, text, dialect=dialect, now=NOW)
        tree = parse_selector(text, dialect)
        assert tree is not None
        counted: Counter[Any] = Counter()
        for group in explained.groups:
            counted[group.part, group.verdict] += group.rows
        assert counted == reference_groups(tree, messages, dialect), text
        assert explained.rows == len(messages)
        names = {print_selector(n, rules): n for n in ast.walk(tree) if isinstance(n, ast.Identifier)}
        for group in explained.groups:
            for example in group.examples:
                message = Message.from_dict(example.message)
                assert (judge(tree, message, rules, Receiver(NOW)).truth is True) is (group.verdict is True)
                if group.missing is not None:
                    assert value_of(names[group.missing], message, rules, Receiver(NOW)) is None


def test_the_plan_runs_no_python_and_sorts_nothing(orders: DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    from spark_ext.reports.match_explanations import Parts, _count

    layout = infer_layout(orders)
    parts = Parts(parse_selector("color = 'red' AND weight > 2500"), DIALECTS["jms"], layout, {})
    _count(orders, parts, ["color IS NOT NULL"], 3).explain()
    plan = capsys.readouterr().out
    assert "Python" not in plan
    assert "Sort" not in plan
    assert plan.count("ObjectHashAggregate") == 2


@pytest.mark.full
def test_every_store_is_explained(spark: SparkSession) -> None:
    tables = json.loads((TABLES / "stores.json").read_text(encoding="utf-8"))
    named = {"plain_map": stores.text_map(types="by-use"), "json_string": stores.variant(json=True)}
    for name in ("kafka_ibm_mq", "confluent_jms", *named):
        df = spark.read.parquet(str(TABLES / f"{name}.parquet"))
        explained = explain_matches(df, tables[name]["selectors"]["main"], named.get(name), missing="null")
        assert explained.rows == 50, name
        assert any(group.examples for group in explained.groups)


def test_what_cannot_be_explained_is_an_error(spark: SparkSession, orders: DataFrame) -> None:
    with pytest.raises(SelectorSyntaxError):
        explain_matches(orders, "color = = 5")
    with pytest.raises(LayoutError, match="did you mean weight"):
        explain_matches(orders, "color = 'red' AND wieght > 5")
    assert explain_matches(orders, "wieght > 5", missing="null").groups[0].missing == "wieght"
    with pytest.raises(ValueError, match="examples must be a number of messages that is 0 or more"):
        explain_matches(orders, "weight > 5", examples=-1)
    stream = spark.readStream.schema(StructType.fromDDL("x INT")).parquet(str(TABLES))
    with pytest.raises(UnsupportedFeatureError, match="a stream does not end"):
        explain_matches(stream, "x = 5")


CONFLUENT = str(TABLES / "confluent_jms.parquet")


@pytest.mark.parametrize(
    ("words", "code", "expected_text"),
    [
        (("color = 'red' AND JMSPriority > 4", CONFLUENT), 0, "kept out  by the first part that is not true"),
        (
            ("color = 'red' OR JMSPriority > 4", CONFLUENT, "--examples", "0"),
            0,
            "by the first alternative that is true",
        ),
        (("color = 'red'", CONFLUENT, "--format", "json"), 0, '"rows": 50'),
        (("color = = 5", CONFLUENT), 2, "syntax.unexpected-token"),
        (("color = 5", "nowhere.parquet"), 2, "nowhere.parquet"),
        (("color = 5", CONFLUENT, "--examples", "-1"), 2, "-1 is not in the range"),
    ],
)
def test_the_command_explains_files(words: tuple[str, ...], code: int, expected_text: str) -> None:
    result = CliRunner().invoke(main, ["explain", *words])
    assert result.exit_code == code, result.output
    assert expected_text in result.output
    assert "Traceback" not in result.output


def test_the_result_is_public() -> None:
    assert MatchExplanation.__module__ == "spark_ext.reports.match_report"
