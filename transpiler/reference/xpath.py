"""XPath 1.0 as a test of a text: location paths, predicates, comparisons and the core functions.

Source: the W3C recommendation of 1999. Axes are child, attribute, descendant-or-self (``//``), self and parent.
Names are compared without their prefixes, but for the path ``//name``, as in Spark, which looks at no namespaces. A
text that is no document, or an expression that is no XPath, is FALSE, as it is to ActiveMQ; so is one outside this
subset, or of more levels than are read. Lengths are in UTF-16.
"""

from __future__ import annotations

import math
import operator as op
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, NamedTuple, assert_never

from transpiler.language.path_expressions import xpath_nodes as path
from transpiler.language.path_expressions.xpath import NoXPathError, parse_xpath
from transpiler.reference.documents import Node, read_document

#: XML's white space.
_SPACE = " \t\r\n"

#: A value: nodes, a string, a number or a boolean.
_Value = Any


def test_xml(text: str, expression: str) -> bool:
    """Return True if an expression holds of a document."""
    document = read_document(text)
    if document is None:
        return False
    try:
        return _boolean(_value(parse_xpath(expression), _Context(document, 1, 1)))
    except (NoXPathError, _OutsideError):
        return False


class _OutsideError(Exception):
    """The expression has no value, or is outside the supported subset."""


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


def _number(value: _Value) -> float:
    if isinstance(value, bool | float):
        return float(value)
    text = _string(value).strip(_SPACE)
    return float(text) if re.fullmatch(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)", text) else math.nan


def _boolean(value: _Value) -> bool:
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    return bool(value)


def _nodes(value: _Value) -> list[Node]:
    """A set of nodes: nothing else becomes one."""
    if not isinstance(value, list):
        raise _OutsideError
    return value


def _name(nodes: list[Node]) -> str:
    """Return the name of the first node, empty without one: documents and texts have no name."""
    return nodes[0].name if nodes else ""


def _compared(holds: Callable[[Any, Any], bool], equality: bool, left: _Value, right: _Value) -> bool:
    """Section 3.4: a set of nodes compares where one of its nodes does, and with a boolean as one."""
    if isinstance(left, bool) or isinstance(right, bool):
        if equality:
            return holds(_boolean(left), _boolean(right))
        return holds(*(_number(_boolean(side) if isinstance(side, list) else side) for side in (left, right)))
    for side, other, swapped in ((left, right, False), (right, left, True)):
        if isinstance(side, list):
            texts = [node.text for node in side]
            return any(_compared(holds, equality, *((other, text) if swapped else (text, other))) for text in texts)
    if equality and not (isinstance(left, float) or isinstance(right, float)):
        return holds(left, right)
    return holds(_number(left), _number(right))


_COMPARISONS = {"=": op.eq, "!=": op.ne, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge}

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


def _value(expression: path.Expression, context: _Context) -> _Value:
    match expression:
        case path.Constant(value=value):
            return value
        case path.Group(inner=inner):
            return _value(inner, context)
        case path.Negation(operand=operand):
            return -_number(_value(operand, context))
        case path.Operation(first=first, rest=rest):
            return _operated(first, rest, context)
        case path.Union(parts=parts):
            return _unique(node for part in parts for node in _nodes(_value(part, context)))
        case path.Call(function=name, arguments=arguments):
            return _called(name, [_value(argument, context) for argument in arguments], context)
        case path.Variable():
            raise _OutsideError
        case path.Filtered(primary=primary, predicates=predicates):
            return _filtered(_nodes(_value(primary, context)), predicates)
        case path.Path():
            return _path(expression, context)
        case _:
            assert_never(expression)


def _operated(first: path.Expression, rest: tuple[tuple[str, path.Expression], ...], context: _Context) -> _Value:
    value = _value(first, context)
    for sign, operand in rest:
        match sign:
            case "or":
                value = _boolean(value) or _boolean(_value(operand, context))
            case "and":
                value = _boolean(value) and _boolean(_value(operand, context))
            case _ if sign in _COMPARISONS:
                value = _compared(_COMPARISONS[sign], sign in ("=", "!="), value, _value(operand, context))
            case _:
                value = _calculated(sign, _number(value), _number(_value(operand, context)))
    return value


def _called(name: str, arguments: list[_Value], context: _Context) -> _Value:
    function = _FUNCTIONS.get(name)
    if function is None:
        raise _OutsideError
    try:
        return function(context, *arguments)
    except TypeError:
        raise _OutsideError from None


def _path(expression: path.Path, context: _Context) -> list[Node]:
    prefixed = _prefixed_name(expression)
    nodes: list[Node]
    match expression.start:
        case path.Start.ROOT:
            nodes = [_root(context.node)]
        case path.Start.CONTEXT:
            nodes = [context.node]
        case start:
            nodes = _nodes(_value(start, context))
    if prefixed is not None:
        return [node for node in _descendants(nodes) if node.name == prefixed]
    for step in expression.steps:
        # A position counts among the nodes that one node of the step before yields.
        nodes = _unique(
            taken
            for node in (_descendants(nodes) if step.descendants else nodes)
            for taken in _filtered(_taken(node, step), step.predicates)
        )
    return nodes


def _prefixed_name(expression: path.Path) -> str | None:
    """The name of the path //name, and of .//name: Java looks it up with its prefix, and all others without it."""
    match expression:
        case path.Path(start=path.Start.ROOT, steps=[step]):
            pass
        case path.Path(start=path.Start.CONTEXT, steps=[path.Step("self", "node()"), step]):
            pass
        case _:
            return None
    names = step.axis == "child" and step.descendants and not step.predicates and not step.test.endswith((")", "*"))
    return step.test if names else None


def _filtered(nodes: list[Node], predicates: tuple[path.Expression, ...]) -> list[Node]:
    for predicate in predicates:
        size = len(nodes)
        nodes = [
            node for place, node in enumerate(nodes, 1) if _holds(_value(predicate, _Context(node, place, size)), place)
        ]
    return nodes


def _root(node: Node) -> Node:
    while node.parent is not None:
        node = node.parent
    return node


def _holds(value: _Value, place: int) -> bool:
    return value == place if isinstance(value, float) else _boolean(value)


def _calculated(sign: str, left: float, right: float) -> float:
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


def _taken(node: Node, step: path.Step) -> list[Node]:
    """The nodes that a step takes from one node, before its predicates."""
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
            raise _OutsideError
    taken = {"text": ("text()", "node()"), "other": ("node()",)}
    return [item for item in items if test in taken.get(item.kind, ("*", "node()", item.local_name))]


def _unique(nodes: Iterable[Node]) -> list[Node]:
    return list({id(node): node for node in nodes}.values())
