"""The record of a rule: its function, its findings, and the examples of its page.

A rule without ``find`` is an error or a warning of the compiler. It has a record so that it has a page and can be
selected or ignored by its id, like any other rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from transpiler.base.diagnostics import Fix, Severity, shortened
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.message.header_fields import HeaderField
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.reference.evaluate import judge


class Violation(NamedTuple):
    """A finding of a rule before the rule's id and severity are added.

    ``rule`` and ``severity`` override the rule's own if they are not None.
    """

    message: str
    span: Span
    hint: str | None = None
    severity: Severity | None = None
    fix: Fix | None = None
    rule: str | None = None


@dataclass
class Context:
    """The selector that the rules examine, with facts about it that several rules need."""

    tree: ast.Expression
    source: Source
    dialect: Dialect
    #: The properties for which the user's layout has a column; empty if the layout accepts any name, None if there is
    #: no layout.
    known: tuple[str, ...] | None = None
    #: Cached results that rules have computed for the whole tree, by the class of the result.
    kept: dict[type, object] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def converts_strings(self) -> bool:
        """True if comparisons convert strings to numbers, because of the selector's prefix."""
        return isinstance(self.tree, ast.ConvertStrings)

    def constant(self, node: ast.Expression) -> bool | None:
        """Return the truth value of ``node`` if it is constant: TRUE, FALSE, their NOT, or a comparison of literals.

        Return None for any other condition.
        """
        match node:
            case ast.BooleanLiteral(value=value):
                return value
            case ast.Not(operand=operand):
                truth = self.constant(operand)
                return None if truth is None else not truth
            case ast.Compare() if all(isinstance(side, ast.LITERALS) for side in ast.children(node)):
                return judge(node, Message(), self.dialect, Receiver(0)).truth
            case _:
                return None

    @cached_property
    def repeats_name(self) -> bool:
        """True if any name occurs in the selector more than once."""
        seen: set[tuple[str, str | None]] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Identifier):
                name = node.name, node.section
                if name in seen:
                    return True
                seen.add(name)
        return False

    def text(self, node: ast.Expression) -> str:
        """Return the source text of ``node``, in one line and shortened."""
        return shortened(" ".join(self.source.text[node.span.start : node.span.end].split()), 60)

    def written(self, node: ast.Expression) -> str:
        """Return the source text of ``node``, unchanged."""
        return self.source.text[node.span.start : node.span.end]

    def bare_span(self, node: ast.Expression) -> Span:
        """Return the span of ``node`` without parentheses around it."""
        return ast.bare_span(node, self.source.text)

    def removal(self, term: ast.Expression) -> Fix | None:
        """Return the fix that removes ``term`` from its AND or OR; None if ``term`` is not in an AND or OR."""
        for node in ast.walk(self.tree):
            terms = node.terms if isinstance(node, ast.And | ast.Or) else ()
            for number, own in enumerate(terms):
                if own is term and number:
                    return Fix("", span=Span(terms[number - 1].span.end, term.span.end))
                if own is term:
                    return Fix("", span=Span(term.span.start, terms[1].span.start))
        return None

    def header(self, node: ast.Expression) -> HeaderField | None:
        """Return the header field that the name ``node`` reads; None for a property, or if ``node`` is not a name."""
        return self.dialect.fields.find(node.name, node.section) if isinstance(node, ast.Identifier) else None


#: A statement on which messages the examples of a rule select; tests check it in every dialect in which the rule
#: reports the wrong example. ``different``: the two examples select different messages. ``same``: they select the same
#: messages. ``never``: the wrong example selects no message.
Claim = Literal["different", "same", "never"]

#: The function of a rule: called with a node of one of the rule's classes and the context, it returns the findings.
Finder = Callable[[Any, Context], Iterable[Violation]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A lint rule, with the text of its documentation page.

    ``find`` is called for each node whose class is in ``nodes``, or once with the root if ``nodes`` is empty. The rule
    reports the example ``wrong``, and does not report ``right``, in ``dialect``. If ``wrong`` is a mistake only in some
    dialects, ``find`` tests ``context.dialect`` and reports it only in those. ``claim`` is a statement about the
    messages that the examples select. It holds in every dialect in which the rule reports ``wrong``.
    """

    id: str
    title: str
    wrong: str
    right: str
    why: str
    severity: Severity = "warning"
    dialect: str = "jms"
    nodes: tuple[type[ast.Expression], ...] = ()
    find: Finder | None = None
    #: A column list with which both examples are checked, for rules about a schema; None for other rules.
    schema: str | None = None
    #: Ids of rules with less specific findings, which are dropped if this rule has a finding in the same span.
    instead_of: tuple[str, ...] = ()
    claim: Claim = "different"

    @property
    def help(self) -> str:
        """The command that prints the rule's documentation page."""
        return f"selector-sql rule {self.id}"
