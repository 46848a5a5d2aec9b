"""The rule on negative tests, which are not TRUE for a missing property."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Fix, shortened
from transpiler.language.selector import ast
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.reference.evaluate import judge
from transpiler.tools.lint.rule import Context, Rule, Violation
from transpiler.tools.lint.rules.spelling import is_null

_ONLY_AND = re.compile(r"\s*AND\s*", re.IGNORECASE)
_TESTS = (ast.Compare, ast.In, ast.Like, ast.Between)


def _may_be_absent(node: ast.Expression, context: Context) -> Iterator[Violation]:
    """Warn about a negative test, such as <>, of a property that may be missing: the test is then unknown, not true.

    There is no warning if another test in the selector shows that the property exists.
    """
    test = node.operand if isinstance(node, ast.Not) else node
    name = _tested_name(test)
    if name is None or _is_negative(test) is isinstance(node, ast.Not) or is_null(name, context):
        return
    field = context.header(name)
    if field is not None and (field.default is not None or not field.origins):
        return
    verdict = judge(node, Message(), context.dialect, Receiver(0))
    if verdict.truth is not None or verdict.thrown is not None:
        return
    # Another test of the same name in the selector either shows that the author thought of a missing property, or
    # selects only messages that have the property.
    found = _tests_of(context)
    if found.shown[name] > (not _is_negative(test)):
        return
    shown, tests = context.text(name), found.joined.get((found.chains.get(id(node)), name), [node])
    if tests[0] is not node:
        return
    message, span = f"this does not select messages without {shown}", node.span.to(tests[-1].span)
    if not _side_by_side(tests, context):
        yield Violation(message, node.span, f"perhaps each test of {shown} here goes with OR {shown} IS NULL")
        return
    whole = context.source.text[slice(*span)]
    whole = whole if len(tests) == 1 else f"({whole})"
    hint = f"if it should, write ({shortened(' '.join(whole.split()), 100)} OR {shown} IS NULL)"
    fix = Fix(f"({whole} OR {context.source.text[slice(*name.span)]} IS NULL)", span=span)
    yield Violation(message, node.span, hint, fix=fix)


class _Tests(NamedTuple):
    """The comparisons and IS NULL tests in a selector's syntax tree.

    They are collected in one walk over the tree, because a selector may contain thousands of them.
    """

    #: For each name, the number of tests that show that the author thought of an absent property: IS NULL tests, and
    #: tests that are TRUE only if the property exists.
    shown: Counter[ast.Identifier]
    #: For each term of an AND, by the term's id, the id of that AND.
    chains: dict[int, int]
    #: The negative tests of one name in one AND, by the id of the AND and the name. They share a single fix.
    joined: dict[tuple[int | None, ast.Identifier], list[ast.Expression]]


def _tests_of(context: Context) -> _Tests:
    kept = context.kept.get(_Tests)
    if isinstance(kept, _Tests):
        return kept
    found = context.kept[_Tests] = _Tests(Counter(), {}, {})
    for node in ast.walk(context.tree):
        if isinstance(node, ast.IsNull) or (isinstance(node, _TESTS) and not _is_negative(node)):
            found.shown.update({child for child in ast.children(node) if isinstance(child, ast.Identifier)})
        elif isinstance(node, ast.And):
            for term in node.terms:
                found.chains[id(term)] = id(node)
                name = _negative_test(term)
                if name is not None:
                    found.joined.setdefault((id(node), name), []).append(term)
    return found


def _side_by_side(tests: list[ast.Expression], context: Context) -> bool:
    """Return True if ``tests`` are neighbours in one AND: only the word AND stands between each test and the next."""
    text = context.source.text
    return all(_ONLY_AND.fullmatch(text, one.span.end, other.span.start) for one, other in pairwise(tests))


def _negative_test(node: ast.Expression) -> ast.Identifier | None:
    """Return the name that ``node`` tests if ``node`` is a negative test such as <>; None for any other condition."""
    test = node.operand if isinstance(node, ast.Not) else node
    return None if _is_negative(test) is isinstance(node, ast.Not) else _tested_name(test)


def _tested_name(node: ast.Expression) -> ast.Identifier | None:
    """Return the only name that ``node`` tests; None if ``node`` is not a test, or compares two names or no name."""
    if not isinstance(node, _TESTS):
        return None
    sides = (node.left, node.right) if isinstance(node, ast.Compare) else (node.operand,)
    names = [side for side in sides if isinstance(side, ast.Identifier)]
    return names[0] if len(names) == 1 else None


def _is_negative(node: ast.Expression) -> bool:
    """Return True if ``node`` is a test that is TRUE for all values except some, such as <> or NOT IN."""
    return getattr(node, "negated", False) or (isinstance(node, ast.Compare) and node.operator is Comparison.NE)


RULES = (
    Rule(
        id="lint.may-be-absent",
        title="A negative test of a property that may be missing",
        severity="info",
        wrong="region <> 'eu'",
        right="(region <> 'eu' OR region IS NULL)",
        why="If a property is missing, a comparison with it is *unknown*, and so are the results of `NOT LIKE`, "
        "`NOT IN` and `NOT (…)`. A selector selects a message only if the selector is TRUE for it, so `region <> "
        "'eu'` does not select messages without a region. Ignore this note if all messages have the property, or "
        "if you do not want the messages without the property. `check` does not give this note if another part of "
        "the selector tests the same property.",
        nodes=(ast.Compare, ast.In, ast.Like, ast.Between, ast.Not),
        find=_may_be_absent,
    ),
)
