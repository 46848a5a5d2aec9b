"""The parts of a selector with what the reference evaluator says about each on one message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from transpiler.base.ieee754 import special_name
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.printer import print_tree
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.message.types import SelectorValue, Truth
from transpiler.reference.evaluate import Evaluated, Verdict, evaluate_operand, judge, plain_value
from transpiler.reference.operands import Operand

#: The nodes whose operands are conditions.
JUNCTIONS = (ast.And, ast.Or, ast.Not, ast.ConvertStrings)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a selector: its text, its place in the selector, and its verdict or its value on the message.

    ``kind`` is the kind of node: ``and``, ``compare``, ``identifier`` and so on. ``verdict`` is that of a condition,
    and None of an operand as well; ``value`` and ``type`` are those of an operand, None where it is NULL. ``thrown`` is
    the text of the exception with which the broker would end here. ``decides`` is True for the parts that decide.
    """

    kind: str
    text: str
    span: Span
    is_condition: bool
    verdict: Truth
    value: SelectorValue
    type: str | None
    thrown: str | None
    decides: bool
    parts: tuple[Part, ...] = field(repr=False)

    def walk(self) -> Iterator[Part]:
        """Yield the part and all parts in it, in the order of the text."""
        pending = [self]
        while pending:
            part = pending.pop()
            yield part
            pending.extend(part.parts[::-1])

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; ``start`` and ``end`` count code points of the selector."""
        result: dict[str, Any] = {
            "kind": self.kind,
            "text": self.text,
            "start": self.span.start,
            "end": self.span.end,
        }
        if self.is_condition:
            result["verdict"] = self.verdict
        if self.type is not None or not self.is_condition:
            result |= {"value": json_value(self.value), "type": self.type}
        if self.thrown is not None:
            result["thrown"] = self.thrown
        if self.decides:
            result["decides"] = True
        if self.parts:
            result["parts"] = [part.to_dict() for part in self.parts]
        return result


def json_value(value: SelectorValue) -> Any:
    """Return a value as JSON has it: bytes in hexadecimal digits, NaN and the infinities as text."""
    match value:
        case bytes():
            return value.hex()
        case float():
            return special_name(value) or value
        case str():
            return str(value)
        case _:
            return value


class Evaluation:
    """A message under a dialect's rules; each node of one tree is evaluated once, by the reference evaluator."""

    def __init__(self, message: Message, dialect: Dialect, receiver: Receiver, source: Source) -> None:
        self.message = message
        self.dialect = dialect
        # All parts are evaluated at one time.
        self.receiver = receiver._replace(now=receiver.time)
        self.source = source
        #: True below the prefix that lets comparisons read numbers and booleans out of strings.
        self.convert = False
        #: By the ids of nodes, which live as long as their tree: equal nodes may differ in a zero's sign.
        self._verdicts: dict[int, Verdict] = {}
        self._operands: dict[int, Evaluated] = {}

    def verdict(self, node: ast.Expression) -> Verdict:
        """Return the evaluator's verdict on a condition."""
        if id(node) not in self._verdicts:
            whole = ast.ConvertStrings(node) if self.convert and not isinstance(node, ast.ConvertStrings) else node
            self._verdicts[id(node)] = judge(whole, self.message, self.dialect, self.receiver)
        return self._verdicts[id(node)]

    def operand(self, node: ast.Expression) -> Evaluated:
        """Return the evaluator's value of an operand."""
        if id(node) not in self._operands:
            evaluated = evaluate_operand(node, self.message, self.dialect, self.receiver, convert=self.convert)
            self._operands[id(node)] = evaluated
        return self._operands[id(node)]

    def value(self, node: ast.Expression) -> Operand:
        """Return the value of an operand; None where it is NULL or throws."""
        return self.operand(node).operand

    def text(self, node: ast.Expression) -> str:
        """Return the text of a node as the dialect prints it, without parentheses around it."""
        return print_tree(node, self.dialect)


def build_parts(
    node: ast.Expression, evaluation: Evaluation, deciding: frozenset[int], *, is_condition: bool = True
) -> Part:
    """Return the tree of parts; ``deciding`` has the ids of the nodes that decide."""
    below = isinstance(node, JUNCTIONS)
    inner = tuple(build_parts(child, evaluation, deciding, is_condition=below) for child in ast.children(node))
    verdict = evaluation.verdict(node) if is_condition else None
    # A junction is not asked for its value, nor is a condition that no operand stands for.
    as_operand = not is_condition or isinstance(node, ast.Identifier | ast.Call)
    evaluated = evaluation.operand(node) if as_operand else Evaluated(None)
    operand = evaluated.operand
    return Part(
        type(node).__name__.lower(),
        evaluation.source.text[node.span.start : node.span.end],
        node.span,
        is_condition,
        verdict.truth if verdict is not None else None,
        plain_value(operand),
        None if operand is None else operand.type.value,
        verdict.thrown if verdict is not None else evaluated.thrown,
        id(node) in deciding,
        inner,
    )
