"""XPath 1.0 as a test of a text: location paths, predicates, comparisons and the core functions.

Source: the W3C recommendation of 1999. Axes are child, attribute, descendant-or-self (``//``), self and parent.
What a text does not parse as XML, or an expression not as XPath, is FALSE, as it is to ActiveMQ. So is a document
with a document type, which can make a small text very large, or of more than ``MAX_DEPTH`` levels.
"""

from __future__ import annotations

import math
import operator as op
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple
from xml.dom import minidom
from xml.parsers.expat import ExpatError

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)|(?P<string>\"[^\"]*\"|'[^']*')"
    r"|(?P<sign>//|!=|<=|>=|::|\.\.|[/.@()\[\]|+\-=<>*,])|(?P<name>[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?))"
)

#: A value: nodes, a string, a number or a boolean.
_Value = Any


class XPathError(ValueError):
    """The expression is no XPath, or beyond what is here."""


def test_xml(text: str, expression: str) -> bool:
    """Whether an expression holds of a document."""
    try:
        document = minidom.parseString(text)
        if document.doctype is not None or _is_too_deep(document):
            return False
        return _boolean(_Reader(expression).read()(_Context(document, 1, 1)))
    except (ExpatError, XPathError, ValueError):
        return False


#: Levels of elements that a document may have; the parser in Spark has this limit too.
MAX_DEPTH = 999


def _is_too_deep(document: Any) -> bool:
    level, depth = [document], -1
    while level:
        level = [child for node in level for child in node.childNodes if child.nodeType == child.ELEMENT_NODE]
        depth += 1
    return depth > MAX_DEPTH


class _Context(NamedTuple):
    node: Any
    position: int
    size: int


_Expression = Callable[[_Context], _Value]


def _text_of(node: Any) -> str:
    if node.nodeType in (node.TEXT_NODE, node.CDATA_SECTION_NODE):
        return str(node.data)
    if node.nodeType == node.ATTRIBUTE_NODE:
        return str(node.value)
    texts = (node.TEXT_NODE, node.CDATA_SECTION_NODE)
    return "".join(str(inner.data) for inner in _all_below(node) if inner.nodeType in texts)


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
            return _text_of(value[0]) if value else ""
        case _:
            return str(value)


def _number(value: _Value) -> float:
    if isinstance(value, bool | float):
        return float(value)
    text = _string(value).strip()
    return float(text) if re.fullmatch(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)", text) else math.nan


def _boolean(value: _Value) -> bool:
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    return bool(value)


def _nodes(value: _Value) -> list[Any]:
    """A set of nodes: nothing else becomes one."""
    if not isinstance(value, list):
        raise XPathError(f"{_string(value)} is no set of nodes")
    return value


def _name(nodes: list[Any]) -> str:
    """Elements and attributes have names, documents and texts have none."""
    named = bool(nodes) and nodes[0].nodeType in (nodes[0].ELEMENT_NODE, nodes[0].ATTRIBUTE_NODE)
    return str(nodes[0].nodeName) if named else ""


def _compared(holds: Callable[[Any, Any], bool], equality: bool, left: _Value, right: _Value) -> bool:
    """Section 3.4: a set of nodes compares where one of its nodes does, and with a boolean as one."""
    if isinstance(left, bool) or isinstance(right, bool):
        if equality:
            return holds(_boolean(left), _boolean(right))
        return holds(*(_number(_boolean(side) if isinstance(side, list) else side) for side in (left, right)))
    for side, other, swapped in ((left, right, False), (right, left, True)):
        if isinstance(side, list):
            texts = [_text_of(node) for node in side]
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
    "sum": lambda _, nodes: float(sum(_number(_text_of(node)) for node in _nodes(nodes))),
    "count": lambda _, nodes: float(len(_nodes(nodes))),
    "contains": lambda _, text, part: _string(part) in _string(text),
    "starts-with": lambda _, text, part: _string(text).startswith(_string(part)),
    "concat": lambda _, *parts: "".join(_string(part) for part in parts),
    "string-length": lambda context, value=None: float(len(_string([context.node] if value is None else value))),
    "normalize-space": lambda context, value=None: " ".join(
        _string([context.node] if value is None else value).split()
    ),
    "position": lambda context: float(context.position),
    "last": lambda context: float(context.size),
    "name": lambda context, nodes=None: _name([context.node] if nodes is None else _nodes(nodes)),
}


class _Reader:
    """A recursive descent over the grammar of section 3."""

    def __init__(self, expression: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while expression[at:].strip():
            found = _TOKEN.match(expression, at)
            if found is None or found.lastgroup is None:
                raise XPathError(expression[at:])
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self.at = 0

    def read(self) -> _Expression:
        """The whole expression."""
        found = self._level(0)
        if self.at < len(self.tokens):
            raise XPathError(self.tokens[self.at][1])
        return found

    def _next(self, *signs: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at][1] in signs and self.tokens[self.at][0] != "string":
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def _expect(self, sign: str) -> None:
        if self._next(sign) is None:
            raise XPathError(f"{sign} is missing")

    _LEVELS = (("or",), ("and",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "div", "mod"))

    def _level(self, level: int) -> _Expression:
        if level == len(self._LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while (sign := self._next(*self._LEVELS[level])) is not None:
            left = _binary(sign, left, self._level(level + 1))
        return left

    def _unary(self) -> _Expression:
        if self._next("-"):
            inner = self._unary()
            return lambda context: -_number(inner(context))
        left = self._path()
        while self._next("|"):
            left = _union(left, self._path())
        return left

    def _path(self) -> _Expression:
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        following = self.tokens[self.at + 1][1] if self.at + 1 < len(self.tokens) else ""
        is_call = kind == "name" and following == "(" and text not in ("text", "node", "comment")
        if kind in ("number", "string") or text == "(" or is_call:
            start = self._predicated(self._primary())
            return (
                self._steps(start)
                if self.tokens[self.at : self.at + 1] in ([("sign", "/")], [("sign", "//")])
                else start
            )
        if self._next("/"):
            kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
            if kind != "name" and text not in (".", "..", "@", "*"):
                return _root
            return self._steps(self._step(_root))
        if self.tokens[self.at : self.at + 1] == [("sign", "//")]:
            return self._steps(_root)
        return self._steps(self._step(lambda context: [context.node]))

    def _steps(self, start: _Expression) -> _Expression:
        while (sign := self._next("/", "//")) is not None:
            start = self._step(_descendants(start) if sign == "//" else start)
        return start

    def _step(self, start: _Expression) -> _Expression:
        if self._next(".."):
            return lambda context: _unique([node.parentNode for node in _nodes(start(context)) if node.parentNode])
        if self._next("."):
            return lambda context: _nodes(start(context))
        attribute = self._next("@") is not None
        if self.at >= len(self.tokens):
            raise XPathError("a step is missing")
        kind, name = self.tokens[self.at]
        if kind != "name" and name != "*":
            raise XPathError(name)
        self.at += 1
        if self._next("::"):
            if name not in ("child", "attribute"):
                raise XPathError(f"the axis {name}")
            attribute, name = name == "attribute", self.tokens[self.at][1]
            self.at += 1
        test = name
        if name in ("text", "node") and self._next("("):
            self._expect(")")
            test = f"{name}()"
        return self._predicated(lambda context: _taken(_nodes(start(context)), attribute, test), start, attribute, test)

    def _predicated(
        self, found: _Expression, start: _Expression | None = None, attribute: bool = False, test: str = ""
    ) -> _Expression:
        predicates = []
        while self._next("["):
            predicates.append(self._level(0))
            self._expect("]")
        if not predicates:
            return found

        def filtered(context: _Context) -> _Value:
            # A position counts among the nodes that one node of the step before yields.
            if start is None:
                groups = [_nodes(found(context))]
            else:
                groups = [_taken([node], attribute, test) for node in _nodes(start(context))]
            kept: list[Any] = []
            for nodes in groups:
                for predicate in predicates:
                    nodes = [
                        node
                        for place, node in enumerate(nodes, 1)
                        if _holds(predicate(_Context(node, place, len(nodes))), place)
                    ]
                kept.extend(nodes)
            return _unique(kept)

        return filtered

    def _primary(self) -> _Expression:
        kind, text = self.tokens[self.at]
        self.at += 1
        match kind, text:
            case "number", _:
                return lambda _: float(text)
            case "string", _:
                return lambda _: text[1:-1]
            case _, "(":
                inner = self._level(0)
                self._expect(")")
                return inner
            case _:
                return self._call(text)

    def _call(self, name: str) -> _Expression:
        function = _FUNCTIONS.get(name)
        if function is None:
            raise XPathError(f"there is no function {name}")
        self._expect("(")
        arguments: list[_Expression] = []
        while not self._next(")"):
            arguments.append(self._level(0))
            if not self._next(",") and self.tokens[self.at : self.at + 1] != [("sign", ")")]:
                raise XPathError("a comma is missing")

        def called(context: _Context) -> _Value:
            try:
                return function(context, *(argument(context) for argument in arguments))
            except TypeError as error:
                raise XPathError(str(error)) from None

        return called


def _root(context: _Context) -> list[Any]:
    return [context.node.ownerDocument or context.node]


def _holds(value: _Value, place: int) -> bool:
    return value == place if isinstance(value, float) else _boolean(value)


def _binary(sign: str, left: _Expression, right: _Expression) -> _Expression:
    if sign == "or":
        return lambda context: _boolean(left(context)) or _boolean(right(context))
    if sign == "and":
        return lambda context: _boolean(left(context)) and _boolean(right(context))
    if sign in _COMPARISONS:
        holds, equality = _COMPARISONS[sign], sign in ("=", "!=")
        return lambda context: _compared(holds, equality, left(context), right(context))
    return lambda context: _calculated(sign, _number(left(context)), _number(right(context)))


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


def _union(left: _Expression, right: _Expression) -> _Expression:
    return lambda context: _unique([*_nodes(left(context)), *_nodes(right(context))])


def _descendants(start: _Expression) -> _Expression:
    return lambda context: _unique([inner for node in _nodes(start(context)) for inner in _all_below(node)])


def _all_below(node: Any) -> list[Any]:
    """A node and what is in it, in the order of the document; without recursion, for documents are deep."""
    found, left = [], [node]
    while left:
        inner = left.pop()
        found.append(inner)
        left.extend(reversed(inner.childNodes))
    return found


def _taken(nodes: list[Any], attribute: bool, test: str) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        if attribute:
            attributes = node.attributes
            items = [attributes.item(place) for place in range(attributes.length)] if attributes is not None else []
            found.extend(item for item in items if test in ("*", "node()") or item.nodeName == test)
            continue
        for child in node.childNodes:
            if child.nodeType == child.ELEMENT_NODE:
                if test in ("*", "node()") or child.nodeName == test:
                    found.append(child)
            elif test == "node()" or (
                test == "text()" and child.nodeType in (child.TEXT_NODE, child.CDATA_SECTION_NODE)
            ):
                found.append(child)
    return _unique(found)


def _unique(nodes: list[Any]) -> list[Any]:
    seen: dict[int, Any] = {id(node): node for node in nodes}
    return list(seen.values())
