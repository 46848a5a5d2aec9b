"""Regular expressions are matched as by a backtracking matcher, and in a time that grows with the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import process_time

import pytest
from hypothesis import assume, example, given

from tests.regex.strategies import expressions, texts
from transpiler.lowering.regex_rewriting import replace_form
from transpiler.lowering.regex_rewriting import test_form as form_of_test
from transpiler.regex.characters import ALL, CharacterSet, from_ranges, of, without_case
from transpiler.regex.matcher import Regular, SearchLimitError, compile_regular
from transpiler.regex.replacement import parse_replacement, print_replacement
from transpiler.regex.syntax import Flavor, RegexError

BOMBS = (
    "^(.*)*x$",
    "(a+)+$", "^(a+)+$", "(a*)*b", "(a?){30}a{30}b", "(a|aa)+$", "^(a|aa)+$", "(.*)*x", "(x+x+)+y", "^(x+x+)+y",
    "a*a*a*a*a*a*b", "^(a?){30}a{30}$", "^([a-z]+)*$", "^(a|a|ab)*$", "(a*?a*?)*?b", "(?:a{1,9}){1,9}b", "a.*a.*a.*b",
)  # fmt: skip


def in_python(expression: str) -> str:
    """The expression with Java's dot and ends, for texts of LF alone."""
    return expression.replace(r"\z", r"\Z")


def find_as_java(expression: str, text: str) -> Iterator[re.Match[str]]:
    """Yield Python's matches from where Java searches on: one character behind an empty match, not at its place."""
    compiled, at = re.compile(in_python(expression), re.ASCII), 0
    while at <= len(text):
        found = compiled.search(text, at)
        if found is None:
            return
        yield found
        at = found.end() + (found.start() == found.end())


@given(expressions, texts)
@example("(?:a|ab)(?:c|bcd)(?:d*)", "abcd")
@example("(?:a|)*?b$", "aab\n")
def test_a_search_agrees_with_python(expression: str, text: str) -> None:
    expected = re.search(in_python(expression), text, re.ASCII) is not None
    assert compile_regular(expression).search(text) == expected


@given(expressions, texts)
@example("(?:(?:a)*|b)", "b")
def test_matches_and_groups_agree_with_python(expression: str, text: str) -> None:
    # Engines differ in the rounds of a loop that take nothing, and in the groups of such rounds.
    assume(not re.search(r"[*+?}]\)*[*+?{]", expression))
    expected = [
        tuple(place for group in range(found.re.groups + 1) for place in found.span(group))
        for found in find_as_java(expression, text)
    ]
    assert [found.places for found in compile_regular(expression).find_all(text)] == expected


@given(expressions, texts)
@example("^(?:(?:a)*|b)$", "b")
@example(r"^(?:a*|b*)\z", "b")
def test_a_simplified_expression_is_found_in_the_same_texts(expression: str, text: str) -> None:
    try:
        form = form_of_test(expression)
    except RegexError:
        assume(False)
    java = form.replace(r"\z", r"\Z").replace(r"[\s\S]", r"(?s:.)")
    assert (re.search(java, text, re.ASCII) is not None) == compile_regular(expression).search(text), form


@pytest.mark.parametrize("expression", BOMBS)
def test_a_search_takes_a_time_that_grows_with_the_text(expression: str) -> None:
    regular = Regular(expression)
    begin = process_time()
    assert regular.search("a" * 100_000 + "\ny") in (True, False)
    assert process_time() - begin < 2


def test_a_search_that_takes_too_long_ends_with_an_error() -> None:
    with pytest.raises(SearchLimitError, match="1,700,000 steps"):
        list(Regular("(a?){200}b").find_all("a" * 100_000))


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        (r"\b(b??){2}?$", "b", "[][]"),
        (r"((?:aa)?b??){2,3}?\z", "b", "[][]"),
        ("^(c{0,2}?){3}$", "c", "[]"),
        ("^((?:ac|[^a]a)|(?:(?:ab)?|acb|[ab]{2,3}))*", "abaaaa", "[]aaaa"),
        ("^(?:(b{0,2}|aa)){0,2}$", "aa", "[]"),
        (r"(?:(.{0,2}?)?){1,2}?\b", "aab", "[]a[b][]"),
        ("(a*)*", "aab", "[][]b[]"),
    ],
)
def test_a_round_that_consumes_nothing_ends_its_repeat_as_in_java(expression: str, text: str, expected: str) -> None:
    assert Regular(expression).replace(text, "[$1]") == expected


#: An expression, a text, and the answer of Java where Python's is another one.
JAVA = (
    ("a$", "a\r\n", True),
    ("a\r$", "a\r\n", False),
    ("a$", "a\u2028", True),
    ("a$", "a\n\n", False),
    ("a.b", "a\rb", False),
    ("(?i)[K-S]", "\u212a", False),
    ("(?i)[^k]", "K", False),
    (r"\d", "\u0663", False),
    (r"[\w-]+x", "a-x", True),
    (r"[a\-c]x", "bx", False),
    (r"\x41\u0042", "AB", True),
    ("^(?!amq\\.).*", "amq.x", False),
    ("^(?!amq\\.).*", "x", True),
    ("(?=.*b)(?=.*c)a", "xacb", True),
    ("a}]", "a}]", True),
    ("", "", True),
    ("😀.", "😀😀", True),
)


@pytest.mark.parametrize(("expression", "text", "expected"), JAVA)
def test_a_search_reads_what_java_reads(expression: str, text: str, expected: bool) -> None:
    assert Regular(expression).search(text) is expected


def test_the_dot_and_the_end_of_pcre_are_others() -> None:
    assert Regular("a.b$", Flavor.PCRE).search("a\rb\n")
    assert not Regular("b$", Flavor.PCRE).search("b\r\n")


#: An expression that is not served, the place at which, part of the reason, and whether Java refuses it, too.
REFUSED = (
    (r"(a)\1", 3, "back-reference", False),
    ("a(?<=b)", 1, "look-behind", False),
    ("a(?<n>b)", 1, "not served", False),
    ("a*b**", 4, "behind nothing", True),
    ("(a", 0, "not closed", True),
    ("a)", 1, "closes no group", True),
    ("a{3,2}", 1, "below its beginning", True),
    ("a{256}", 1, "255 rounds", False),
    ("a{x}", 1, r"written \{", True),
    ("[a", 0, "not closed", True),
    ("[a&&b]", 2, "inside of brackets", False),
    ("[z-a]", 1, "no end", True),
    (r"\p{L}", 0, "not served", False),
    ("a\\", 1, "backslash", True),
    ("^*", 1, "no length", False),
    ("a*+a", 0, "for good", False),
    ("(?>a*|b)c", 0, "for good", False),
    ("(?>$|b)c", 0, "for good", False),
    ("(?:aa|.){2}+", 0, "for good", False),
    ("((a{99}){99}){99}", 0, "5,000 states", False),
    ("(" * 21 + ")" * 21, 20, "20 deep", False),
    ("a" * 2_001, 2_000, "2,000 characters", False),
)


@pytest.mark.parametrize(("expression", "offset", "reason", "wrong"), REFUSED)
def test_an_expression_is_refused_at_its_place(expression: str, offset: int, reason: str, wrong: bool) -> None:
    with pytest.raises(RegexError, match=re.escape(reason)) as caught:
        Regular(expression)
    assert (caught.value.offset, caught.value.wrong) == (offset, wrong)


#: What Spark is asked for a test.
TESTS = (
    ("(a+)+$", "a$"),
    ("a*a*a*a*a*a*b", "b"),
    ("(x+x+)+y", "x{2}y"),
    ("^(a|aa)+$", "^a++$"),
    ("^a.*$", "^a.*+$"),
    ("x.*y", "(?<!.)(?>.*?x).*y"),
    ("^a.*b.*c$", "^a(?>.*?b).*c$"),
    ("foo.*bar.*baz", "(?<!.)(?>.*?foo)(?>.*?bar).*baz"),
    (r"\.(jpg|jpeg|png)$", "[.](?>jp(?>g|eg)|png)$"),
    ("^([a-z]+-)*[a-z]+$", "^[a-z]++(?:[-][a-z]++)*+$"),
    (r"^\s*$", r"^\s*+$"),
    ("[^\n]*x$", "x$"),
    ("(?i)error|warn", "[Ee][Rr][Rr][Oo][Rr]|[Ww][Aa][Rr][Nn]"),
    ("(?:a|x)*+", ""),
    ("^(?:(?:a*|b)c)*d", "^(?:(?>b|a*+)c)*+d"),
    ("(?:aa|.){2,}", "(?:(?:aa|.)){2}"),
    ("(?:aa|b){2,}", "(?:(?>aa|b)){2}+"),
    ("^(?:a*|b*)$", "^(?:a*+|b*+)$"),
)


@pytest.mark.parametrize(("expression", "form"), TESTS)
def test_a_test_becomes_an_expression_without_backtracking(expression: str, form: str) -> None:
    assert form_of_test(expression) == form


#: What Spark is asked for a replacement; the place of the repeat that is refused, or of the whole expression.
MATCHES: tuple[tuple[str, str, tuple[str, str] | int], ...] = (
    ("(a+)b", "$1", (r"(?:\G|(?<!a))(a++)b", "$1")),
    (r"\s*,\s*", ",", (r"(?:\G|(?<!\s))\s*+,\s*+", ",")),
    ("(.*)-(.*)", "$2-", (r"(?:\G|(?<!.)).*[-](.*+)", "$1-")),
    ("<.*?>", "5", (r"(?:\G|(?<!.))(?>(.*?)<).*?>", r"$1\5")),
    ("<[^<>]*>", "5", (r"<[^\<\>]*+>", "5")),
    ("^(foo|bar)+x", "", ("^(?:(?>foo|bar))++x", "")),
    ("(foo|bar)+x", "", 0),
    ("^(a|b)c", "$1", ("^((?>a|b))c", "$1")),
    ("^(a*|b)c", "$1", ("^((?:a*+|b))c", "$1")),
    ("a*?", "", 0),
    ("(?:ab|ac)*d", "", 0),
    ("(a|aa)+$", "", 0),
    ("foo.*bar.*baz", "", 3),
    ("a*a*a*b", "", 0),
)


@pytest.mark.parametrize(("expression", "replacement", "form"), MATCHES)
def test_a_replacement_keeps_its_matches_or_is_refused(
    expression: str, replacement: str, form: tuple[str, str] | int
) -> None:
    parts = parse_replacement(replacement, 2)
    if isinstance(form, int):
        with pytest.raises(RegexError) as caught:
            replace_form(expression, parts)
        assert caught.value.offset == form
    else:
        assert replace_form(expression, parts) == form


@pytest.mark.parametrize(
    ("text", "separator", "parts"),
    [
        ("a,b,,", ",", ("a", "b")),
        ("", ",", ("",)),
        (",", ",", ()),
        ("abc", "", ("a", "b", "c")),
        (",a", ",", ("", "a")),
        ("a1b22c", "([0-9])+", ("a", "b", "c")),
    ],
)
def test_a_text_is_split_as_java_splits_it(text: str, separator: str, parts: tuple[str, ...]) -> None:
    assert Regular(separator).split(text) == parts


@pytest.mark.parametrize(
    ("expression", "replacement", "text", "expected"),
    [
        ("(a)(b)?", "[$2$1]", "abxa", "[ba]x[a]"),
        ("a", r"\$1\\", "a", "$1\\"),
        ("(a)", "$12", "a", "a2"),
        ("a*", "-", "aab", "--b-"),
        ("x", "$9", "a", "a"),
    ],
)
def test_a_text_is_replaced_as_java_replaces_it(expression: str, replacement: str, text: str, expected: str) -> None:
    assert Regular(expression).replace(text, replacement) == expected


@pytest.mark.parametrize(("replacement", "offset"), [("a$", 1), ("$x", 0), ("a$2", 1), ("ab\\", 2), ("${a}", 0)])
def test_a_replacement_that_java_refuses_is_refused(replacement: str, offset: int) -> None:
    with pytest.raises(RegexError) as caught:
        parse_replacement(replacement, 1)
    assert (caught.value.offset, caught.value.wrong) == (offset, True)


def test_a_replacement_is_written_with_other_numbers() -> None:
    assert print_replacement(parse_replacement(r"$12\5\$$3", 3), {1: 1, 3: 2}) == r"$1\25\$$2"


def test_sets_of_characters() -> None:
    letters = from_ranges([(97, 99), (98, 122), (100, 120)])
    assert letters == CharacterSet(((97, 122),))
    assert ~(~letters) == letters
    assert (letters & of("zZ")).single == "z"
    assert (letters - of("b")).ranges == ((97, 97), (99, 122))
    assert ord("b") in letters
    assert ord("{") not in letters
    assert without_case(of("aZ")) == of("aAzZ")
    assert CharacterSet() == ~ALL
