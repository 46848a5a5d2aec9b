"""Explanations of random selectors for random messages, in every dialect, are true."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sizes import size
from tests.spark_ext import strategies
from transpiler import Message, TranspilerError, explain_selector, parse_selector, print_selector
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS, Dialect
from transpiler.message.receiver import Receiver
from transpiler.message.types import Truth
from transpiler.reference.evaluate import judge, value_of
from transpiler.tools.explanation import Explanation
from transpiler.tools.explanation.wording import value_text

NAMES = (*strategies.NAMES, "JMSPriority", "JMSType", "JMSMessageID", "JMSTimestamp", "JMSDeliveryMode")
NOW = 1_750_772_279_000
trees = strategies.selectors(NAMES, null_tests_any=True)
MANY = settings(max_examples=size(12, 120), suppress_health_check=list(HealthCheck))


def explained(tree: ast.Expression, message: Message, dialect: Dialect, prefix: str = "") -> Explanation | None:
    """Explain ``tree`` in the spelling of ``dialect``; None if the dialect cannot parse it."""
    text = prefix + print_selector(tree, dialect)
    try:
        parse_selector(text, dialect)
    except TranspilerError:
        return None
    return explain_selector(text, message, dialect=dialect, now=NOW)


@pytest.mark.parametrize("prefix", ["", "convert_string_expressions:"])
@pytest.mark.parametrize("name", DIALECTS)
@given(tree=trees, message=strategies.messages)
@MANY
def test_every_verdict_and_value_is_the_evaluators(
    name: str, prefix: str, tree: ast.Expression, message: Message
) -> None:
    dialect = DIALECTS[name]
    explanation = explained(tree, message, dialect, prefix)
    if explanation is None:
        return
    read = parse_selector(explanation.selector, dialect)
    assert read is not None
    verdict = judge(read, message, dialect, Receiver(NOW))
    assert (explanation.verdict, explanation.thrown) == (verdict.truth, verdict.thrown)
    parts = list(explanation.parts())
    nodes = list(ast.walk(read))
    assert len(parts) == len(nodes)
    for part, node in zip(parts, nodes, strict=True):
        if part.is_condition:
            whole = ast.ConvertStrings(node) if prefix and not isinstance(node, ast.ConvertStrings) else node
            assert (part.verdict, part.thrown) == judge(whole, message, dialect, Receiver(NOW))
        if isinstance(node, ast.Identifier):
            value = value_of(node, message, dialect, Receiver(NOW))
            assert part.value == value or value != value
    assert explanation.deciding
    assert "\n" not in explanation.reason
    assert explanation.marked()


#: Statements such as "weight is 2600" and "weight is the text '2600'".
STATED = re.compile(
    r"(?:^|[ ,;:])([A-Za-z]+) is (?:the [a-z]+ )?('(?:[^']|'')*'|-?[0-9.e+-]+|TRUE|FALSE|0x[0-9A-F]+)(?=$|[ ,;])"
)


@pytest.mark.parametrize("name", DIALECTS)
@given(tree=trees, message=strategies.messages)
@MANY
def test_a_sentence_states_the_values_that_the_evaluator_reads(
    name: str, tree: ast.Expression, message: Message
) -> None:
    dialect = DIALECTS[name]
    explanation = explained(tree, message, dialect)
    if explanation is None:
        return
    read = parse_selector(explanation.selector, dialect)
    assert read is not None
    names = [node for node in ast.walk(read) if isinstance(node, ast.Identifier)]
    values = {node.name: value_of(node, message, dialect, Receiver(NOW)) for node in names}
    for stated, value in STATED.findall(explanation.reason):
        if stated in values:
            assert value_text(values[stated]) == value, explanation.reason
    for absent, _ in re.findall(r"(?:^|[ ;])(\w+) (is missing|is null)", explanation.reason):
        assert values[absent] is None, explanation.reason


def leaves_of(node: ast.Expression) -> list[ast.Expression]:
    """Return the subexpressions of ``node`` without AND, OR and NOT."""
    if isinstance(node, ast.And | ast.Or | ast.Not):
        return [leaf for child in ast.children(node) for leaf in leaves_of(child)]
    return [node]


def with_names(node: ast.Expression, names: dict[int, str]) -> ast.Expression:
    """Return the tree with each leaf replaced by a name from ``names``, so that a message can choose its value."""
    match node:
        case ast.Not(operand=operand):
            return ast.Not(with_names(operand, names))
        case ast.And(terms=terms):
            return ast.And(tuple(with_names(term, names) for term in terms))
        case ast.Or(terms=terms):
            return ast.Or(tuple(with_names(term, names) for term in terms))
        case _:
            return ast.Identifier(names[id(node)])


def junctions() -> st.SearchStrategy[ast.Expression]:
    """Return a strategy for conditions of up to six leaves, over the message {t: true, f: false}."""
    leaf = st.sampled_from("tfu").map(ast.Identifier)

    def combine(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(inner.map(ast.Not), several.map(ast.And), several.map(ast.Or))

    return st.recursive(leaf, combine, max_leaves=6)


MESSAGE = Message.of(t=True, f=False)


@pytest.mark.parametrize("name", DIALECTS)
@given(tree=junctions())
@MANY
def test_the_deciding_parts_suffice_and_none_can_be_left_out(name: str, tree: ast.Expression) -> None:
    dialect = DIALECTS[name]
    explanation = explained(tree, MESSAGE, dialect)
    if explanation is None:
        return
    read = parse_selector(explanation.selector, dialect)
    assert read is not None
    leaves = leaves_of(read)
    free = with_names(read, {id(leaf): f"p{number}" for number, leaf in enumerate(leaves)})
    truths = [judge(leaf, MESSAGE, dialect).truth for leaf in leaves]
    spans = {part.span for part in explanation.deciding}
    deciding = {number for number, leaf in enumerate(leaves) if leaf.span in spans}

    def matches(fixed: set[int]) -> set[bool]:
        """Return every outcome of the selector, over all results of the leaves that are not in ``fixed``."""
        outcomes: set[bool] = set()
        choices: list[tuple[Truth, ...]] = [
            (truth,) if number in fixed else (True, False, None) for number, truth in enumerate(truths)
        ]
        for chosen in itertools.product(*choices):
            values = {f"p{number}": truth for number, truth in enumerate(chosen) if truth is not None}
            outcomes.add(judge(free, Message.of(**values), dialect).truth is True)
        return outcomes

    assert matches(deciding) == {explanation.matches}
    if name != "qpid-java":
        # In Broker-J the result of AND and OR depends on the order of the terms, so that it may name a term that could
        # be omitted.
        for left_out in deciding:
            assert matches(deciding - {left_out}) == {True, False}
    else:
        assert deciding
