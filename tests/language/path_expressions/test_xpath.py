"""XPath: one parser, whose tree the reference evaluator evaluates and the compiler accepts or rejects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import Message, TranspilerError, evaluate, transpile_selector
from transpiler.language.path_expressions.path_tree import Constant, Operation, Path, Start, Step
from transpiler.language.path_expressions.xpath import MAX_DEPTH, NoXPathError, parse_xpath
from transpiler.language.path_expressions.xquery import parse_query

BODY = "<é a='1'><b x-y='2'>t</b><b>u</b><名前/></é>"


def holds(expression: str, body: str = BODY) -> object:
    """Return the result of the reference evaluator for a selector with the XPath ``expression``."""
    quoted = expression.replace("'", "''")
    return evaluate(f"XPATH '{quoted}'", Message.from_dict({"body": {"value": body}}), dialect="activemq")


def test_operators_of_one_level_share_a_node_and_tighter_operators_are_its_children() -> None:
    one, two, three = Constant(1.0), Constant(2.0), Constant(3.0)
    assert parse_xpath("1 - 2 + 3") == Operation(one, (("-", two), ("+", three)))
    assert parse_xpath("1 + 2 * 3") == Operation(one, (("+", Operation(two, (("*", three),))),))
    assert parse_xpath("1 * 2 = 3 or 1") == Operation(
        Operation(Operation(one, (("*", two),)), (("=", three),)), (("or", one),)
    )


def test_a_path_has_its_start_and_its_steps() -> None:
    assert parse_xpath("//é/@b") == Path(Start.ROOT, (Step(True, "child", "é"), Step(False, "attribute", "b")))
    assert parse_xpath("div div div").span == (0, 11)
    assert parse_xpath("/") == Path(Start.ROOT, ())


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("/é", True),
        ("//é/b", True),
        ("count(/é)=1", True),
        ("/é/名前", True),
        ("//b/@x-y = 2", True),
        ("/é/b[2] = 'u'", True),
        ("(//b)[last()] = 'u' and not(//b[3])", True),
        ("count(//b | //b) = 2", True),
        ("count(//b/..) = 1 and //b/../@a = 1", True),
        ("2 - 1 - 1", False),
        ("1 = 1 = 1", True),
        ("+".join(["1"] * 5_000), True),
        ("/ê", False),
        ("count('x')", False),
        ("no-function()", False),
    ],
)
def test_the_reference_evaluates_the_tree(expression: str, verdict: bool) -> None:
    assert holds(expression) is verdict


@pytest.mark.parametrize(
    ("expression", "what", "index"),
    [
        ("", "the expression ends too early", 0),
        ("/é[", "the expression ends too early", 3),
        ("/é]", "] is not expected here", 2),
        ("\u00a0/é", "cannot begin a token of XPath", 0),
        ("a/×", "cannot begin a token of XPath", 2),
        ("up::a", "up is not an axis of XPath", 0),
        ("$", "cannot begin a token of XPath", 0),
        ("$1", "cannot begin a token of XPath", 0),
        ("(" * 100 + "1" + ")" * 100, f"more than {MAX_DEPTH} levels", MAX_DEPTH + 1),
    ],
)
def test_a_text_that_is_no_xpath_says_where(expression: str, what: str, index: int) -> None:
    with pytest.raises(NoXPathError, match=what) as raised:
        parse_xpath(expression)
    assert raised.value.args[1] == index
    assert holds(expression) is False


@pytest.mark.parametrize(
    ("expression", "underlined"),
    [
        ("/é/p:b", "p:b"),
        ("//Ա", "Ա"),
        ("//@Ա", "Ա"),
        ("/é[position() = 1] or position() = 1", "position() = 1"),
        ("ancestor::b", "ancestor"),
        ("comment()", "comment"),
        ("a|b = c", "c"),
        ("--1", "-1"),
        ("count(1)", "1"),
        ("substring(a, 1) = 'b'", "substring"),
        ("not(1, 2)", "not"),
        ("/a[@b = $c]", "$c"),
        ("(1)[1]", "[1]"),
    ],
)
def test_the_compiler_refuses_with_its_place_what_spark_is_not_given(expression: str, underlined: str) -> None:
    selector = f"XPATH '{expression}'".replace("= 'b'", "= ''b''")
    with pytest.raises(TranspilerError, match=r"spark\.xpath") as raised:
        transpile_selector(selector, dialect="activemq")
    span = raised.value.diagnostics[0].span
    assert span is not None
    assert selector[span.start :].startswith(underlined)


#: Functions by the least and the most arguments that XPath 1.0 gives them, and an argument. The functions ``last`` and
#: ``position`` are read in predicates only.
ARGUMENTS = (
    ("true false", 0, 0, "1"),
    ("not boolean", 1, 1, "//b"),
    ("sum count", 1, 1, "//b"),
    ("string number string-length normalize-space name", 0, 1, "//b"),
    ("contains starts-with", 2, 2, "'t'"),
    ("concat", 2, 100, "'t'"),
)


@pytest.mark.parametrize(("names", "least", "most", "argument"), ARGUMENTS, ids=lambda part: str(part).split()[0])
def test_a_function_takes_as_many_arguments_as_xpath_gives_it(names: str, least: int, most: int, argument: str) -> None:
    for name in names.split():
        for count in {0, 1, 2, 3, least, most, most + 1}:
            called = f"{name}({', '.join([argument] * count)})".replace("'", "''")
            if least <= count <= most:
                assert transpile_selector(f"XPATH '{called}'", dialect="activemq").sql
            else:
                with pytest.raises(TranspilerError, match=rf"{name} takes {least}"):
                    transpile_selector(f"XPATH '{called}'", dialect="activemq")


def test_names_of_a_query_are_xmls_too() -> None:
    assert parse_query("//é/名前 = 'x'")
    assert parse_query("declare variable $größe external; $größe = 5")


@given(
    st.lists(st.sampled_from("a é / // @ * = != < 5 'x' ( ) [ ] and or not( text() . .. | - + div child:: ,".split()))
)
def test_any_text_is_an_xpath_or_has_a_place_where_it_is_none(parts: list[str]) -> None:
    expression = " ".join(parts)
    assert holds(expression) in (True, False)
    assert 0 <= position_of_error(expression) <= len(expression)


def position_of_error(expression: str) -> int:
    """Return the position of the error in ``expression``; 0 if it is a valid XPath."""
    try:
        parse_xpath(expression)
    except NoXPathError as error:
        return int(error.args[1])
    return 0
