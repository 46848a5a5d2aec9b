"""Errors for texts that are not selectors have a code, a location, and a hint."""

from __future__ import annotations

import pickle
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from tests.spark_ext.strategies import HEADERS, NAMES, selectors
from transpiler import (
    SelectorSyntaxError,
    SelectorTypeError,
    TranspilerError,
    UnsupportedFeatureError,
    parse_selector,
    print_selector,
)
from transpiler.language.selector.dialects import KEYWORDS, UNUSABLE

#: The selector, the code of the first diagnostic, the text under the caret, and a word of the hint (None: no hint).
BAD = [
    ("a = 1 AND AND b", "syntax.unexpected-token", "AND", "remove the second AND"),
    ("a OR OR b", "syntax.unexpected-token", "OR", "remove the second OR"),
    ("a AND OR b", "syntax.unexpected-token", "OR", "keep one"),
    ("color = light blue", "syntax.unexpected-token", "blue", "'light blue'"),
    ("a = = 1", "syntax.unexpected-token", "=", "remove the second ="),
    ("a = ", "syntax.unexpected-end", "", "a value is missing"),
    ("a", None, "", None),
    ("(a = 1", "syntax.unexpected-end", "", "opened at 1:1"),
    ("a = 1)", "syntax.unexpected-token", ")", "no parenthesis is open"),
    ("x = NULL", "syntax.unexpected-token", "NULL", "IS NULL"),
    ("x <> NULL", "syntax.unexpected-token", "NULL", "IS NOT NULL"),
    ("a LIKE b", "syntax.unexpected-token", "b", "'b'"),
    ("a LIKE 5", "syntax.unexpected-token", "5", "'5'"),
    ("a LIKE", "syntax.unexpected-end", "", "a pattern is written a LIKE 'text%'"),
    ("a LIKE 'x' ESCAPE", "syntax.unexpected-end", "", "ESCAPE '!'"),
    ("x BETWEEN 1 , 2", "syntax.unexpected-token", ",", "write x BETWEEN 1 AND 2"),
    ("x BETWEEN 1", "syntax.unexpected-end", "", "write x BETWEEN 1 AND"),
    ("x NOT = 5", "syntax.unexpected-token", "=", "write NOT (x = 5)"),
    ("1 < i < 9", "syntax.unexpected-token", "<", "do not chain"),
    ("i > 1 = TRUE", "syntax.unexpected-token", "=", "do not chain"),
    ("foo(1)", "syntax.unexpected-token", "(", "activemq"),
    ("XPATH '//a'", "syntax.unexpected-token", "'//a'", "activemq"),
    ("a == 1", "syntax.operator", "==", "write a = 1"),
    ("a != 1", "syntax.operator", "!=", "write <>"),
    ("a && b", "syntax.operator", "&&", "write AND"),
    ("a || b", "syntax.operator", "||", "write OR"),
    ("!a", "syntax.operator", "!", "write NOT"),
    ("a % 2 = 1", "syntax.operator", "%", "activemq"),
    ("a => 1", "syntax.unexpected-token", ">", "write >="),
    ('s = "abc"', "syntax.double-quote", '"', "single quotes"),
    ("[a b] = 1", "syntax.bracket", "[", "rabbitmq"),
    ("`a` = 1", "syntax.quote", "`", "without quotes"),
    ("a = \\'x", "syntax.backslash", "\\", "twice"),
    ("a = 'x", "syntax.unterminated-string", "'x", "close the literal"),
    ("a = 'it's'", "syntax.unexpected-token", "s", "twice"),
    ("a = 1; b", "syntax.operator", ";", "remove the "),
    ("a = 08", "syntax.number", "08", "write 8"),
    ("a = 1e", "syntax.number", "1e", None),
    ("a = 0b101", "syntax.number", "0b101", "write 5"),
    # Python does not print integers with so many digits.
    (f"a = 0b{'1' * 20_000}", "syntax.number", f"0b{'1' * 20_000}", "without separators"),
    ("a = 5_000", "syntax.number", "5_000", "write 5000"),
    ("a = 0x1p3", "syntax.number", "0x1p3", None),
    ("a = 12abc", "syntax.number", "12abc", "quotes"),
    ("a = 9223372036854775808", "syntax.number-range", "9223372036854775808", ".0"),
    ("a = 0xFFFFFFFFFFFFFFFF", "syntax.number-range", "0xFFFFFFFFFFFFFFFF", ".0"),
    ("a = 1e400", "syntax.number-range", "1e400", None),
    ("a = 1e-400", "syntax.number-range", "1e-400", None),
    ("a = 1e39f", "syntax.number-range", "1e39f", None),
    ("5 -- c", "syntax.comment", "--", "activemq"),
    ("a = 1 /* c */", "syntax.comment", "/*", "activemq"),
    ("a =’x’", "syntax.unexpected-character", "’", "write '"),
    ("a\u00a0= 1", "syntax.unexpected-character", "\u00a0", "plain space"),
    ("a ≥ 1", "syntax.unexpected-character", "≥", "write >="),
    ("a # b", "syntax.comment", "#", "remove the "),
    ("a IS EMPTY", "syntax.unexpected-token", "EMPTY", "IS NULL"),
    ("a IS", "syntax.unexpected-end", "", "write a IS NULL or a IS NOT NULL"),
    ("a IN 'b'", "syntax.unexpected-token", "'b'", "IN ('one', 'other')"),
    ("a IN ()", "syntax.unexpected-token", ")", "a list is written a IN ('one', 'other')"),
    ("LIKE = 1", "syntax.unexpected-token", "LIKE", "reserved word"),
    ("a = BETWEEN", "syntax.unexpected-token", "BETWEEN", "reserved word"),
    ("NOT", "syntax.unexpected-end", "", "a condition is missing"),
    ("a = 1 b = 2", "syntax.unexpected-token", "b", "AND or OR"),
    ("a LIKE 'x!' ESCAPE '!'", "syntax.pattern", "!", "twice"),
    ("a LIKE 'x' ESCAPE ''", "syntax.escape", "''", "ESCAPE '!'"),
    ("a LIKE 'x' ESCAPE 'ab'", "syntax.escape", "'ab'", "ESCAPE '!'"),
    ("5", "type.not-a-condition", "5", "a condition is a comparison"),
    ("x + 1", "type.not-a-condition", "x + 1", "a condition is a comparison"),
    ("'a'", "type.not-a-condition", "'a'", "a condition is a comparison"),
    ("a = 1 AND 5", "type.not-a-condition", "5", "a condition is a comparison"),
    ("NOT 5", "type.not-a-condition", "5", "a condition is a comparison"),
    ("s < 'a'", "type.ordering", "'a'", "= and <>"),
    ("s > '5'", "type.ordering", "'5'", "without quotes"),
    ("s <= TRUE", "type.ordering", "TRUE", "= and <>"),
    ("x + 'a' = 1", "type.not-a-number", "'a'", None),
    ("-TRUE = 1", "type.not-a-number", "TRUE", None),
    ("x * '2' = 4", "type.not-a-number", "'2'", "without quotes"),
    ("x BETWEEN '1' AND 5", "type.not-a-number", "'1'", "without quotes"),
    ("5 IN ('a')", "type.not-a-name", "5", "qpid-cpp"),
    ("'abc' LIKE 'a%'", "type.not-a-name", "'abc'", "dialects"),
    ("weight IN (5, 'a')", "type.in-member", "5", "OR"),
]


@pytest.mark.parametrize(("text", "code", "under", "hint"), [row for row in BAD if row[1]])
def test_a_bad_selector_says_what_where_and_what_to_do(text: str, code: str, under: str, hint: str | None) -> None:
    with pytest.raises(TranspilerError) as caught:
        parse_selector(text)
    finding = caught.value.diagnostics[0]
    assert finding.code == code
    assert finding.span is not None
    assert text[finding.span.start : finding.span.end] == under
    if hint is None:
        assert finding.hint is None
    else:
        assert hint in (finding.hint or "")
    kind = SelectorSyntaxError if code.startswith("syntax.") else SelectorTypeError
    assert type(caught.value) is kind


JAVA = "activemq artemis qpid-java"
#: The selector, its dialects, the code, the text under the caret, the message and a piece of the hint.
REFUSED = (
    ("5", f"{JAVA} rabbitmq-jms", "type.not-a-condition", "5", "a number is not a condition", "with > 0"),
    ("a = 1 AND 'b'", JAVA, "type.not-a-condition", "'b'", "a string is not a condition", "color = 'blue'"),
    (
        "JMSType",
        "rabbitmq-jms",
        "type.not-a-condition",
        "JMSType",
        "a string is not a condition",
        "a condition is a comparison",
    ),
    ("JMSPriority", "rabbitmq-jms", "type.not-a-condition", "JMSPriority", "a number is not a condition", "> 0"),
    ("SPLIT(a, ',')", "activemq", "type.not-a-condition", "SPLIT(a, ',')", "a function call is not a condition", "> 0"),
    ("a < 'b'", JAVA, "type.ordering", "'b'", "< cannot order a string", "= and <>"),
    ("a BETWEEN 1 AND '5'", JAVA, "type.ordering", "'5'", "BETWEEN cannot order a string", "without quotes: 5"),
    ("a > +TRUE", JAVA, "type.ordering", "+TRUE", "> cannot order a boolean", "= and <>"),
    ("NULL <= a", JAVA, "type.ordering", "NULL", "<= cannot order NULL", "= and <>"),
    ("REGEX(a)", "activemq", "type.arguments", "REGEX(a)", "REGEX takes 2 arguments, not 1", ""),
    ("INLIST(SPLIT(a), a)", "activemq", "type.arguments", "SPLIT(a)", "SPLIT takes 2 to 3 arguments, not 1", ""),
    ("INLIST(MAKELIST(), a)", "activemq", "type.arguments", "MAKELIST()", "takes at least 1 argument, not 0", ""),
    ("TRUE = 'a'", "activemq", "type.unlike", "TRUE = 'a'", "cannot compare a boolean with a string", "exchange"),
    ("a = 1 AND JMSType + 1 = 2", "rabbitmq-jms", "type.unlike", "JMSType", "a number is required", "checks all types"),
    (
        "a IN ('b', 5)",
        JAVA,
        "type.in-member",
        "5",
        "the list after IN may contain only string literals, but this is a number",
        "a = 'b' OR a = 5",
    ),
    (
        "a IN (('b'))",
        f"{JAVA} rabbitmq-jms",
        "type.in-member",
        "('b')",
        "a list in parentheses",
        "remove the parentheses",
    ),
    ("a + 1 IN ('b')", JAVA, "type.not-a-name", "a + 1", "but this is an arithmetic expression", "qpid-cpp"),
    ("(a) IS NULL", "rabbitmq rabbitmq-jms", "type.not-a-name", "(a)", "a name without parentheses", "any expression"),
    (
        "(a) LIKE 'b'",
        "rabbitmq-jms",
        "type.not-a-name",
        "(a)",
        "accepts only a name without parentheses",
        "any expression",
    ),
    (
        "a LIKE 'b' ESCAPE 'cd'",
        "rabbitmq",
        "syntax.escape",
        "'cd'",
        "ESCAPE requires one character in quotes, not 2",
        "!",
    ),
    ("a LIKE 'b' ESCAPE 'é'", "qpid-cpp", "syntax.escape", "'é'", "ESCAPE in qpid-cpp requires one ASCII", "!"),
    (
        "a = 9223372036854775808",
        "qpid-cpp",
        "syntax.number-range",
        "9223372036854775808",
        "a signed 64-bit integer",
        ".0",
    ),
    ("NOT NOT a", "rabbitmq-jms", "type.not-twice", "NOT a", "does not accept two NOT in a row", "parentheses"),
    ("- -a = 1", "rabbitmq", "type.sign", "-a", "does not accept two signs in a row", "parentheses"),
    ("+(a) = 1", "qpid-cpp", "type.sign", "+(a)", "only before a name or a literal", "remove the "),
)


@pytest.mark.parametrize(("text", "dialects", "code", "under", "message", "hint"), REFUSED)
def test_a_broker_refuses_an_operand_in_the_same_words(
    text: str, dialects: str, code: str, under: str, message: str, hint: str
) -> None:
    for dialect in dialects.split():
        with pytest.raises(TranspilerError) as caught:
            parse_selector(text, dialect)
        finding = caught.value.diagnostics[0]
        assert finding.span is not None
        assert (finding.code, text[finding.span.start : finding.span.end]) == (code, under), dialect
        assert message in finding.message, dialect
        assert hint in (finding.hint or ""), dialect


def test_of_one_operand_the_type_is_reported_before_the_digits() -> None:
    with pytest.raises(SelectorTypeError) as caught:
        parse_selector("a AND 9223372036854775808")
    assert [finding.code for finding in caught.value.diagnostics] == ["type.not-a-condition", "syntax.number-range"]


def test_the_caret_block_reads_well() -> None:
    with pytest.raises(SelectorSyntaxError) as caught:
        parse_selector("a = 1 AND AND b")
    assert str(caught.value) == (
        "selector:1:11: syntax.unexpected-token: expected an operand after AND, found AND\n"
        "  1 | a = 1 AND AND b\n"
        "    |           ^^^\n"
        "  hint: remove the second AND"
    )


def test_a_long_line_is_shown_around_the_caret() -> None:
    with pytest.raises(SelectorSyntaxError) as caught:
        parse_selector(f"{'a = 1 OR ' * 100}b = = 2{' OR a = 1' * 100}")
    _, shown, carets, *_ = str(caught.value).splitlines()
    assert len(shown) < 120
    assert shown[carets.index("^")] == "="


def test_all_type_errors_are_reported_at_once() -> None:
    with pytest.raises(SelectorTypeError) as caught:
        parse_selector("s < 'a' AND 5 AND x IN (1)")
    assert [finding.code for finding in caught.value.diagnostics] == [
        "type.ordering",
        "type.not-a-condition",
        "type.in-member",
    ]


def test_errors_survive_pickling() -> None:
    with pytest.raises(TranspilerError) as caught:
        parse_selector("a = = 1")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert again.diagnostics == caught.value.diagnostics


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a" * 1_000_001, "limit.length"),
        ("NOT " * 200 + "a", "limit.nesting"),
        ("-" + "-" * 200 + "a = 1", "limit.nesting"),
        (" OR ".join(["a"] * 50_001), "limit.terms"),
    ],
)
def test_what_is_too_large_says_so(text: str, code: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        parse_selector(text)
    assert caught.value.diagnostics[0].code == code


def test_parentheses_count_while_they_are_open() -> None:
    # The limits on length are checked only in texts of more than 100,000 characters.
    assert parse_selector(" AND ".join([f"{'(' * 100}a{')' * 100}"] * 500)) is not None


@pytest.mark.parametrize("text", ["(" * 100_000, "NOT " * 100_000, "- " * 100_000 + "a", "'" * 99_999, "a." * 100_000])
def test_a_bomb_ends_in_an_answer_or_an_error(text: str) -> None:
    with pytest.raises(TranspilerError) if not text.startswith("a.") else nullcontext():
        assert parse_selector(text) is not None


_WORDS = """a b.c AND OR NOT ( ) = <> < 5 .5 1e3 'x' LIKE IN , BETWEEN IS NULL ESCAPE + - * / TRUE ' -- 0x é"""
_SOUP = st.lists(st.sampled_from([*_WORDS.split(), "\n"]), max_size=15).map(" ".join)


@given(st.one_of(st.text(), _SOUP))
@settings(max_examples=size(200, 1_000))
def test_any_text_parses_or_says_where_it_does_not(text: str) -> None:
    try:
        tree = parse_selector(text)
    except TranspilerError as error:
        span = error.diagnostics[0].span
        assert span is not None
        assert 0 <= span.start <= span.end <= len(text)
    else:
        assert tree is None or parse_selector(print_selector(tree)) == tree


@given(selectors(NAMES + HEADERS))
@settings(max_examples=size(200, 1_000))
def test_a_printed_tree_parses_to_itself(tree: object) -> None:
    assert parse_selector(print_selector(tree)) == tree  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dialect", "quoted"), [("artemis", '"{}"'), ("qpid-java", '"{}"'), ("qpid-cpp", '"{}"'), ("rabbitmq", "[{}]")]
)
def test_a_quoted_name_that_is_a_reserved_word_stays_a_name(dialect: str, quoted: str) -> None:
    for word in (*KEYWORDS, *sorted(UNUSABLE), "XPATH", "XQUERY"):
        for name in (word, word.lower(), word.capitalize()):
            tree = parse_selector(f"{quoted.format(name)} = 5", dialect)
            assert tree is not None
            assert parse_selector(print_selector(tree, dialect), dialect) == tree
