"""Partially known selectors: the certain and the possible results agree with trying all values of what is unknown."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from transpiler import Message, evaluate
from transpiler.language.selector.broker_dialects import ACTIVEMQ, ARTEMIS_CORE
from transpiler.topology.importers.constant_conditions import never_holds
from transpiler.topology.importers.known_names import Decided, Known, Unknown, reasons, with_known_names

SIZES = (0, 7, 10_000_000)
MESSAGES = [
    Message.of(**{name: value for name, value in (("n", n), ("r", r)) if value is not None})
    for n, r in itertools.product((None, 5, 6), (None, "EU", "US"))
]

_LEAVES = st.sampled_from(
    [
        *("n = 5", "r = 'EU'", "n IS NULL", "n + 1 = 6", "TRUE"),
        *(
            "AMQSize > 5",
            "AMQSize <> 7",
            "AMQSize IS NOT NULL",
            "AMQSize BETWEEN 1 AND 9",
            "AMQSize > n",
            "n < AMQSize",
        ),
        "AMQSize + n > 10",
    ]
)
_TEXTS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds("NOT ({})".format, inner),
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
    ),
    max_leaves=6,
)


XPATHS = (
    ("XPATH '//a[@b=''c'']'", None),
    ("XPATH 'count(//a) > 1 and not(a/text())'", None),
    ("XPATH '//a['", None),
    ("XPATH 'nobody(1)'", None),
    ("XQUERY 'for $x in //a return $x'", None),
    ("XPATH '/a[@b = $c]'", "the variable $c of an XPath is not served"),
    ("XPATH 'ancestor::a'", "the axis ancestor of an XPath is not served"),
    ("XPATH '//a[following-sibling::b]'", "the axis following-sibling of an XPath is not served"),
    ("n = 1 AND NOT XPATH 'substring(a, 1) = b'", "the function substring of an XPath is not served"),
    ("XPATH '//comment()'", "the node test comment() of an XPath is not served"),
)


@pytest.mark.parametrize(("text", "reason"), XPATHS)
def test_an_xpath_outside_the_part_that_is_evaluated_may_hold(text: str, reason: str | None) -> None:
    assert [*reasons(text, ACTIVEMQ)] == ([] if reason is None else [reason])
    decided = with_known_names(text, lambda _: Unknown.OWN, ACTIVEMQ)
    assert decided.certain is (reason is None)


def decide(text: str) -> Decided:
    def own(name: str) -> Known:  # noqa: ARG001
        return Unknown.OWN

    return with_known_names(text, own, ARTEMIS_CORE)


@given(_TEXTS)
@example("NOT (AMQSize > 5 AND r = 'EU') OR n = 5")
@example("AMQSize - r > 1 OR n = 5")
def test_a_selector_lies_between_what_holds_certainly_and_what_may_hold(text: str) -> None:
    decided = decide(text)
    assert decided.certain or "AMQSize" in text
    for message in MESSAGES:
        answers = {evaluate(text.replace("AMQSize", str(size)), message, "artemis-core") is True for size in SIZES}
        possible = decided.selector is None or evaluate(decided.selector, message, "artemis-core") is True
        sufficient = decided.sufficient is not None and evaluate(decided.sufficient, message, "artemis-core") is True
        if decided.certain:
            assert answers == {possible}
        else:
            assert possible or answers == {False}
            assert not sufficient or answers == {True}


@pytest.mark.parametrize(
    ("text", "selector", "sufficient"),
    [
        ("AMQSize > 5", None, None),
        ("n = 5 AND AMQSize > 5", "n = 5 AND TRUE", None),
        ("n = 5 OR AMQSize > 5", None, "n = 5 OR FALSE"),
        ("NOT (n = 5 OR AMQSize > 5)", "NOT (n = 5 OR FALSE)", None),
        ("n = 5 OR AMQSize - n > 5", None, None),
    ],
)
def test_the_rest_of_a_selector_decides_what_it_can(text: str, selector: str | None, sufficient: str | None) -> None:
    assert decide(text) == Decided(selector, False, sufficient, frozenset({"AMQSize"}))


def test_a_name_that_every_message_has_is_never_null() -> None:
    assert decide("AMQSize IS NOT NULL AND n = 5") == Decided("TRUE AND n = 5")


@pytest.mark.parametrize(
    ("text", "dialect", "reason"),
    [
        ("AMQFullSize > 5 AND AMQFullSize < 9", ARTEMIS_CORE, "AMQFullSize is the number of bytes"),
        ("REGEX('a(?<=b)', n)", ACTIVEMQ, "the regular expression of REGEX is not served"),
        (f"{'NOT (' * 130}n = 5{')' * 130}", ARTEMIS_CORE, "nested more than 120 levels"),
    ],
)
def test_what_is_not_evaluated_has_one_reason(text: str, dialect: object, reason: str) -> None:
    (found,) = reasons(text, dialect)  # type: ignore[arg-type]
    assert reason in found
    assert not with_known_names(text, lambda _: Unknown.OWN, dialect).certain  # type: ignore[arg-type]


def test_what_the_broker_throws_on_is_evaluated() -> None:
    assert [*reasons("REGEX('(', n)", ACTIVEMQ)] == []


@pytest.mark.parametrize(
    ("known", "never"),
    [
        (Unknown.OWN, ()),
        (Unknown.PERHAPS, ()),
        (Unknown.SOME, ("n IS NULL",)),
        ("x", ("n IS NULL",)),
        (None, ("n IS NOT NULL",)),
    ],
)
def test_only_what_is_known_to_be_there_or_not_decides_a_test_of_null(known: Known, never: tuple[str, ...]) -> None:
    tests = ("n IS NULL", "n IS NOT NULL")
    assert tuple(text for text in tests if never_holds(text, ARTEMIS_CORE, lambda _: known)) == never


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("'a%'", True),
        ("'%b'", True),
        ("'a_b'", True),
        ("'_%_'", True),
        ("'b%'", False),
        ("'a!%b' ESCAPE '!'", True),
        ("'a!_b' ESCAPE '!'", False),
        ("'!a!%!b' ESCAPE '!'", True),
        ("'a!!%' ESCAPE '!'", False),
    ],
)
def test_a_pattern_decides_a_known_text(pattern: str, fits: bool) -> None:
    tests = (f"n LIKE {pattern}", f"n NOT LIKE {pattern}")
    never = tests[1] if fits else tests[0]
    assert [text for text in tests if never_holds(text, ARTEMIS_CORE, lambda _: "a%b")] == [never]
