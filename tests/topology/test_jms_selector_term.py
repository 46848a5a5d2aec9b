"""Selectors that RabbitMQ's JMS client compiled are parsed back with the same results, or rejected with a location."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.routing import topologies
from tests.sizes import size
from tests.topology.compiled_selectors import compiled
from transpiler import Message, TopologyError, parse_selector
from transpiler.language.selector.broker_dialects import RABBITMQ_JMS
from transpiler.reference.evaluate import evaluate
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.importers.jms_selector_term import selector_of_term


@given(text=topologies.selectors(RABBITMQ), message=topologies.messages())
@settings(max_examples=size(100, 1_000), suppress_health_check=list(HealthCheck), deadline=None)
def test_what_the_client_compiles_is_read_back(text: str, message: Message) -> None:
    tree = parse_selector(text, RABBITMQ_JMS)
    assert tree is not None
    read = parse_selector(selector_of_term(compiled(tree), "term"), RABBITMQ_JMS)
    assert read == tree
    assert evaluate(read, message, RABBITMQ_JMS) is evaluate(tree, message, RABBITMQ_JMS)


#: Terms as the client or a person writes them, and their selectors.
READ = (
    ("""{'=',{'ident',<<"color">>},<<"red">>}.""", "color = 'red'"),
    ("""{'=', {ident, <<"color">>}, <<"it's \\"\\\\\\n">>}""", "color = 'it''s \"\\\n'"),
    ("""{'and',{'ident',<<"a">>},{'and',{'ident',<<"b">>},{'ident',<<"c">>}}}.""", "a AND b AND c"),
    ("""{'or',{'or',{'ident',<<"a">>},{'ident',<<"b">>}},{'ident',<<"c">>}}.""", "a OR b OR c"),
    ("""{'and',{'or',{'ident',<<"a">>},true},{'not',{'ident',<<"c">>}}}.""", "(a OR TRUE) AND NOT c"),
    ("""{'=',{'-',{'ident',<<"n">>},{'-',5,2}},1.0E-5}.""", "n - 5 - 2 = 1e-05"),
    ("""{'=',{'-',{'-',{'ident',<<"n">>},5},2},-1}.""", "(n - 5) - 2 = -1"),
    ("""{'=',{'-',{'ident',<<"n">>}},{'+',1}}.""", "-n = +1"),
    ("""{'=',{'ident',<<110,"ame">>},16#1F}.""", "name = 31"),
    ("""{'between',{'ident',<<"n">>},1,2}.""", "n BETWEEN 1 AND 2"),
    ("""{'not_between',{'ident',<<"n">>},{'range',1,2}}.""", "n NOT BETWEEN 1 AND 2"),
    ("""{'not_in',{'ident',<<"s">>},[<<"a">>,<<"b">>]}.""", "s NOT IN ('a', 'b')"),
    ("""{'like',{'ident',<<"s">>},<<"a!_%">>,<<"!">>}.""", "s LIKE 'a!_%' ESCAPE '!'"),
    ("""{'not_like',{'ident',<<"s">>},<<"">>,'no_escape'} .""", "s NOT LIKE ''"),
    ("""{'not_null',{'ident',<<"JMSType">>}}.""", "JMSType IS NOT NULL"),
)


@pytest.mark.parametrize(("term", "selector"), READ)
def test_a_term_is_converted_to_its_selector(term: str, selector: str) -> None:
    assert selector_of_term(term, "term") == selector


#: An invalid term, with the code, the text at the error's position, and the message.
REFUSED = (
    ("", "jms-term.syntax", "", "found the end"),
    ("{", "jms-term.syntax", "", "found the end"),
    ("{'='", "jms-term.syntax", "", "expected a comma or }, found the end"),
    ("{}", "jms-term.syntax", "{}", "expected a tuple with an operator"),
    ("#{a => 1}", "jms-term.syntax", "#{a => 1}", "expected a tuple with an operator"),
    ("{'=',\"a\",1}", "jms-term.syntax", '"a"', "found one in quotes alone"),
    ("{'=',Foo,1}.", "jms-term.syntax", "F", "found 'F'"),
    ("true. false", "jms-term.syntax", "false", "expected the end of the term"),
    ("{'=',<<\"a,1}.", "jms-term.syntax", "<<", "which ends in"),
    ("{1,2}", "jms-term.syntax", "1", "expected an operator"),
    ("{'=',1}.", "jms-term.operator", "{'=',1}", "'=' with 1 operand"),
    ("{'not',{foo,1,2}}.", "jms-term.operator", "{foo,1,2}", "'foo' with 2 operands"),
    ("""{'in',{'ident',<<"a">>},[]}.""", "jms-term.syntax", "[]", "or a list of strings"),
    ("""{'in',{'ident',<<"a">>},[1]}.""", "jms-term.syntax", "1", "expected a string"),
    ("""{'in',{'ident',<<"a">>},<<"b">>}.""", "jms-term.syntax", '<<"b">>', "expected a list"),
    ("""{'like',{'ident',<<"a">>},<<"b">>,plain}.""", "jms-term.syntax", "plain", "expected a string"),
    ("{'not',{'range',1,2}}.", "jms-term.syntax", "{'range',1,2}", "the bounds of BETWEEN"),
    ("{'not',[<<\"a\">>]}.", "jms-term.syntax", '[<<"a">>]', "found a list"),
    ("""{'=',{'ident',<<"a">>},<<"\\x41">>}.""", "jms-term.escape", "\\x", "has different meanings"),
    (f"{{'=',{{'ident',<<\"a\">>}},{'9' * 401}}}", "jms-term.syntax", "9" * 401, "more than 400 digits"),
    ("5.", "jms-term.selector", "5.", "a number is not a condition"),
    ("""{'is_null',5}.""", "jms-term.selector", "{'is_null',5}.", "because '5 IS NULL' is invalid"),
    ("""{'ident',<<"a b">>}.""", "jms-term.selector", """{'ident',<<"a b">>}.""", "because 'a b' is invalid"),
    ("""{'>',{'ident',<<"JMSType">>},5}.""", "jms-term.selector", None, "because 'JMSType > 5' is invalid"),
    (
        """{'=',{'ident',<<"a">>},9223372036854775808}.""",
        "jms-term.selector",
        None,
        "outside the range of a signed 64-bit integer",
    ),
)


@pytest.mark.parametrize(("term", "code", "at", "message"), REFUSED)
def test_what_stands_for_no_selector_is_refused_at_its_place(
    term: str, code: str, at: str | None, message: str
) -> None:
    with pytest.raises(TopologyError) as error:
        selector_of_term(term, "bindings[0].arguments.rjms_erlang_selector")
    diagnostic = error.value.diagnostics[0]
    assert (diagnostic.code, message in diagnostic.message) == (code, True), diagnostic
    assert str(error.value).startswith("bindings[0].arguments.rjms_erlang_selector:1:")
    assert diagnostic.span is not None
    assert at is None or term[slice(*diagnostic.span)] == at


@given(text=st.text(alphabet="{}[],.<>\"'\\ 15-eE=idnotrue", max_size=40))
@settings(max_examples=size(150, 1_000))
def test_any_text_is_read_or_refused_with_a_span_inside_it(text: str) -> None:
    try:
        selector_of_term(text, "term")
    except TopologyError as error:
        span = error.diagnostics[0].span
        assert span is not None
        assert 0 <= span.start <= span.end <= len(text)


def test_chains_nest_as_deep_as_they_are_long_and_nothing_else_does() -> None:
    count = size(5_000, 20_000)
    chain = "{'or',{'ident',<<\"a\">>}," * count + "'true'" + "}" * count
    assert selector_of_term(f"{chain}.", "term").count(" OR ") == count
    for opening, closing in (("{'not',", "}"), ("{", ""), ("[", ""), ("{'-',", "}")):
        with pytest.raises(TopologyError) as error:
            selector_of_term(opening * count + "1" + closing * count, "term")
        assert error.value.diagnostics[0].code in ("limit.nesting", "jms-term.syntax")
