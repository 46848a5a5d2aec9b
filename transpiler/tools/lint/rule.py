"""One rule: what it looks at, what it says, and the examples of its page.

A rule without ``find`` is an error or a warning of the compiler. It has a record so that it has a page and can be
selected or ignored by its id as any other.
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


class Doubt(NamedTuple):
    """A finding of a rule, before it has the rule's id and severity; ``severity`` and ``rule`` replace these."""

    message: str
    span: Span
    hint: str | None = None
    severity: Severity | None = None
    fix: Fix | None = None
    rule: str | None = None


@dataclass
class Context:
    """The selector that rules look at, and what several of them need to know about it."""

    tree: ast.Expression
    source: Source
    dialect: Dialect
    #: The properties that the user's own layout has a place for; none where it has one for any name, None without one.
    known: tuple[str, ...] | None = None
    #: What a rule has found out about the whole tree, by its class.
    kept: dict[type, object] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def converts_strings(self) -> bool:
        """True if comparisons read numbers out of strings."""
        return isinstance(self.tree, ast.ConvertStrings)

    def constant(self, node: ast.Expression) -> bool | None:
        """Return the truth of TRUE, FALSE, their NOT, or a comparison of literals; None for any other condition."""
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
        """True if a name stands in the selector twice."""
        seen: set[tuple[str, str | None]] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Identifier):
                name = node.name, node.section
                if name in seen:
                    return True
                seen.add(name)
        return False

    def text(self, node: ast.Expression) -> str:
        """Return a part of the selector as it is written, in one line and shortened."""
        return shortened(" ".join(self.source.text[node.span.start : node.span.end].split()), 60)

    def written(self, node: ast.Expression) -> str:
        """Return a part of the selector as it is written."""
        return self.source.text[node.span.start : node.span.end]

    def bare_span(self, node: ast.Expression) -> Span:
        """Return the place of a test without the parentheses around it."""
        return ast.bare_span(node, self.source.text)

    def removal(self, term: ast.Expression) -> Fix | None:
        """Return the change that takes a term out of its AND or OR; None for one that is in none."""
        for node in ast.walk(self.tree):
            terms = node.terms if isinstance(node, ast.And | ast.Or) else ()
            for number, own in enumerate(terms):
                if own is term and number:
                    return Fix("", span=Span(terms[number - 1].span.end, term.span.end))
                if own is term:
                    return Fix("", span=Span(term.span.start, terms[1].span.start))
        return None

    def header(self, node: ast.Expression) -> HeaderField | None:
        """Return the header field that a name reads; None for a property, or for what is no name."""
        return self.dialect.fields.find(node.name, node.section) if isinstance(node, ast.Identifier) else None


#: What a rule says of its wrong example beside its right one, in every dialect in which it finds anything: they select
#: ``different`` messages; the ``same`` messages, and the right one is plainer; or the wrong one ``never`` selects any.
Claim = Literal["different", "same", "never"]

#: A rule's function: the doubts about one node, of one of the rule's classes.
Finder = Callable[[Any, Context], Iterable[Doubt]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and the text of its page.

    ``nodes`` are the classes of nodes that ``find`` is called with; without any it is called once with the root.
    ``wrong`` yields the rule in ``dialect`` and ``right`` does not. ``claim`` is true in every dialect in which
    ``wrong`` yields the rule: ``find`` asks ``context.dialect`` where brokers differ.
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
    #: A column list that both examples are checked with, for rules about a schema.
    schema: str | None = None
    #: Rules whose findings say less about the same place, and so are left out beside one of this.
    instead_of: tuple[str, ...] = ()
    claim: Claim = "different"

    @property
    def help(self) -> str:
        """The command that prints the rule's page; there is no address of it that everybody can read."""
        return f"selector-sql rule {self.id}"
