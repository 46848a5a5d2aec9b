"""The subexpressions of a selector, each with the reference evaluator's result for one message."""

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
    """A subexpression of a selector: its text, its span in the selector, and its result or value for the message.

    - ``kind`` is the kind of node: ``and``, ``compare``, ``identifier`` and so on.
    - ``verdict`` is the result of a condition, where None means unknown; it is also None for an operand.
    - ``value`` and ``type`` are those of an operand, None if the operand is NULL.
    - ``thrown`` is the text of the exception that the broker would throw here, or None.
    - ``decides`` is True for the subexpressions that decide.
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
        """Yield this subexpression and all subexpressions in it, in the order of the text."""
        pending = [self]
        while pending:
            part = pending.pop()
            yield part
            pending.extend(part.parts[::-1])

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; ``start`` and ``end`` count code points of the selector."""
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
    """Return ``value`` for JSON: bytes become hexadecimal digits, NaN and the infinities become text."""
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
    """A cache of the reference evaluator's results for one message, one dialect and the nodes of one tree."""

    def __init__(self, message: Message, dialect: Dialect, receiver: Receiver, source: Source) -> None:
        self.message = message
        self.dialect = dialect
        # Read the clock once, so that all nodes are evaluated at the same time.
        self.receiver = receiver._replace(now=receiver.time)
        self.source = source
        #: True while evaluating inside a prefix such as ``convert_string_expressions:``, under which comparisons
        #: convert strings to numbers and booleans.
        self.convert = False
        #: Results by id of the node, because equal nodes may differ in the sign of a zero. The tree keeps nodes alive.
        self._verdicts: dict[int, Verdict] = {}
        self._operands: dict[int, Evaluated] = {}

    def verdict(self, node: ast.Expression) -> Verdict:
        """Return the evaluator's result for the condition ``node``."""
        if id(node) not in self._verdicts:
            whole = ast.ConvertStrings(node) if self.convert and not isinstance(node, ast.ConvertStrings) else node
            self._verdicts[id(node)] = judge(whole, self.message, self.dialect, self.receiver)
        return self._verdicts[id(node)]

    def operand(self, node: ast.Expression) -> Evaluated:
        """Return the evaluator's value of the operand ``node``, or the exception that it throws."""
        if id(node) not in self._operands:
            evaluated = evaluate_operand(node, self.message, self.dialect, self.receiver, convert=self.convert)
            self._operands[id(node)] = evaluated
        return self._operands[id(node)]

    def value(self, node: ast.Expression) -> Operand:
        """Return the value of the operand ``node``; None if it is NULL or throws."""
        return self.operand(node).operand

    def text(self, node: ast.Expression) -> str:
        """Return the text of ``node`` as the dialect prints it, without outer parentheses."""
        return print_tree(node, self.dialect)


def build_parts(
    node: ast.Expression, evaluation: Evaluation, deciding: frozenset[int], *, is_condition: bool = True
) -> Part:
    """Return the tree of ``Part`` objects for ``node``; ``deciding`` contains the ids of the deciding syntax nodes."""
    below = isinstance(node, JUNCTIONS)
    inner = tuple(build_parts(child, evaluation, deciding, is_condition=below) for child in ast.children(node))
    verdict = evaluation.verdict(node) if is_condition else None
    # Most conditions, such as comparisons, have only a result. A name or a function call can be a condition and also
    # has a value, which is shown as well.
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
