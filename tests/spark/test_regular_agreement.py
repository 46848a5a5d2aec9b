"""Rewritten regular expressions against the ones that were written, in Java, and against the reference evaluator."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.regex.strategies import expressions
from tests.regex.test_matcher import BOMBS, JAVA
from tests.sizes import size
from tests.spark.harness import answers, numbered
from transpiler import Message, TranspilerError, UnsupportedFeatureError, evaluate, transpile_selector
from transpiler.lowering.regex_rewriting import replace_form
from transpiler.lowering.regex_rewriting import test_form as form_of_test
from transpiler.regex.matcher import compile_regular
from transpiler.regex.replacement import parse_replacement
from transpiler.regex.syntax import RegexError
from transpiler.sql.quoting import quote_text

#: Lines of texts; what is unusual about the ends of lines and about characters comes behind them.
TEXTS = [
    *"/a/b/c/ab/ba/aa/bb/abc/aab/abab/aabb/cab/a b/aaab/bbba/abcabc/aaaaaaa/bababab/acacac/  /cccc/abbbb".split("/"),
    *("a\n", "ab\n", "\nab", "a\nb", "aa bb\n", "a\r\nb\r\n", "ab\r", "b\u2028", "\x85a", "a\n\n"),
    *("é", "aéb", "😀", "a😀b", "😀😀a\n"),
]

#: What people write, beside the random ones.
WRITTEN = (
    r"^\w+@\w+\.\w+$", r"\.(jpg|jpeg|png)$",
    "a.*b.*c", "^.*a.*b$", "[a-b]+c", r"\s+$", r"\s*b\s*", "(.*)b(.*)", "a.*?b", "(?i)A+B",
    "^(?!a)", "(?=.*b)a", "(?:ab)*+c", "[^b]*$", "[^\n]*$", "([^a]?)$", "[^a]*?$", "^[ab]*$", r"(a|b)(\n|c)?",
    "(a)|b", "a(b)?", "(?:(a)b|ac)",
    "^(?:[a-b]+c)+$", "(b*)(c)", "[^a][^b]", "", "^", "$", r"^\s*", r"a{2,3}", "(?:a{2}){1,2}b",
    r"\b((?:(?:aa|[b-c]|\w)){2,})", "(?:aa|.){2}", "(?:aa|.){2,}b",
)  # fmt: skip

REPLACEMENTS = ("-", "[$0]", r"\$5", "$1-")


def compare(spark: SparkSession, written: list[str]) -> None:
    """Ask Java all of it about all texts, in one query."""
    frame = numbered(spark.createDataFrame([(text,) for text in TEXTS], "s STRING"))
    asked: list[tuple[str, str, list[object]]] = []
    for expression in written:
        regular = compile_regular(expression)
        try:
            found: list[object] = [regular.search(text) for text in TEXTS]
            if r"\b" not in expression:
                # Java's own edges of words go by ASCII since 19 only.
                asked.append((expression, f"rlike(s, {quote_text(expression)})", found))
            asked.append((expression, f"rlike(s, {quote_text(form_of_test(expression))})", found))
        except RegexError:
            pass
        for replacement in REPLACEMENTS[: 4 if regular.groups else 3]:
            try:
                forms = replace_form(expression, parse_replacement(replacement, regular.groups))
            except RegexError:
                continue
            found = [regular.replace(text, replacement) for text in TEXTS]
            for one in (forms,) if r"\b" in expression else ((expression, replacement), forms):
                asked.append((expression, f"regexp_replace(s, {', '.join(map(quote_text, one))})", found))
    for (expression, sql, expected), column in zip(asked, answers(frame, [sql for _, sql, _ in asked]), strict=True):
        assert column == expected, (expression, sql)


#: Shrinking would ask Spark for hours.
@settings(max_examples=size(2, 8), phases=[Phase.explicit, Phase.generate])
@given(st.lists(expressions, min_size=40, max_size=40))
def test_random_expressions_find_what_they_found_before(spark: SparkSession, written: list[str]) -> None:
    compare(spark, written)


def test_written_expressions_find_what_they_found_before(spark: SparkSession) -> None:
    compare(spark, list(WRITTEN))


@pytest.mark.usefixtures("interpreted")
def test_the_reference_reads_what_java_reads(spark: SparkSession) -> None:
    frame = numbered(spark.createDataFrame([(text,) for _, text, _ in JAVA], "s STRING"))
    # Edges of words are those of Java 19 and later, which this Java need not be.
    columns = answers(frame, [f"rlike(s, {quote_text(expression)})" for expression, _, _ in JAVA])
    assert [column[place] for place, column in enumerate(columns)] == [expected for _, _, expected in JAVA]


SELECTORS = (
    *(f"REGEX('{bomb}', a)" for bomb in BOMBS),
    *(f"REPLACE(a, '{bomb}', 'y') = 'y'" for bomb in BOMBS),
    *(f"REPLACE(a, '{pattern}', '') = 'y'" for pattern in ("<.*?>", "x.*y", r"\s+$", r"\s*,\s*", "(.*)-(.*)", "^a*b")),
    *(f"REGEX('{pattern}', a)" for pattern in ("x.*y", "foo.*bar.*baz", "[a-z]+@[a-z]+[.]com", r"\w+\s*=\s*\w+$")),
    "INLIST(SPLIT('a,b;c', '[,;]'), a)",
)


@pytest.mark.usefixtures("interpreted")
def test_a_long_text_is_answered_or_the_expression_refused(spark: SparkSession) -> None:
    texts = [
        "b",
        "a" * 30 + "!",
        *(part * (size(10_000, 100_000) // len(part)) + "!" for part in ("a", "x", "ab", " ", "<", "a-", ",a")),
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
    assert len(served) > len(SELECTORS) // 2
    # The reference takes a second for each long text, so it answers for the short ones and for two long ones.
    for (selector, _), column in zip(served, answers(frame, [sql for _, sql in served]), strict=True):
        for message, answer in list(zip(messages, column, strict=True))[:4]:
            assert (answer is True) == reference(selector, message, answer), selector


def reference(selector: str, message: dict[str, Any], otherwise: object) -> bool:
    """The reference evaluator's answer, or another one where its steps are used up."""
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
