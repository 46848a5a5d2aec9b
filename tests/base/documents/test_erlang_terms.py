"""Each form of an Erlang term that ``~p`` prints is parsed; other text is rejected with the position of the error."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from transpiler.base.documents.erlang_terms import Atom, Characters, ErlangTermError, read_erlang_term

#: Texts of terms and their values. A tuple, a list or a map becomes a list of its elements.
READ: tuple[tuple[str, object], ...] = (
    ("undefined", Atom("undefined")),
    ("'Up b\\'c@x'", Atom("Up b'c@x")),
    ("true", True),
    ("'false'", False),
    ('<<"red">>', "red"),
    ("<<>>", ""),
    ('<< "a" , "b" >>', "ab"),
    ('<<"one "\n  "two">>', "one two"),
    ('<<195,169,"!">>', "é!"),
    ("<<255>>", "\ufffd"),
    ("<<" + "0" * 5_000 + "65>>", "A"),
    ('<<"é"/utf8>>', "é"),
    ('<<"q\\"\\\\\\n\\x{e9}">>', 'q"\\\né'),
    ('"a" "b"', Characters("ab")),
    ('"\\101\\x41\\^A\\s"', Characters("AA\x01 ")),
    ("$a", 97),
    ("$\\n", 10),
    ("-5", -5),
    ("- 5", -5),
    ("1_000", 1000),
    ("-16#1f", -31),
    ("1.5e-3", 0.0015),
    ("{}", []),
    ("[ ]", []),
    ("{a, [1, {2}], <<>>} .", ["a", [1, [2]], ""]),
    ('#{a => 1, <<"b">> => [x]}', ["a", 1, "b", ["x"]]),
    ("#{}", []),
)


@pytest.mark.parametrize(("text", "value"), READ)
def test_a_term_is_read(text: str, value: object) -> None:
    read: object = read_erlang_term(text)
    assert (read, type(read)) == (value, type(value))


#: Texts that are not terms, each with the text at the error's position and the message.
REFUSED = (
    ("", "", "found the end"),
    ("[a,b", "", "expected a comma or ], found the end"),
    ("[a|b]", "|", "expected a comma or ], found '|'"),
    ("{a,}", "}", "found '}'"),
    ("{,a}", ",", "found ','"),
    ("{a]", "]", "expected a comma or }, found ']'"),
    ("{a b}", "b", "expected a comma or }, found 'b'"),
    ("#{a}", "}", "expected =>, found '}'"),
    ("#{a,1}", ",", "expected =>, found ','"),
    ("{a=>1}", "=", "expected a comma or }, found '='"),
    ("a, b", ", b", "expected the end of the term"),
    ("a. b", "b", "expected the end of the term"),
    ("Name", "N", "found 'N'"),
    ('<<"a', "<<", 'as <<"text">>, which ends in ">>'),
    ("<<300>>", "300", "expected a string or an octet"),
    ("<<00001000>>", "00001000", "expected a string or an octet"),
    ("$\\xZZ", "ZZ", "expected the end of the term"),
    ("16#0x1F", "16#0x1F", "the digits do not belong to this base"),
    ("0#1", "0#1", "the digits do not belong to this base"),
    ('<<"a":5>>', '"a":5', "expected a string or an octet"),
    ("<<1,>>", "1,", "expected a string or an octet"),
    ('"a', '"', "found '\"'"),
    ('"\\x{d800}"', "\\x{d800}", "there is no character with this code"),
    ("{" + "9" * 401 + "}", "9" * 401, "more than 400 digits"),
    ("1.0e999", "1.0e999", "the number is outside the range of a double"),
    ("2#12", "2#12", "the digits do not belong to this base"),
    ("[[[a]]]", "[", "are nested more than 2 levels deep"),
)


@pytest.mark.parametrize(("text", "at", "message"), REFUSED)
def test_what_is_no_term_is_refused_at_its_place(text: str, at: str, message: str) -> None:
    with pytest.raises(ErlangTermError) as error:
        read_erlang_term(text, deepest=2)
    assert message in error.value.message
    assert text[slice(*error.value.span)] == at


def test_the_callers_functions_get_each_term_with_its_place() -> None:
    text = ' {a, <<"b">>,[5 ]}'
    read = read_erlang_term(
        text, lambda _, start, end: text[start:end], lambda _, terms, start, end: "+".join([*terms, text[start:end]])
    )
    assert read == 'a+<<"b">>+5+[5 ]+{a, <<"b">>,[5 ]}'


@given(text=st.text(alphabet="{}[]#=>,.<\"\\'$ 15a-eE_x", max_size=40))
@settings(max_examples=size(300, 2_000))
def test_any_text_is_read_or_refused_with_a_span_inside_it(text: str) -> None:
    try:
        read_erlang_term(text)
    except ErlangTermError as error:
        span = error.span
    else:
        return
    assert 0 <= span.start <= span.end <= len(text)
