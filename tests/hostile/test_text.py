"""No text of a user leaves its literal or quoted name, under any parser setting of Spark, on any path into SQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StringType, StructField, StructType

from spark_ext import compile_selector, create_messages, infer_layout, route
from tests.hostile.fuzz.targets import harmless_sql
from tests.sizes import sample
from tests.spark_ext.harness import answers, settings
from transpiler import (
    Message,
    TranspilerError,
    evaluate,
    print_selector,
    route_message,
    transpile_address,
    transpile_filter,
    transpile_selector,
)
from transpiler.base.comparison import Comparison
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.sql.quoting import quote_name
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS
from transpiler.topology import topology_from_dict

SETTINGS = [
    {},
    {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "Asia/Kathmandu"},
    {"spark.sql.parser.escapedStringLiterals": "true"},
    {"spark.sql.ansi.doubleQuotedIdentifiers": "true"},
    {"spark.sql.ansi.enforceReservedKeywords": "true", "spark.sql.legacy.setopsPrecedence.enabled": "true"},
    {"spark.sql.legacy.consecutiveStringLiterals.enabled": "true", "spark.sql.caseSensitive": "true"},
    {"spark.sql.variable.substitute": "false"},
    {"spark.sql.parser.singleCharacterPipeOperator.enabled": "false", "spark.sql.ansi.relationPrecedence": "true"},
]
IDS = [next(iter(values), "default").rpartition("sql.")[2] for values in SETTINGS]

TEXTS = [
    "it's",
    "''",
    "'",
    "\\",
    "\\'",
    "a\\'b",
    "\\\\",
    "\\u0041",
    "\\047 OR true --",
    "' OR true OR '",
    "'; DROP TABLE t; --",
    "${env:HOME}",
    "${spark.app.name}",
    "${system:user.name}",
    "$${x}",
    "${",
    "$\\{env:HOME}",
    "{{x}}",
    "a{# b #}c",
    "{%- raw %}",
    "$${{%",
    "O'Brien",
    "c:\\x\ty",
    "\x7f\x85\xad",
    ":name",
    "?",
    '"',
    "`",
    "-- x",
    "/* x */",
    "*/",
    "a\nb",
    "a\r\nb",
    "\x00",
    "\x1a",
    "\u202e",
    "\u2066a\u2069",
    "\ufeff",
    "\u2028",
    "\u00a0",
    "%s",
    "%%",
    "_",
    "é😀",
    "\U0010ffff",
    "X'41'",
    "r'x'",
    "1e400D",
    "NULL",
    "",
    " ",
]

NAMES = [
    "to", "select", "a b", "a`b", "`", "``", "${env:HOME}", "${spark.app.name}", "it's", "é", "a.b", "a.`b`", ".",
    "{{ x }}", "a{% raw %}", "{#",
    "from", "$x", "_1", "1a", "42", "1e5", "NULL", "true", "x", "interval", "-- x", "/* x */", "a\\b", '"', "a\tb",
    "a\nb", "\u202e", "😀", "(a|b)", "*", "x.*", "current_date", "date", "a;b", "[0]", "a[0]", "%", " ", "é\u0301", "İ",
]  # fmt: skip


@pytest.mark.parametrize("values", SETTINGS, ids=IDS)
def test_a_literal_is_compared_as_it_was_written(spark: SparkSession, values: dict[str, str]) -> None:
    messages = [{"application_properties": {"a": text}} for text in TEXTS]
    frame = create_messages(spark, messages).coalesce(1).selectExpr("*", "monotonically_increasing_id() AS id")
    selectors = []
    for text in TEXTS:
        name = ast.Identifier("a")
        selectors.append((text, ast.Compare(Comparison.EQ, name, ast.StringLiteral(text))))
        selectors.append((text, ast.In(name, (ast.StringLiteral(text), ast.StringLiteral("no such text")))))
        pattern = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        for wild in (f"%{pattern}", f"{pattern}%", f"%{pattern}%", f"_%{pattern}", f"{pattern}_"):
            selectors.append((text, ast.Like(name, ast.StringLiteral(wild), ast.StringLiteral("!"))))
    selectors = sample(selectors, 128)
    with settings(spark, values):
        columns = answers(frame, [transpile_selector(print_selector(tree)).sql for _, tree in selectors])
    known = [Message.from_dict(message) for message in messages]
    for (text, tree), column in zip(selectors, columns, strict=True):
        assert [seen is True for seen in column] == [evaluate(tree, message) is True for message in known], text


@pytest.mark.parametrize("values", SETTINGS, ids=IDS)
def test_a_property_of_any_name_is_looked_up_in_its_map(spark: SparkSession, values: dict[str, str]) -> None:
    message = {name: number for number, name in enumerate(NAMES)}
    frame = create_messages(spark, [{"application_properties": message}]).selectExpr("*", "0 AS id")
    filters = [
        {"descriptor": "amqp:application-properties-filter", "value": {name: {"type": "long", "value": number}}}
        for name, number in message.items()
    ]
    with settings(spark, values):
        assert answers(frame, [transpile_filter(one).sql for one in filters]) == [[True]] * len(NAMES)


@pytest.mark.parametrize("values", SETTINGS, ids=IDS)
def test_a_column_of_any_name_is_reached(spark: SparkSession, values: dict[str, str]) -> None:
    schema = StructType([StructField(name, LongType()) for name in NAMES])
    frame = spark.createDataFrame([tuple(range(len(NAMES)))], schema)
    layout = infer_layout(frame)
    texts = []
    with settings(spark, values):
        for index, name in enumerate(NAMES):
            one = {"descriptor": "amqp:application-properties-filter", "value": {name: index}}
            texts.append(transpile_filter(one, layout).sql)
        assert answers(frame.selectExpr("*", "0 AS id_of_row"), texts, "id_of_row") == [[True]] * len(NAMES)


@pytest.mark.parametrize("values", SETTINGS, ids=IDS)
def test_a_column_whose_name_is_a_keyword_is_a_column(spark: SparkSession, values: dict[str, str]) -> None:
    # The first time that a parser reads a keyword as a name takes it a tenth of a second.
    tokens = spark._jvm.org.apache.spark.sql.catalyst.parser.SqlBaseLexer.VOCABULARY
    literals = (tokens.getLiteralName(number) for number in range(tokens.getMaxTokenType() + 1))
    keywords = [text.strip("'") for text in literals if text and text.strip("'").isidentifier()]
    assert len(keywords) > 300
    names = [name for keyword in sample(keywords, 40) for name in (keyword.lower(), keyword)]
    with settings(spark, values):
        parser = spark._jsparkSession.sessionState().sqlParser()
        arguments = parser.parseExpression(f"array({', '.join(map(quote_name, names))})").arguments()
    assert [_column(arguments.apply(number)) for number in range(arguments.size())] == names


def _column(expression: Any) -> str:
    """Return the name of the column that ``expression`` is; otherwise the class of the expression."""
    kind = expression.getClass().getSimpleName()
    return expression.name().strip("`") if kind == "UnresolvedAttribute" else kind


def test_a_collated_column_is_compared_by_its_bytes(spark: SparkSession) -> None:
    schema = StructType([StructField("s", StringType("UTF8_LCASE"))])
    frame = spark.createDataFrame([("abc",), ("ABC",)], schema)
    for selector in ("s = 'ABC'", "s IN ('ABC', 'x')", "s LIKE 'AB%'", "s LIKE '%BC'", "s LIKE '%B%'", "s LIKE 'A_C'"):
        assert [row["s"] for row in frame.filter(compile_selector(selector, frame)).collect()] == ["ABC"], selector


def test_names_are_case_sensitive_and_spark_is_not(spark: SparkSession) -> None:
    from transpiler import LayoutError

    frame = spark.createDataFrame([(1,)], "Color INT")
    with pytest.raises(LayoutError, match="did you mean Color"):
        compile_selector("color = 1", frame)
    assert frame.filter(compile_selector("Color = 1", frame)).count() == 1


def test_case_twins_are_two_columns_where_spark_says_so(spark: SparkSession) -> None:
    schema = StructType([StructField("Color", LongType()), StructField("color", LongType())])
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        frame = spark.createDataFrame([(1, 2)], schema)
        assert frame.filter(compile_selector("Color = 1 AND color = 2", frame)).count() == 1


TOPOLOGY: dict[str, Any] = {
    "broker": "qpid-java",
    "queues": [f"q{text}" for text in TEXTS],
    "exchanges": [{"name": "t", "type": "topic"}, {"name": "h", "type": "headers"}],
    "default_exchange": "t",
    "bindings": [
        *({"source": "t", "queue": f"q{text}", "key": f"{text.replace('.', '')}.x"} for text in TEXTS),
        *({"source": "h", "queue": f"q{text}", "arguments": {"x-match": "all", f"n{text}": text}} for text in TEXTS),
        *(
            {"source": "t", "queue": f"q{text}", "key": "#", "selector": f"a = '{text.replace(chr(39), chr(39) * 2)}'"}
            for text in TEXTS
        ),
        {"source": "t", "exchange": "h", "key": "#"},
    ],
}


@pytest.mark.parametrize("values", SETTINGS[::3], ids=IDS[::3])
def test_names_keys_and_headers_of_a_topology_are_taken_as_they_are(
    spark: SparkSession, values: dict[str, str]
) -> None:
    topology = topology_from_dict(TOPOLOGY)
    messages = [
        {
            "application_properties": {"a": text, f"n{text}": text},
            "properties": {"subject": f"{text.replace('.', '')}.x"},
        }
        for text in TEXTS
    ]
    with settings(spark, values):
        routed = route(create_messages(spark, messages), topology).select("application_properties", "queues").collect()
    seen = {row["application_properties"]["a"]["string"]: tuple(row["queues"]) for row in routed}
    assert seen == {
        text: route_message(topology, Message.from_dict(m)) for text, m in zip(TEXTS, messages, strict=True)
    }


#: Texts of characters that are special to some parser on the way, and of ordinary characters.
hostile = st.text(st.sampled_from("'\"`\\${}:;-/*()[]%_.#,=<>?!&|@ \t\n\r\0\x1b\u202e\u2028\ufeffaXé😀1"), max_size=12)


def paths() -> Iterator[tuple[str, Callable[[str], list[str]]]]:
    """Yield the name of each path on which a text gets into SQL, and a function from the text to the SQL."""
    for dialect in DIALECTS:
        yield (
            f"a literal in {dialect}",
            lambda text, dialect=dialect: [
                transpile_selector(print_selector(tree, dialect), dialect=dialect, missing="null").sql
                for tree in (
                    ast.Compare(Comparison.EQ, ast.Identifier("a"), ast.StringLiteral(text)),
                    ast.Like(ast.Identifier("a"), ast.StringLiteral(text), None),
                    ast.In(ast.Identifier("a"), (ast.StringLiteral(text),)),
                )
            ],
        )
        yield (
            f"a name in {dialect}",
            lambda text, dialect=dialect: [
                transpile_selector(print_selector(ast.IsNull(ast.Identifier(text)), dialect), dialect=dialect).sql
            ],
        )
    for symbol in ("topic", "direct"):
        yield (
            f"a {symbol} filter",
            lambda text, symbol=symbol: [
                transpile_filter({"descriptor": f"apache.org:legacy-amqp-{symbol}-binding:string", "value": text}).sql
            ],
        )
    yield (
        "a headers filter",
        lambda text: [
            transpile_filter(
                {
                    "descriptor": "apache.org:legacy-amqp-headers-binding:map",
                    "value": {"x-match": "any", text: text, "b": None},
                }
            ).sql
        ],
    )
    yield (
        "a properties filter",
        lambda text: [
            transpile_filter(
                {"descriptor": "amqp:properties-filter", "value": {"subject": text, "to": f"&p:{text}"}}
            ).sql
        ],
    )
    yield (
        "an application properties filter",
        lambda text: [
            transpile_filter(
                {"descriptor": "amqp:application-properties-filter", "value": {text: text, "s": f"&s:{text}"}}
            ).sql
        ],
    )
    yield (
        "the connection of no-local",
        lambda text: [
            transpile_filter({"descriptor": "apache.org:no-local-filter:list", "value": []}, connection=text).sql
        ],
    )
    for node in ("queue", "direct", "topic", "headers", "xml"):
        yield (
            f"the address of a {node}",
            lambda text, node=node: [
                transpile_address(f"{json.dumps('n' + text)}/{json.dumps('s' + text)}", node).sql,
                transpile_address(
                    "x; {link: {x-bindings: [{key: KEY, arguments: {x-match: all, KEY: KEY}}]}}".replace(
                        "KEY", json.dumps(text)
                    ),
                    node,
                ).sql,
            ],
        )
    yield (
        "an XQuery",
        lambda text: [
            transpile_address(
                "x; {link: {x-bindings: [{arguments: {xquery: QUERY}}]}}".replace(
                    "QUERY",
                    json.dumps(f"/a = '{text.replace('&', '&amp;').replace(chr(39), chr(39) * 2)}' or //b/@c != 'x'"),
                ),
                "xml",
            ).sql
        ],
    )
    yield (
        "a column's name",
        lambda text: [
            transpile_filter(
                {"descriptor": "amqp:application-properties-filter", "value": {text: 5}},
                layout_from_schema({"fields": [{"name": text, "type": "long", "nullable": True, "metadata": {}}]}),
            ).sql
        ],
    )
    yield (
        "XPath",
        lambda text: [
            transpile_selector(f"XPATH '//a = \"{text.replace(chr(39), chr(39) * 2)}\"'", dialect="activemq").sql
        ],
    )
    yield (
        "REGEX",
        lambda text: [transpile_selector(f"REGEX('{text.replace(chr(39), chr(39) * 2)}', a)", dialect="activemq").sql],
    )


@pytest.mark.parametrize(("path", "compiled"), list(paths()), ids=lambda value: value if isinstance(value, str) else "")
@given(text=hostile)
def test_sql_has_nothing_that_a_setting_reads_in_another_way(
    path: str, compiled: Callable[[str], list[str]], text: str
) -> None:
    try:
        found = compiled(text)
    except TranspilerError:
        return
    for sql in found:
        if path == "a column's name":
            # A name in backticks is a name under every setting. Only a variable could change it.
            assert "${" not in sql
            assert sql.count("`") % 2 == 0
        else:
            harmless_sql(sql)
