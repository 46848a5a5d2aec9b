"""The evaluator confirms the claim of each rule about its wrong example, in every dialect that it covers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sizes import randomness, size
from transpiler import TranspilerError, diff_selectors, evaluate, parse_selector
from transpiler.base.source import Source
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS
from transpiler.message.message import Message
from transpiler.testing import boundary_messages
from transpiler.tools.lint.registry import RULES, lint
from transpiler.tools.lint.rule import Context, Rule, Violation

#: Rules about several selectors together, whose example is not a single selector.
OF_SEVERAL = {"lint.contained"}

JUDGED = [rule for rule in RULES if rule.id.startswith("lint.") and rule.id not in OF_SEVERAL]


def untrue(rule: Rule, dialect: str) -> str | None:
    """Return why a rule's claim does not hold in a dialect, by the evaluator's results; None if it holds."""
    messages = [*messages_of(rule, dialect)]
    wrong, right = (
        {number for number, message in enumerate(messages) if evaluate(text, message, dialect)}
        for text in (rule.wrong, rule.right)
    )
    if rule.claim == "never":
        return f"{rule.wrong} selects {messages[min(wrong)]}" if wrong else None
    if rule.claim == "same":
        return f"{rule.wrong} and {rule.right} part on {messages[min(wrong ^ right)]}" if wrong != right else None
    return None if wrong != right else f"no message is known that {rule.wrong} and {rule.right} part on"


def messages_of(rule: Rule, dialect: str) -> Iterator[Message]:
    """Yield messages on each side of every condition of both examples, and messages for which the examples differ."""
    for text in (rule.wrong, rule.right):
        # Header field values that no broker sends, such as a number for JMSMessageID, are no counterexample.
        yield from (message for message in boundary_messages(text, dialect) if not message.header_values)
    changes = diff_selectors(rule.wrong, rule.right, dialect)
    yield from (change.message for change in (changes.won, changes.lost) if change is not None)


def found_in(rule: Rule) -> Iterator[str]:
    """Yield the dialects in which the wrong example of ``rule`` gives the rule's warning."""
    for dialect, rules in DIALECTS.items():
        try:
            tree = parse_selector(rule.wrong, dialect)
        except TranspilerError:
            continue
        assert tree is not None
        if rule in RULES:
            codes = [finding.code for finding in lint(tree, Source(rule.wrong), rules)]
        else:
            assert rule.find is not None
            context = Context(tree, Source(rule.wrong), rules)
            codes = [rule.id for node in ast.walk(tree) for _ in rule.find(node, context) if type(node) in rule.nodes]
        if rule.id in codes:
            yield dialect


@pytest.mark.parametrize("rule", JUDGED, ids=lambda rule: rule.id)
def test_a_claim_is_true_in_every_dialect_in_which_it_is_made(rule: Rule) -> None:
    found = list(found_in(rule))
    assert rule.dialect in found
    dialects = dict.fromkeys(
        [rule.dialect, *randomness(rule.id).sample(found, min(len(found), size(1, len(DIALECTS))))]
    )
    assert {dialect: reason for dialect in dialects if (reason := untrue(rule, dialect)) is not None} == {}


def test_a_rule_that_forgets_the_dialects_is_caught() -> None:
    """The rule in this test is wrong because integers divide without a fraction in some dialects only."""

    def divides(node: ast.Calculate, context: Context) -> Iterator[Violation]:
        yield Violation(f"{context.text(node)} has no fraction", node.span)

    own = Rule(
        "lint.integer-division",
        "a division of integers has no fraction",
        "weight > 0 AND 5 / 2 = 2.5",
        "weight > 0 AND 5 / 2.0 = 2.5",
        "The quotient of two integers is an integer.",
        nodes=(ast.Calculate,),
        find=divides,
    )
    untrue_in = {dialect for dialect in found_in(own) if untrue(own, dialect) is not None}
    assert untrue_in == {dialect for dialect in DIALECTS if evaluate("5 / 2 = 2.5", {}, dialect)}
    assert {"activemq", "rabbitmq"} < untrue_in < DIALECTS.keys()
