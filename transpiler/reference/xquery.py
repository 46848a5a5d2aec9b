"""Evaluate an XQuery of an XML exchange on one message: XQuery 1.0, in the subset that bindings may have here.

An error in a query, such as a header that the message has not, a body that is no XML or text that is no number, means
that the binding does not match the message. XQuery leaves open whether ``or`` may find a true operand beside an error;
here it does, and likewise ``and`` a false one: an error is *unknown* in JMS's tables.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import assert_never

from transpiler.language.path_expressions import xquery_nodes as query
from transpiler.message.message import Message
from transpiler.message.types import AND, CLASS_OF, NOT, OR, AmqpType, Truth, TypeClass, coerce
from transpiler.reference.documents import Node, read_document

_COMPARE: Mapping[query.Comparison, Callable[[object, object], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,  # type: ignore[dict-item]
    "<=": operator.le,  # type: ignore[dict-item]
    ">": operator.gt,  # type: ignore[dict-item]
    ">=": operator.ge,  # type: ignore[dict-item]
}

#: A number as XPath 1.0 writes it, which is what Spark's functions read: no exponent, no plus.
_NUMBER = re.compile(r"[ \t\r\n]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*")


def matches_query(condition: query.Condition, message: Message, subject_header: str | None) -> bool:
    """Return True if a query holds of a message."""
    return query_truth(condition, message, subject_header) is True


def query_truth(condition: query.Condition, message: Message, subject_header: str | None) -> Truth:
    """Evaluate a query on a message to True, False, or None for an error."""
    return _Query(message, subject_header).truth(condition)


def read_body(message: Message) -> Node | None:
    """The document in a body; None where the body is no XML document. Bytes are UTF-8."""
    text = _body_text(message)
    return None if text is None else read_document(text)


def _body_text(message: Message) -> str | None:
    body = message.body
    if body is None:
        return None
    if body.data is not None:
        try:
            return body.data.decode().removeprefix("\ufeff")
        except UnicodeDecodeError:
            return None
    value = body.value
    return value.value if value is not None and isinstance(value.value, str) else None


class _Query:
    """One query on one message."""

    def __init__(self, message: Message, subject_header: str | None) -> None:
        self.message = message
        self.subject_header = subject_header
        self._document: Node | None = None
        self._read = False

    def truth(self, condition: query.Condition) -> Truth:
        """True, False, or None for an error."""
        match condition:
            case query.Always(value=value):
                return value
            case query.Not(operand=operand):
                return NOT[self.truth(operand)]
            case query.And(terms=terms):
                return reduce(lambda left, right: AND[left, right], map(self.truth, terms))
            case query.Or(terms=terms):
                return reduce(lambda left, right: OR[left, right], map(self.truth, terms))
            case query.Exists(operand=operand):
                return self._exists(operand)
            case query.Compare():
                return self._compare(condition)
            case _:
                assert_never(condition)

    def _exists(self, operand: query.Path | query.Variable) -> Truth:
        if isinstance(operand, query.Path):
            items = self._items(operand)
            return None if items is None else bool(items)
        # The effective boolean value: a string that is not empty, a number that is neither zero nor NaN.
        header = self._header(operand)
        return None if header is None else bool(header) and header == header

    def _header(self, variable: query.Variable) -> str | float | None:
        """The value of a header that is a string or a number; None is an error."""
        header = (self.message.application_properties or {}).get(variable.name)
        if header is None:
            subject = self.message.properties.subject if self.message.properties is not None else None
            return subject if variable.name == self.subject_header else None
        if header.type is AmqpType.NULL or header.value is None:
            return None
        own = CLASS_OF[header.type]
        value = coerce(header)
        if own is TypeClass.STRING:
            return str(value)
        return float(value) if own.numeric and value is not None else None

    def _compare(self, condition: query.Compare) -> Truth:
        left, right = condition.left, condition.right
        if isinstance(left, query.Variable) or isinstance(right, query.Variable):
            return self._compare_header(condition)
        if isinstance(left, query.Calculate) or isinstance(right, query.Calculate):
            return self._compare_numbers(condition.operator, self._numbers(left), self._numbers(right))
        if isinstance(left, query.Number) or isinstance(right, query.Number):
            return self._compare_numbers(condition.operator, self._numbers(left), self._numbers(right))
        first, second = self._strings(left), self._strings(right)
        if first is None or second is None:
            return None
        # "true if and only if there is a pair of atomic values, one in the first operand sequence and the other in the
        # second operand sequence, that have the required magnitude relationship"
        return any(_COMPARE[condition.operator](one, other) for one in first for other in second)

    def _compare_header(self, condition: query.Compare) -> Truth:
        values = [
            self._header(side) if isinstance(side, query.Variable) else _literal(side)
            for side in (condition.left, condition.right)
        ]
        first, second = values
        # A string compared with a number is a type error.
        if first is None or second is None or type(first) is not type(second):
            return None
        return _COMPARE[condition.operator](first, second)

    def _compare_numbers(
        self, comparison: query.Comparison, left: list[float | None] | None, right: list[float | None] | None
    ) -> Truth:
        if left is None or right is None:
            return None
        pairs = [(one, other) for one in left for other in right]
        if any(one is not None and other is not None and _COMPARE[comparison](one, other) for one, other in pairs):
            return True
        return None if any(one is None or other is None for one, other in pairs) else False

    def _numbers(self, operand: query.Operand) -> list[float | None] | None:
        """The numbers of an operand; None in it is text that is no number, None altogether an error."""
        match operand:
            case query.Number(value=value):
                return [value]
            case query.Calculate(operator=sign, left=left, right=right):
                first, second = self._numbers(left), self._numbers(right)
                # "If an atomized operand is a sequence of length greater than one, a type error is raised."
                if first is None or second is None or len(first) > 1 or len(second) > 1:
                    return None
                # "If the atomized operand is an empty sequence, the result ... is an empty sequence."
                if not first or not second:
                    return []
                [one], [other] = first, second
                return None if one is None or other is None else [_calculate(sign, one, other)]
            case _:
                strings = self._strings(operand)
                return None if strings is None else [_number(text) for text in strings]

    def _strings(self, operand: query.Operand) -> list[str] | None:
        match operand:
            case query.Text(value=value):
                return [value]
            case query.Path():
                return self._items(operand)
            case _:
                raise AssertionError(operand)

    def _items(self, path: query.Path) -> list[str] | None:
        """The string values at the end of a path; None where the body is no XML."""
        if not self._read:
            self._document, self._read = read_body(self.message), True
        if self._document is None:
            return None
        nodes = [self._document]
        for axis, name in path.steps:
            nodes = _distinct(
                child
                for node in nodes
                for parent in (node.all_below() if axis is query.Step.DESCENDANT else (node,))
                for child in parent.content
                if child.kind == "element" and name in ("*", child.local_name)
            )
        if path.attribute is not None:
            name = path.attribute
            nodes = [one for node in nodes for one in node.attributes if name in ("*", one.local_name)]
        elif path.text:
            nodes = [child for node in nodes for child in node.content if child.kind == "text"]
        return [node.text for node in nodes]


def _distinct(elements: Iterator[Node]) -> list[Node]:
    return list({id(element): element for element in elements}.values())


def _literal(operand: query.Operand) -> str | float | None:
    return operand.value if isinstance(operand, query.Text | query.Number) else None


def _number(text: str) -> float | None:
    match = _NUMBER.fullmatch(text)
    return float(match[1]) if match is not None else None


def _calculate(sign: str, left: float, right: float) -> float:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            if right != 0:
                return left / right
            return (
                math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)
            )
