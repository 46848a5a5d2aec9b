"""XPath 1.0 as a test of a text: location paths, predicates, comparisons and the core functions.

Source: the W3C recommendation of 1999. Axes are child, attribute, descendant-or-self (``//``), self and parent.
Names are compared without their prefixes, but for the path ``//name``, as in Spark, which looks at no namespaces. A
text that is no document, or an expression that is no XPath, is FALSE, as it is to ActiveMQ. Lengths are in UTF-16.
"""

from __future__ import annotations

import math
import operator as op
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

from transpiler.reference.documents import Node, read_document

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)|(?P<string>\"[^\"]*\"|'[^']*')"
    r"|(?P<sign>//|!=|<=|>=|::|\.\.|[/.@()\[\]|+\-=<>*,])|(?P<name>[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?))"
)

#: XML's white space.
_SPACE = " \t\r\n"

#: A value: nodes, a string, a number or a boolean.
_Value = Any


class XPathError(ValueError):
    """The expression is no XPath, or outside the supported subset."""


def test_xml(text: str, expression: str) -> bool:
    """Return True if an expression holds of a document."""
    document = read_document(text)
    if document is None:
        return False
    try:
        return _boolean(_Reader(expression).read()(_Context(document, 1, 1)))
    except XPathError:
        return False


class _Context(NamedTuple):
    node: Node
    position: int
    size: int


_Expression = Callable[[_Context], _Value]


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
        raise XPathError(f"{_string(value)} is no set of nodes")
    return value


def _name(nodes: list[Node]) -> str:
    """Elements and attributes have names, documents and texts have none."""
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


class _Reader:
    """A recursive descent over the grammar of section 3."""

    def __init__(self, expression: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while expression[at:].strip():
            token = _TOKEN.match(expression, at)
            if token is None or token.lastgroup is None:
                raise XPathError(expression[at:])
            self.tokens.append((token.lastgroup, token[token.lastgroup]))
            at = token.end()
        self.at = 0

    def read(self) -> _Expression:
        """The whole expression."""
        expression = self._level(0)
        if self.at < len(self.tokens):
            raise XPathError(self.tokens[self.at][1])
        return expression

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
        begin = self.at
        path = self._any_path()
        # Java looks up the name of the path //name, and of .//name, with its prefix; in all other paths without it.
        match [text for _, text in self.tokens[begin : self.at]]:
            case ["//", name] | [".", "//", name] | ["//", "child", "::", name] | [".", "//", "child", "::", name]:
                if self.tokens[self.at - 1][0] == "name":
                    start = _root if self.tokens[begin][1] == "//" else _self
                    return lambda context: [node for node in _descendants(start)(context) if node.name == name]
        return path

    def _any_path(self) -> _Expression:
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
            return lambda context: _unique([node.parent for node in _nodes(start(context)) if node.parent])
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
        self, expression: _Expression, start: _Expression | None = None, attribute: bool = False, test: str = ""
    ) -> _Expression:
        predicates = []
        while self._next("["):
            predicates.append(self._level(0))
            self._expect("]")
        if not predicates:
            return expression

        def filtered(context: _Context) -> _Value:
            # A position counts among the nodes that one node of the step before yields.
            if start is None:
                groups = [_nodes(expression(context))]
            else:
                groups = [_taken([node], attribute, test) for node in _nodes(start(context))]
            kept: list[Node] = []
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


def _root(context: _Context) -> list[Node]:
    node = context.node
    while node.parent is not None:
        node = node.parent
    return [node]


def _self(context: _Context) -> list[Node]:
    return [context.node]


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
    return lambda context: _unique([inner for node in _nodes(start(context)) for inner in node.all_below()])


def _taken(nodes: list[Node], attribute: bool, test: str) -> list[Node]:
    selected: list[Node] = []
    for node in nodes:
        for item in node.attributes if attribute else node.content:
            match item.kind:
                case "text":
                    taken = test in ("text()", "node()")
                case "other":
                    taken = test == "node()"
                case _:
                    taken = test in ("*", "node()", item.local_name)
            if taken:
                selected.append(item)
    return _unique(selected)


def _unique(nodes: list[Node]) -> list[Node]:
    return list({id(node): node for node in nodes}.values())
