"""Rewritten regular expressions find what the original ones find, in Java and in the reference evaluator."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.base.regex.strategies import expressions
from tests.base.regex.test_matcher import BOMBS, JAVA
from tests.sizes import size
from tests.spark_ext.harness import answers, numbered
from transpiler import Message, TranspilerError, UnsupportedFeatureError, evaluate, transpile_selector
from transpiler.base.regex.search import compile_regular
from transpiler.base.regex.syntax import RegexError
from transpiler.compiler.sql.quoting import quote_text

#: Ordinary one-line texts first, then texts with unusual line ends and characters.
TEXTS = [
    *"/a/b/c/ab/ba/aa/bb/abc/aab/abab/aabb/cab/a b/aaab/bbba/abcabc/aaaaaaa/bababab/acacac/  /cccc/abbbb".split("/"),
    *("a\n", "ab\n", "\nab", "a\nb", "aa bb\n", "a\r\nb\r\n", "ab\r", "b\u2028", "\x85a", "a\n\n"),
    *("é", "aéb", "😀", "a😀b", "😀😀a\n"),
]

#: Regular expressions that people write, in addition to random ones.
WRITTEN = (
    r"^\w+@\w+\.\w+$", r"\.(jpg|jpeg|png)$", "a.*b", "^.*a.*b$", "[a-b]+c", r"\s+$", r"\s*b\s*", "(.*)b(.*)", "(?i)A+B",
    "^(?!a)", "^(?=.*b)a", "[^b]*$", "[^\n]*$", "([^a]?)$", "^[ab]*$", r"(a|b)(\n|c)?", "(a)|b", "a(b)?",
    "(?:(a)b|ac)", "(b*)(c)", "[^a][^b]", "", "^", "$", r"\Z", r"\z", r"^\s*", "a{2,3}", "(?:a{2}){1,2}b",
    "(?:aa|.){2}", r".\Z", "b\r?$", "\n$", "\r$", "[\r\n]$", "^(ab)+", "(a|b){2,3}c", r"[\w-]+ \S",
)  # fmt: skip

REPLACEMENTS = ("-", "[$0]", r"\$5", "$1-")


def compare(spark: SparkSession, written: list[str]) -> None:
    """Compare in one Java query the original and the rewritten expression on all texts with the reference evaluator."""
    frame = numbered(spark.createDataFrame([(text,) for text in TEXTS], "s STRING"))
    asked: list[tuple[str, str, list[object]]] = []
    for expression in written:
        try:
            regular = compile_regular(expression)
        except RegexError:
            continue
        found: list[object] = [regular.search(text) for text in TEXTS]
        asked += [(expression, f"rlike(s, {quote_text(one)})", found) for one in {expression, regular.java()}]
        for replacement in REPLACEMENTS[: 4 if regular.groups else 3]:
            try:
                regular.check_replacement(replacement)
            except RegexError:
                continue
            found = [regular.replace(text, replacement) for text in TEXTS]
            for one in {expression, regular.java()}:
                asked.append((expression, f"regexp_replace(s, {quote_text(one)}, {quote_text(replacement)})", found))
    for (expression, sql, expected), column in zip(asked, answers(frame, [sql for _, sql, _ in asked]), strict=True):
        assert column == expected, (expression, sql)


#: No shrinking, which would run Spark for hours.
@settings(max_examples=size(2, 8), phases=[Phase.explicit, Phase.generate])
@given(st.lists(expressions, min_size=40, max_size=40))
def test_random_expressions_find_what_they_found_before(spark: SparkSession, written: list[str]) -> None:
    compare(spark, written)


def test_written_expressions_find_what_they_found_before(spark: SparkSession) -> None:
    compare(spark, list(WRITTEN))


def test_the_reference_reads_what_java_reads(spark: SparkSession) -> None:
    frame = numbered(spark.createDataFrame([(text,) for _, text, _ in JAVA], "s STRING"))
    columns = answers(frame, [f"rlike(s, {quote_text(expression)})" for expression, _, _ in JAVA])
    assert [column[index] for index, column in enumerate(columns)] == [expected for _, _, expected in JAVA]


SELECTORS = (
    *(f"REGEX('{bomb}', a)" for bomb in BOMBS),
    *(f"REPLACE(a, '{bomb}', 'y') = 'y'" for bomb in BOMBS),
    *(f"REPLACE(a, '{pattern}', '') = 'y'" for pattern in ("x.*y", r"\s+$", r"\s*,\s*", "(.*)-(.*)", "^a*b")),
    *(f"REGEX('{pattern}', a)" for pattern in ("x.*y", "foo.*bar", "[a-z]+@[a-z]+[.]com", r"\w+\s*=\s*\w+$")),
    *(f"REGEX('{pattern}', a)" for pattern in (".*foo.*", "^.*foo.*bar$", "^([a-z]+-)*x", "^(ab|x)+$")),
    "INLIST(SPLIT('a,b;c', '[,;]'), a)",
)


def test_a_long_text_is_answered_or_the_expression_refused(spark: SparkSession) -> None:
    texts = [
        "b",
        "a" * 30 + "!",
        *(part * (size(1_500, 10_000) // len(part)) + "!" for part in ("a", "x", "ab", " ", "<", "a-", ",a")),
    ]
    messages = [{"application_properties": {"a": text}} for text in texts]
    frame = numbered(create_messages(spark, messages))
    served = []
    for selector in SELECTORS:
        try:
            served.append((selector, transpile_selector(selector, dialect="activemq").sql))
        except UnsupportedFeatureError as error:
            if error.diagnostics[0].code != "spark.regex":
                raise
    assert len(served) > len(SELECTORS) - 2 * len(BOMBS) - 3
    for (selector, _), column in zip(served, answers(frame, [sql for _, sql in served]), strict=True):
        for message, answer in zip(messages, column, strict=True):
            assert (answer is True) == reference(selector, message, answer), selector


def reference(selector: str, message: dict[str, Any], otherwise: object) -> bool:
    """Return the reference evaluator's result, or ``otherwise`` if the text is too long for it."""
    try:
        return evaluate(selector, Message.from_dict(message), "activemq") is True
    except TranspilerError as error:
        if error.diagnostics[0].code == "limit.regex":
            return otherwise is True
        raise


@pytest.mark.parametrize(
    ("selector", "underlined", "reason"),
    [
        ("a = '''' OR REGEX('^''(x+x+)+y', a)", "(x+x+)+y", "too many ways"),
        ("REGEX('a+?b', a)", "+?b", "lazy"),
        ("REPLACE(a, 'c|(b)', '$1') = 'c'", "c|(b)", "the group 1"),
        ("REPLACE(a, 'b', '$1') = 'c'", "$1", "no group 1"),
        ("REPLACE(a, '(b)', 'x\\') = 'c'", "\\", "ends in a backslash"),
        ("REPLACE(a, 'b*', 'x') = 'c'", "b*", "the empty text"),
        ("INLIST(SPLIT('a', '(a)\\1'), a)", "\\1", "back-reference"),
        ("REGEX('a(?<=b)', a)", "(?<=b)", "look-behind"),
        ("REGEX('(a', a)", "(a", "not closed"),
    ],
)
def test_an_expression_is_refused_where_it_is_wrong(selector: str, underlined: str, reason: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match=reason) as caught:
        transpile_selector(selector, dialect="activemq")
    found = caught.value.diagnostics[0]
    assert found.code == "spark.regex"
    assert found.span is not None
    assert selector[found.span.start : found.span.end] == underlined
