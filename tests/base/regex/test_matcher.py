"""Regular expressions of the supported subset match as in Java, and other expressions are rejected with a position."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given

from tests.base.regex.strategies import expressions, texts
from tests.sizes import size
from transpiler.base.regex.search import Regular, SearchLimitError, compile_regular, parse_replacement
from transpiler.base.regex.syntax import ALL, CharacterSet, Flavor, RegexError, from_ranges, of, without_case

#: Expressions for which a backtracking matcher may need exponential or high polynomial time.
BOMBS = (
    "^(.*)*x$", "(a+)+$", "^(a+)+$", "(a*)*b", "(a?){30}a{30}b", "(a|aa)+$", "^(a|aa)+$", "(.*)*x", "(x+x+)+y",
    "^(x+x+)+y", "a*a*a*a*a*a*b", "^(a?){30}a{30}$", "^([a-z]+)*$", "^(a|a|ab)*$", "(?:a{1,9}){1,9}b", "a.*a.*a.*b",
    "x.*y.*z", "(?:(?:a|ab){1,3}){1,3}c", "((a|b+)*c)*d", "(?=.*a.*b)x", "(ab|ac)*d", "([a-z]+-)*[a-z]+$",
)  # fmt: skip


@pytest.mark.parametrize("expression", BOMBS)
def test_what_could_take_long_is_refused(expression: str) -> None:
    with pytest.raises(RegexError, match="too many ways"):
        Regular(expression)


#: Supported expressions, the expression that Java gets, and the exponent of the text's length in the cost of a search.
SERVED = (
    ("a.*b", "a.*b", 2),
    (".*foo.*", ".*foo.*+", 2),
    ("^.*foo.*bar$", "^.*foo.*bar$", 2),
    ("[a-z]+@[a-z]+[.]com", "[a-z]++@[a-z]++[.]com", 2),
    (r"^\w+@\w+\.\w+$", r"^\w++@\w++\.\w++$", 1),
    (r"\.(jpg|jpeg|png)$", r"\.(jpg|jpeg|png)$", 1),
    ("(.*)-(.*)", "(.*)-(.*+)", 2),
    (r"\s+$", r"\s+$", 2),
    (r"\s*,\s*", r"\s*+,\s*+", 2),
    ("^(foo)?bar", "^(foo)?+bar", 0),
    ("^(a|b)*$", "^(a|b)*+$", 1),
    ("^([a-z]+,)*;", "^([a-z]++,)*+;", 1),
    ("(a|ab)(c|bcd)(d*)", "(a|ab)(c|bcd)(d*+)", 1),
    ("^(?!amq\\.).*", "^(?!amq\\.).*+", 0),
    ("^(a{2}){99}b", "^(a{2}+){99}+b", 0),
)


@pytest.mark.parametrize(("expression", "java", "power"), SERVED)
def test_java_is_given_the_expression_with_possessive_repeats(expression: str, java: str, power: int) -> None:
    regular = Regular(expression)
    assert (regular.java(), regular.power) == (java, power)


def find_as_java(expression: str, text: str) -> list[tuple[int, int]]:
    """Return Python's matches from the positions where Java continues: after an empty match at the next character."""
    compiled, at, spans = re.compile(expression.replace(r"\z", r"\Z"), re.ASCII), 0, []
    while at <= len(text) and (found := compiled.search(text, at)) is not None:
        spans.append(found.span())
        at = found.end() + (found.start() == found.end())
    return spans


@given(expressions, texts)
@example("(?:a|ab)(?:c|bcd)(?:d*)", "abcd")
@example("(a|ab)*c$", "abac")
def test_possessive_repeats_change_no_match(expression: str, text: str) -> None:
    try:
        regular = compile_regular(expression)
    except RegexError:
        assume(False)
    plain, possessive = (find_as_java(one, text) for one in (expression, regular.java()))
    assert possessive == plain
    assert [found.span() for found in regular.find_all(text)] == plain
    assert regular.search(text) == bool(plain)


@pytest.mark.parametrize("expression", [expression for expression, _, _ in SERVED])
@pytest.mark.parametrize("repeated", ["a", "ab", "a,", " ", "foo"])
def test_a_search_of_a_long_text_ends(expression: str, repeated: str) -> None:
    assert Regular(expression).search(repeated * (size(2_000, 8_000) // len(repeated)) + "\n") in (True, False)


def test_a_search_that_takes_too_long_ends_with_an_error() -> None:
    with pytest.raises(SearchLimitError, match="100,000,000 steps"):
        Regular("a.*b").search("a" * 10_001)


#: An expression, a text, and whether Java finds a match, if Python's answer differs.
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
    ("^(?=.*b)(?=.*c)x", "xacb", True),
    ("a}]", "a}]", True),
    ("", "", True),
    ("😀.", "😀😀", True),
)


@pytest.mark.parametrize(("expression", "text", "expected"), JAVA)
def test_a_search_reads_what_java_reads(expression: str, text: str, expected: bool) -> None:
    assert Regular(expression).search(text) is expected


def test_pcre_differs_from_java_in_the_dot_and_the_end_of_text() -> None:
    assert Regular("a.b$", Flavor.PCRE).search("a\rb\n")
    assert not Regular("b$", Flavor.PCRE).search("b\r\n")


#: An unsupported expression, the position of the error, a piece of its reason, and whether Java rejects the expression,
#: too.
REFUSED = (
    (r"(a)\1", 3, "back-reference", False),
    ("a(?<=b)", 1, "look-behind", False),
    ("a(?<n>b)", 1, "not supported", False),
    ("a*b**", 4, "nothing before the quantifier", True),
    ("(a", 0, "not closed", True),
    ("a)", 1, "no matching (", True),
    ("a{3,2}", 1, "less than its minimum", True),
    ("a{256}", 1, "exceeds 255", False),
    ("a{x}", 1, r"literal brace as \{", True),
    ("[a", 0, "not closed", True),
    ("[a&&b]", 2, "inside brackets", False),
    ("[z-a]", 1, "below its start", True),
    (r"\p{L}", 0, "not supported", False),
    ("a\\", 1, "backslash", True),
    ("^*", 1, "cannot be repeated", False),
    ("a*+b", 1, "possessive", False),
    ("a+?b", 1, "lazy", False),
    ("(?>a)b", 0, "atomic groups", False),
    (r"\ba", 0, "not supported", False),
    ("[\ud000-\uf000]", 1, "half of a surrogate pair", False),
    ("[Ā-\uffff]", 1, "half of a surrogate pair", False),
    ("(" * 21 + ")" * 21, 20, "20 deep", False),
    ("a" * 2_001, 2_000, "2,000 characters", False),
)


@pytest.mark.parametrize(("expression", "offset", "reason", "wrong"), REFUSED)
def test_an_expression_is_refused_at_its_place(expression: str, offset: int, reason: str, wrong: bool) -> None:
    with pytest.raises(RegexError, match=re.escape(reason)) as caught:
        Regular(expression)
    assert (caught.value.offset, caught.value.wrong) == (offset, wrong)


#: A replacement whose result may differ between Java and Python, and the reason.
UNLIKE = (
    ("a*", "x", "the empty text"),
    ("(a)|b", "$1", "the group 1"),
    ("(a)?b", "$1", "the group 1"),
    ("(?:(a)b)+", "$1", "the group 1"),
    ("a|", "", "the empty text"),
)


@pytest.mark.parametrize(("expression", "replacement", "reason"), UNLIKE)
def test_a_replacement_that_engines_make_unlike_is_refused(expression: str, replacement: str, reason: str) -> None:
    with pytest.raises(RegexError, match=reason):
        Regular(expression).check_replacement(replacement)


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
    ("limit", "parts"),
    [
        (0, ("", "a", "b")),
        (-1, ("", "a", "b", "", "")),
        (1, (",a,b,,",)),
        (2, ("", "a,b,,")),
        (4, ("", "a", "b", ",")),
        (9, ("", "a", "b", "", "")),
    ],
)
def test_a_text_is_split_into_as_many_parts_as_a_limit_says(limit: int, parts: tuple[str, ...]) -> None:
    assert Regular(",").split(",a,b,,", limit) == parts


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


def test_sets_of_characters() -> None:
    letters = from_ranges([(97, 99), (98, 122), (100, 120)])
    assert letters == CharacterSet(((97, 122),))
    assert ~(~letters) == letters
    assert (letters & of("zZ")).single == "z"
    assert (letters & ~of("b")).ranges == ((97, 97), (99, 122))
    assert ord("b") in letters
    assert ord("{") not in letters
    assert without_case(of("aZ")) == of("aAzZ")
    assert CharacterSet() == ~ALL
