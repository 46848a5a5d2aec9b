"""Evaluation of XPath 1.0 (as a test of a text) and XQuery 1.0 (as the condition of an XML exchange) on one message.

Source: the W3C recommendations. The axes are child, attribute, descendant-or-self (``//``), self and parent.
Names are compared without their prefixes, and lengths count UTF-16 code units.

``_XPath`` evaluates the tree of both languages, and ``_Query`` overrides the clauses in which XQuery differs. Both
report an expression without a value as an error. ActiveMQ answers FALSE to such an XPath, to a text that is not an XML
document and to an expression that is not an XPath, so ``test_xml`` does too; it also answers FALSE to an expression
that is outside the subset or nested too deeply. A query has an error if the message lacks a header, if the body is not
XML, or if text is not a number. Its binding then does not match the message.
"""

from __future__ import annotations

import math
import operator as op
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cached_property, reduce
from typing import Any, ClassVar, NamedTuple, assert_never

from transpiler.language.path_expressions import path_tree as tree
from transpiler.language.path_expressions.xpath import NoXPathError, parse_xpath
from transpiler.message.message import Message
from transpiler.message.types import AND, CLASS_OF, OR, AmqpType, Truth, TypeClass, coerce
from transpiler.reference.documents import Node, read_document

#: The white-space characters of XML.
_SPACE = " \t\r\n"

#: Pattern of a number in XPath 1.0, as Spark's functions parse it too: it has neither an exponent nor a plus sign.
_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")

#: A value of XPath: a list of nodes, a string, a number or a boolean.
_Value = Any


def test_xml(text: str, expression: str) -> bool:
    """Return True if ``text`` is an XML document and the XPath ``expression`` is true of it."""
    document = read_document(text)
    if document is None:
        return False
    try:
        return _boolean(_XPath().value(parse_xpath(expression), _Context(document, 1, 1)))
    except (NoXPathError, _NoValueError):
        return False


def matches_query(condition: tree.Expression, message: Message, subject_header: str | None) -> bool:
    """Return True if the XQuery ``condition`` is true for ``message``.

    ``subject_header`` is the name of the header that contains the message's subject; None if no header does.
    """
    return query_truth(condition, message, subject_header) is True


def query_truth(condition: tree.Expression, message: Message, subject_header: str | None) -> Truth:
    """Evaluate the XQuery ``condition`` on ``message`` to True or False; return None if the evaluation is an error."""
    return _Query(message, subject_header).truth(condition, _Context(Node("document"), 1, 1))


class _NoValueError(Exception):
    """The error for an expression that has no value or is outside the supported subset."""


class _Context(NamedTuple):
    node: Node
    position: int
    size: int


def _string(value: _Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            if value == int(value) if math.isfinite(value) else False:
                return str(int(value))
            return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(
                value, "NaN" if math.isnan(value) else format(Decimal(repr(value)), "f")
            )
        case list():
            return value[0].text if value else ""
        case _:
            return str(value)


def _read_number(text: str) -> float | None:
    text = text.strip(_SPACE)
    return float(text) if _NUMBER.fullmatch(text) else None


def _number(value: _Value) -> float:
    if isinstance(value, bool | float):
        return float(value)
    number = _read_number(_string(value))
    return math.nan if number is None else number


def _boolean(value: _Value) -> bool:
    """Return the value of XPath's ``boolean()``, which is XQuery's effective boolean value as well."""
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    return bool(value)


def _nodes(value: _Value) -> list[Node]:
    """Return ``value`` if it is a set of nodes; otherwise raise ``_NoValueError``, because no conversion exists."""
    if not isinstance(value, list):
        raise _NoValueError
    return value


def _name(nodes: list[Node]) -> str:
    """Return the name of the first node, or an empty string. Documents and texts have no name."""
    return nodes[0].name if nodes else ""


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": op.eq,
    "!=": op.ne,
    "<": op.lt,
    "<=": op.le,
    ">": op.gt,
    ">=": op.ge,
}

_FUNCTIONS: dict[str, Callable[..., _Value]] = {
    "not": lambda _, value: not _boolean(value),
    "true": lambda _: True,
    "false": lambda _: False,
    "boolean": lambda _, value: _boolean(value),
    "string": lambda context, value=None: _string([context.node] if value is None else value),
    "number": lambda context, value=None: _number([context.node] if value is None else value),
    "sum": lambda _, nodes: float(sum(_number(node.text) for node in _nodes(nodes))),
    "count": lambda _, nodes: float(len(_nodes(nodes))),
    "contains": lambda _, text, part: _string(part) in _string(text),
    "starts-with": lambda _, text, part: _string(text).startswith(_string(part)),
    "concat": lambda _, *parts: "".join(_string(part) for part in parts),
    "string-length": lambda context, value=None: float(
        len(_string([context.node] if value is None else value).encode("utf-16-le")) // 2
    ),
    "normalize-space": lambda context, value=None: " ".join(
        filter(None, re.split(f"[{_SPACE}]", _string([context.node] if value is None else value)))
    ),
    "position": lambda context: float(context.position),
    "last": lambda context: float(context.size),
    "name": lambda context, nodes=None: _name([context.node] if nodes is None else _nodes(nodes)),
}


class _XPath:
    """An evaluator of XPath 1.0 expressions."""

    #: True if the name in a path ``//name`` is compared with element names including their prefixes, as Java does.
    keeps_prefix: ClassVar = True

    def value(self, expression: tree.Expression, context: _Context) -> _Value:
        """Return the value of ``expression``; raise ``_NoValueError`` if the expression has no value."""
        match expression:
            case tree.Constant(value=value):
                return value
            case tree.Group(inner=inner):
                return self.value(inner, context)
            case tree.Negation(operand=operand):
                return -_number(self.value(operand, context))
            case tree.Operation(sign=sign) if sign in tree.CONNECTIVES:
                return self._connected(sign, expression.operands, context)
            case tree.Operation(first=first, rest=rest):
                value = self.value(first, context)
                for sign, operand in rest:
                    join = self._compared if sign in _COMPARISONS else self._calculated
                    value = join(sign, value, self.value(operand, context))
                return value
            case tree.Union(parts=parts):
                return _unique(node for part in parts for node in _nodes(self.value(part, context)))
            case tree.Call(function=name, arguments=arguments):
                return _called(name, [self.value(argument, context) for argument in arguments], context)
            case tree.Variable():
                return self._variable(expression)
            case tree.Filtered(primary=primary, predicates=predicates):
                return self._filtered(_nodes(self.value(primary, context)), predicates)
            case tree.Path():
                return self._path(expression, context)
            case _:
                assert_never(expression)

    def _variable(self, variable: tree.Variable) -> _Value:
        raise _NoValueError(variable.name)

    def _connected(self, sign: str, operands: tuple[tree.Expression, ...], context: _Context) -> bool:
        """Return the value of ``or`` or ``and``.

        Section 3.4: "The right operand is not evaluated if the left operand evaluates to true", or false for ``and``.
        """
        return (any if sign == "or" else all)(_boolean(self.value(operand, context)) for operand in operands)

    def _compared(self, sign: str, left: _Value, right: _Value) -> bool:
        """Return the value of a comparison. A set of nodes is compared node by node, until one comparison is true.

        If the other operand is a boolean, the set is converted to a boolean instead. Source: XPath 1.0, section 3.4.
        """
        holds, equality = _COMPARISONS[sign], sign in ("=", "!=")
        if isinstance(left, bool) or isinstance(right, bool):
            if equality:
                return holds(_boolean(left), _boolean(right))
            return holds(*(_number(_boolean(side) if isinstance(side, list) else side) for side in (left, right)))
        for side, other, swapped in ((left, right, False), (right, left, True)):
            if isinstance(side, list):
                texts = [node.text for node in side]
                return any(self._compared(sign, *((other, text) if swapped else (text, other))) for text in texts)
        if equality and not (isinstance(left, float) or isinstance(right, float)):
            return holds(left, right)
        return holds(_number(left), _number(right))

    def _calculated(self, sign: str, left: _Value, right: _Value) -> _Value:
        return _arithmetic(sign, _number(left), _number(right))

    def _path(self, path: tree.Path, context: _Context) -> list[Node]:
        nodes: list[Node]
        match path.start:
            case tree.Start.ROOT:
                nodes = [_root(context.node)]
            case tree.Start.CONTEXT:
                nodes = [context.node]
            case start:
                nodes = _nodes(self.value(start, context))
        prefixed = _prefixed_name(path) if self.keeps_prefix else None
        if prefixed is not None:
            [begin] = nodes
            return [node for node in begin.all_below() if node is not begin and node.name == prefixed]
        for step in path.steps:
            # Apply the predicates to the nodes from each single node separately, because position() counts only these.
            nodes = _unique(
                taken
                for node in (_descendants(nodes) if step.descendants else nodes)
                for taken in self._filtered(_taken(node, step), step.predicates)
            )
        return nodes

    def _filtered(self, nodes: list[Node], predicates: tuple[tree.Expression, ...]) -> list[Node]:
        for predicate in predicates:
            size = len(nodes)
            nodes = [
                node
                for index, node in enumerate(nodes, 1)
                if _holds(self.value(predicate, _Context(node, index, size)), index)
            ]
        return nodes


class _Untyped(str):
    """The string value of a node. XQuery treats it as a number if the other operand of a comparison is a number."""


class _Query(_XPath):
    """An evaluator of XQuery on one message. Unlike in XPath, type errors are raised, and variables are headers."""

    keeps_prefix = False

    def __init__(self, message: Message, subject_header: str | None) -> None:
        self._message = message
        self._subject_header = subject_header

    @cached_property
    def _document(self) -> Node | None:
        return read_body(self._message)

    def truth(self, condition: tree.Expression, context: _Context) -> Truth:
        """Evaluate ``condition`` to True or False; return None if the evaluation is an error."""
        try:
            return _boolean(self.value(condition, context))
        except _NoValueError:
            return None

    def _path(self, path: tree.Path, context: _Context) -> list[Node]:
        # Raise the error about a missing document only when a path reads it. A query without paths can be true of a
        # message whose body is not XML.
        if self._document is None:
            raise _NoValueError
        return super()._path(path, context._replace(node=self._document))

    def _variable(self, variable: tree.Variable) -> str | float:
        """Return the value of the header that ``variable`` names; it must be a string or a number.

        Any other value, or a missing header, raises ``_NoValueError``.
        """
        header = (self._message.application_properties or {}).get(variable.name)
        value: str | float | None = None
        if header is None:
            properties = self._message.properties
            if properties is not None and variable.name == self._subject_header:
                value = properties.subject
        elif header.type is not AmqpType.NULL and header.value is not None:
            own = CLASS_OF[header.type]
            read = coerce(header)
            if own is TypeClass.STRING:
                value = str(read)
            elif own.numeric and read is not None:
                value = float(read)
        if value is None:
            raise _NoValueError
        return value

    def _connected(self, sign: str, operands: tuple[tree.Expression, ...], context: _Context) -> bool:
        """Evaluate ``or`` or ``and`` with the truth tables of JMS, in which an error counts as *unknown*.

        An ``or`` with a true operand is true, and an ``and`` with a false operand is false, even if another operand is
        an error; XQuery leaves that open. If the result is unknown, raise ``_NoValueError``.
        """
        table = OR if sign == "or" else AND
        truth = reduce(lambda left, right: table[left, right], (self.truth(operand, context) for operand in operands))
        if truth is None:
            raise _NoValueError
        return truth

    def _compared(self, sign: str, left: _Value, right: _Value) -> bool:
        # XPath 2.0, on general comparisons: "true if and only if there is a pair of atomic values, one in the first
        # operand sequence and the other in the second operand sequence, that have the required magnitude relationship"
        failed = False
        others = _atomized(right)
        for one in _atomized(left):
            for other in others:
                first, second = _cast(one, other), _cast(other, one)
                # Comparing a string with a number is a type error, and so is converting text that is not a number.
                if first is None or second is None or isinstance(first, str) is not isinstance(second, str):
                    failed = True
                elif _COMPARISONS[sign](first, second):
                    return True
        if failed:
            raise _NoValueError
        return False

    def _calculated(self, sign: str, left: _Value, right: _Value) -> _Value:
        sides = [_atomized(side) for side in (left, right)]
        # XPath 2.0, on arithmetic: "If an atomized operand is a sequence of length greater than one, a type error is
        # raised."
        if any(len(side) > 1 for side in sides):
            raise _NoValueError
        # XPath 2.0, on arithmetic: "If the atomized operand is an empty sequence, the result ... is an empty sequence."
        if not all(sides):
            return []
        [first], [second] = ([_cast(item, 0.0) for item in side] for side in sides)
        if not (isinstance(first, float) and isinstance(second, float)):
            raise _NoValueError
        return _arithmetic(sign, first, second)


def read_body(message: Message) -> Node | None:
    """Return the document in the body of a message; None if the body is not XML. Bytes are read as UTF-8."""
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


def _atomized(value: _Value) -> list[str | float]:
    return [_Untyped(node.text) for node in value] if isinstance(value, list) else [value]


def _cast(item: str | float, other: str | float) -> str | float | None:
    """Return ``item``, one operand of a comparison; a node's text becomes a number if ``other`` is a number.

    Return None if the text is not a number.
    """
    return _read_number(item) if isinstance(item, _Untyped) and isinstance(other, float) else item


def _called(name: str, arguments: list[_Value], context: _Context) -> _Value:
    function = _FUNCTIONS.get(name)
    if function is None:
        raise _NoValueError
    try:
        return function(context, *arguments)
    except TypeError:
        raise _NoValueError from None


def _prefixed_name(path: tree.Path) -> str | None:
    """Return ``name`` if ``path`` is ``//name`` or ``.//name``; None for any other path.

    In such a path, Java compares the name with the names of elements including their prefixes; in all other paths,
    without prefixes.
    """
    match path:
        case tree.Path(start=tree.Start.ROOT, steps=[step]):
            pass
        case tree.Path(
            start=tree.Start.CONTEXT, steps=[tree.Step(descendants=False, axis="self", test="node()"), step]
        ):
            pass
        case _:
            return None
    names = step.axis == "child" and step.descendants and not step.predicates and not step.test.endswith((")", "*"))
    return step.test if names else None


def _root(node: Node) -> Node:
    while node.parent is not None:
        node = node.parent
    return node


def _holds(value: _Value, index: int) -> bool:
    return value == index if isinstance(value, float) else _boolean(value)


def _arithmetic(sign: str, left: float, right: float) -> float:
    """Return the result of the operator ``sign`` on two numbers under IEEE 754, which defines division by zero."""
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _ if right == 0:
            if left == 0 or math.isnan(left) or sign == "mod":
                return math.nan
            return math.copysign(math.inf, left) * math.copysign(1, right)
        case "div":
            return left / right
        case _ if math.isinf(left):
            return math.nan
        case _:
            return math.fmod(left, right)


def _descendants(nodes: list[Node]) -> list[Node]:
    return _unique(inner for node in nodes for inner in node.all_below())


def _taken(node: Node, step: tree.Step) -> list[Node]:
    """Return the nodes that the axis and the node test of ``step`` select from ``node``, before its predicates."""
    test = step.test
    match step.axis:
        case "self" if test == "node()":
            return [node]
        case "parent" if test == "node()":
            return [node.parent] if node.parent is not None else []
        case "child":
            items = node.content
        case "attribute":
            items = node.attributes
        case _:
            raise _NoValueError
    taken = {"text": ("text()", "node()"), "other": ("node()",)}
    return [item for item in items if test in taken.get(item.kind, ("*", "node()", item.local_name))]


def _unique(nodes: Iterable[Node]) -> list[Node]:
    return list({id(node): node for node in nodes}.values())
