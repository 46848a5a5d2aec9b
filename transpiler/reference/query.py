"""What an XQuery of an XML exchange says about one message: XQuery 1.0, in the subset that bindings may have here.

An error in a query, such as a header that the message has not, a body that is no XML or text that is no number, means
that the binding does not take the message. XQuery leaves open whether ``or`` may find a true operand beside an error;
here it does, and likewise ``and`` a false one: an error is *unknown* in JMS's tables.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import assert_never
from xml.parsers import expat

from transpiler.message.message import Message
from transpiler.message.types import AND, COERCION, NOT, OR, TYPE_CLASS, SelectorType, Truth, TypeClass, coerce
from transpiler.topology import query

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

#: What may stand before the root: a byte order mark and the declaration, whose encoding counts for nothing.
_DECLARATION = re.compile(r"\ufeff?(?:<\?xml[ \t\r\n][^>]*\?>)?")


def matches_query(condition: query.Condition, message: Message, subject_header: str | None) -> bool:
    """Whether a query takes a message."""
    return query_truth(condition, message, subject_header) is True


def query_truth(condition: query.Condition, message: Message, subject_header: str | None) -> Truth:
    """What a query says of a message: True, False, or None for an error."""
    return _Query(message, subject_header).truth(condition)


@dataclass(slots=True)
class _Element:
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    #: Elements, and the text between them.
    content: list[_Element | str] = field(default_factory=list)

    @property
    def children(self) -> list[_Element]:
        return [item for item in self.content if isinstance(item, _Element)]

    @property
    def value(self) -> str:
        """The string value: all text inside, in the order of the document."""
        return "".join(item if isinstance(item, str) else item.value for item in self.content)

    def below(self) -> Iterator[_Element]:
        for child in self.children:
            yield child
            yield from child.below()


#: Levels of elements that a body may have.
MAX_DEPTH = 200


def read_body(message: Message) -> _Element | None:
    """The document in a body, as an element around its root; None where the body is no XML document.

    Bytes are UTF-8. A document type declaration is refused, for it can make a small text very large.
    """
    text = _body_text(message)
    if text is None:
        return None
    found = _DECLARATION.match(text)
    assert found is not None
    document = _Element("")
    stack = [document]

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > MAX_DEPTH:
            raise ValueError("nested too deeply")
        element = _Element(_local(name), {_local(key): value for key, value in attributes.items()})
        stack[-1].content.append(element)
        stack.append(element)

    def characters(data: str) -> None:
        inner = stack[-1].content
        if inner and isinstance(inner[-1], str):
            inner[-1] += data
        else:
            inner.append(data)

    def divide(*_: object) -> None:
        # A comment parts the text around it in two.
        stack[-1].content.append("")

    def refuse(*_: object) -> None:
        raise ValueError("a document type")

    parser = expat.ParserCreate("UTF-8")
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = characters
    parser.CommentHandler = divide
    parser.ProcessingInstructionHandler = divide
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text[found.end() :].encode(), True)
    except (expat.ExpatError, ValueError):
        return None
    return document


def _body_text(message: Message) -> str | None:
    body = message.body
    if body is None:
        return None
    if body.data is not None:
        try:
            return body.data.decode()
        except UnicodeDecodeError:
            return None
    found = body.value
    return found.value if found is not None and isinstance(found.value, str) else None


def _local(name: str) -> str:
    return name.partition(":")[2] or name


class _Query:
    """One query on one message."""

    def __init__(self, message: Message, subject_header: str | None) -> None:
        self.message = message
        self.subject_header = subject_header
        self._document: _Element | None = None
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
        found = self._header(operand)
        return None if found is None else bool(found) and found == found

    def _header(self, variable: query.Variable) -> str | float | None:
        """The value of a header that is a string or a number; None is an error."""
        found = (self.message.application_properties or {}).get(variable.name)
        if found is None:
            subject = self.message.properties.subject if self.message.properties is not None else None
            return subject if variable.name == self.subject_header else None
        selector_type = COERCION[found.type]
        if selector_type is SelectorType.NULL or found.value is None:
            return None
        value = coerce(found)
        if TYPE_CLASS[selector_type] is TypeClass.STRING:
            return str(value)
        return float(value) if TYPE_CLASS[selector_type].numeric and value is not None else None

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
        found = [self._document]
        for axis, name in path.steps:
            inner = (element.below() if axis is query.Step.DESCENDANT else element.children for element in found)
            found = _distinct(item for items in inner for item in items if name in ("*", item.name))
        if path.attribute is not None:
            if path.attribute == "*":
                return [value for element in found for value in element.attributes.values()]
            return [element.attributes[path.attribute] for element in found if path.attribute in element.attributes]
        if path.text:
            return [item for element in found for item in element.content if isinstance(item, str) and item]
        return [element.value for element in found]


def _distinct(elements: Iterator[_Element]) -> list[_Element]:
    return list({id(element): element for element in elements}.values())


def _literal(operand: query.Operand) -> str | float | None:
    return operand.value if isinstance(operand, query.Text | query.Number) else None


def _number(text: str) -> float | None:
    found = _NUMBER.fullmatch(text)
    return float(found[1]) if found is not None else None


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
