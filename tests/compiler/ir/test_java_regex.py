"""Regular expressions for alternatives of texts match what the texts match."""

from __future__ import annotations

import random
import re

import pytest

from transpiler.compiler.ir.java_regex import any_text_expression

#: The method of ``str`` with the same answer, by whether other text may precede the match and may follow it.
FINDERS = {
    (False, False): str.__eq__,
    (True, False): str.endswith,
    (False, True): str.startswith,
    (True, True): str.__contains__,
}


@pytest.mark.parametrize(("before", "behind"), FINDERS)
def test_an_expression_matches_what_one_of_its_texts_matches(before: bool, behind: bool) -> None:
    """The expressions use only syntax that Java and Python read alike."""
    draw = random.Random(66)
    holds = FINDERS[before, behind]
    answers = set()
    for _ in range(600):
        texts = ["".join(draw.choices("ab.", k=draw.randrange(1, 5))) for _ in range(draw.randrange(1, 6))]
        subject = "".join(draw.choices("ab.\n", k=draw.randrange(8)))
        expression = any_text_expression(texts, before, behind)
        assert expression is not None
        answer = re.search(expression, subject) is not None
        answers.add(answer)
        assert answer == any(holds(subject, text) for text in texts), (expression, texts, subject)
    assert answers == {True, False}


@pytest.mark.parametrize(
    ("texts", "before", "behind", "expression"),
    [
        (["ab", "ac"], False, True, "(?s)^a(?>b|c)"),
        (["ab", "abc"], False, True, "(?s)^ab"),
        (["ab", "abc"], True, False, "(?s)ab(?>(?!.)|c(?!.))"),
        (["a"], True, False, "(?s)a(?!.)"),
        (["a", "b"], False, False, "(?s)^(?>a(?!.)|b(?!.))"),
    ],
)
def test_the_text_of_an_expression(texts: list[str], before: bool, behind: bool, expression: str) -> None:
    assert any_text_expression(texts, before, behind) == expression


def test_texts_that_branch_too_often_have_no_expression() -> None:
    texts = ["a" * number + "b" for number in range(101)]
    assert any_text_expression([*texts, "a" * 101], False, True) is not None
    assert any_text_expression([*texts, "a" * 101 + "b", "a" * 102 + "b"], False, True) is None
