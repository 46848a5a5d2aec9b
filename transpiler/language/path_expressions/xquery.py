"""Parser of XQuery texts to conditions; what the subset does not have is refused by name, with its place.

The subset: ``declare variable $x external;``, ``let $x := path return …``, paths of element names with ``/``, ``//``,
``*``, ``@name`` and ``text()``, general comparisons, arithmetic, ``and``, ``or``, ``not(…)``, ``exists(…)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import NamedTuple, NoReturn, cast, get_args

from transpiler.base.diagnostics import mismatch
from transpiler.base.errors import TopologyError, UnsupportedFeatureError
from transpiler.base.source import Source, Span, half_surrogate
from transpiler.language.path_expressions import xquery_nodes as query
from transpiler.language.path_expressions.xml_names import NAME

#: Levels of parentheses and functions that a query may have.
MAX_DEPTH = 60

#: Characters of a query.
MAX_LENGTH = 100_000

_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<comment>\(:.*?:\))
    |(?P<text>"(?:[^"]++|"")*+"|'(?:[^']++|'')*+')
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<variable>\$\s*{NAME})
    |(?P<name>(?:{NAME}:)?{NAME})
    |(?P<sign>:=|//|!=|<=|>=|<<|>>|[=<>/@*+\-().,;\[\]{{}}|:])""",
    re.VERBOSE | re.DOTALL,
)
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#([0-9]+)|#x([0-9a-fA-F]+));|&")

_VALUE_COMPARISONS = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_COMPARISONS: tuple[query.Comparison, ...] = get_args(query.Comparison)


class _Token(NamedTuple):
    kind: str
    text: str
    span: Span


def parse_query(text: str) -> query.Condition:
    """Parse a query to its condition.

    Raises ``TopologyError`` where the text is no query, ``UnsupportedFeatureError`` where it is one outside the subset.
    """
    return _Parser(Source(text, "xquery")).parse()


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = list(self._tokens())
        self.at = 0
        self.depth = 0
        self.declared: set[str] = set()
        self.bound: dict[str, query.Path] = {}

    def _tokens(self) -> list[_Token]:
        tokens, at = [], 0
        if len(self.source.text) > MAX_LENGTH:
            message = f"the query has {len(self.source.text):,} characters, and the limit is {MAX_LENGTH:,}"
            span = Span(MAX_LENGTH, len(self.source.text))
            raise UnsupportedFeatureError.at("limit.length", message, self.source, span)
        half = half_surrogate(self.source.text)
        if half is not None:
            self._wrong("half of a surrogate pair is no Unicode character", half)
        while at < len(self.source.text):
            match = _TOKEN.match(self.source.text, at)
            if match is None:
                self._wrong(f"{self.source.text[at]!r} has no meaning in a query", Span(at, at + 1))
            if match[0] == "(" and self.source.text.startswith("(:", at):
                self._wrong("this comment is never closed", Span(at, at + 2), "perhaps close it with :)")
            at = match.end()
            if match.lastgroup not in ("space", "comment"):
                tokens.append(_Token(str(match.lastgroup), match[0], Span(*match.span())))
        tokens.append(_Token("end", "the end", Span(at, at + 1)))
        return tokens

    def _wrong(self, message: str, span: Span, hint: str | None = None) -> NoReturn:
        raise TopologyError.at("xquery.syntax", message, self.source, span, hint)

    def _unsupported(self, what: str, span: Span, hint: str | None = None) -> NoReturn:
        hint = hint or "a query compares paths and headers, joined by and, or, not"
        raise UnsupportedFeatureError.at("xquery.unsupported", f"{what} cannot be done here", self.source, span, hint)

    @property
    def next(self) -> _Token:
        """The token that comes next."""
        return self.tokens[self.at]

    def _take(self) -> _Token:
        token = self.next
        self.at += token.kind != "end"
        return token

    def _is(self, *texts: str) -> bool:
        return self.next.kind in ("name", "sign") and self.next.text in texts

    def _read(self, text: str) -> bool:
        if not self._is(text):
            return False
        self.at += 1
        return True

    def _expect(self, text: str) -> _Token:
        if not self._is(text):
            self._wrong(mismatch(text, self.next.text), self.next.span)
        return self._take()

    def parse(self) -> query.Condition:
        """The prolog, the bindings of let, the condition, and nothing more."""
        while self._is("declare"):
            self._declaration()
        while self._is("let"):
            self._let()
        condition = self._or()
        if self.next.kind != "end":
            self._unsupported(self.next.text, self.next.span)
        return condition

    def _declaration(self) -> None:
        start = self._take()
        if not self._read("variable"):
            self._unsupported(f"declare {self.next.text}", start.span.to(self.next.span))
        name = self._variable_name()
        if self._read("as"):
            self._take()
        if not self._is("external"):
            self._unsupported("a variable with a value", self.next.span, "external variables are the headers")
        self._take()
        self._expect(";")
        self.declared.add(name)

    def _let(self) -> None:
        self._take()
        name = self._variable_name()
        self._expect(":=")
        start = self.next
        path = self._sum()
        if not isinstance(path, query.Path) or path.attribute is not None or path.text:
            self._unsupported("let with anything but a path of elements", start.span)
        self.bound[name] = path
        if not self._is("return", "let"):
            self._unsupported(f"{self.next.text} after let", self.next.span)
        self._read("return")

    def _variable_name(self) -> str:
        if self.next.kind != "variable":
            self._wrong(mismatch("a variable", self.next.text), self.next.span)
        return self._take().text[1:].strip()

    @contextmanager
    def _nested(self, span: Span) -> Iterator[None]:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"the query is nested more than {MAX_DEPTH} deep"
            raise UnsupportedFeatureError.at("limit.nesting", message, self.source, span)
        yield
        self.depth -= 1

    def _or(self) -> query.Condition:
        with self._nested(self.next.span):
            terms = [self._and()]
            while self._read("or"):
                terms.append(self._and())
        return terms[0] if len(terms) == 1 else query.Or(tuple(terms))

    def _and(self) -> query.Condition:
        terms = [self._comparison()]
        while self._read("and"):
            terms.append(self._comparison())
        return terms[0] if len(terms) == 1 else query.And(tuple(terms))

    def _comparison(self) -> query.Condition:
        start = self.next
        condition = self._condition()
        if condition is not None:
            return condition
        left = self._sum()
        if self._is(*_COMPARISONS):
            operator = cast(query.Comparison, self._take().text)
            right = self._sum()
            comparison = query.Compare(operator, left, right, start.span.to(self.tokens[self.at - 1].span))
            self._check(comparison)
            return comparison
        if self.next.text in _VALUE_COMPARISONS:
            hint = f"perhaps write {_VALUE_COMPARISONS[self.next.text]}"
            self._unsupported(f"the value comparison {self.next.text}", self.next.span, hint)
        if isinstance(left, query.Path | query.Variable):
            return query.Exists(left, left.span)
        return self._unsupported("a value as a condition", start.span, "perhaps compare it with something")

    def _condition(self) -> query.Condition | None:
        """A function that is a condition, or a condition in parentheses."""
        name = self.next.text.removeprefix("fn:") if self.next.kind == "name" else ""
        is_call = self.tokens[min(self.at + 1, len(self.tokens) - 1)].text == "("
        if name in ("true", "false") and is_call:
            self.at += 2
            self._expect(")")
            return query.Always(name == "true")
        if name in ("not", "boolean", "exists") and is_call:
            self.at += 2
            start = self.next
            inner = self._or()
            self._expect(")")
            if name == "exists" and not (isinstance(inner, query.Exists) and isinstance(inner.operand, query.Path)):
                self._unsupported("exists of anything but a path", start.span)
            return query.Not(inner) if name == "not" else inner
        if self._is("(") and not self._is_sum_in_parentheses():
            self._take()
            inner = self._or()
            self._expect(")")
            return inner
        return None

    def _is_sum_in_parentheses(self) -> bool:
        """Return True if the token behind the matching parenthesis makes it an operand."""
        depth = 0
        for token in islice(self.tokens, self.at, None):
            if token.kind == "sign" and token.text == "(":
                depth += 1
            elif token.kind == "sign" and token.text == ")":
                depth -= 1
            elif depth == 0:
                return token.text in (*_COMPARISONS, "+", "-", "*", "div")
        return False

    def _sum(self) -> query.Operand:
        operand = self._product()
        while self._is("+", "-"):
            operand = self._calculate(self._take().text, operand, self._product())
        return operand

    def _product(self) -> query.Operand:
        operand = self._operand()
        while self._is("*", "div"):
            operand = self._calculate(self._take().text, operand, self._operand())
        return operand

    def _calculate(self, operator: str, left: query.Operand, right: query.Operand) -> query.Operand:
        for side in (left, right):
            if isinstance(side, query.Text | query.Variable):
                self._unsupported("arithmetic on a string or a header", side.span)
        return query.Calculate(cast(query.Operator, operator), left, right, left.span.to(right.span))

    def _operand(self) -> query.Operand:
        token = self.next
        match token.kind:
            case "text":
                self._take()
                return query.Text(self._literal(token), token.span)
            case "number":
                self._take()
                return query.Number(float(token.text), token.span)
            case "variable":
                return self._variable()
            case "sign" if token.text == "-":
                self._take()
                number = self.next
                if number.kind != "number":
                    self._unsupported("a minus before anything but a number", token.span)
                self._take()
                return query.Number(-float(number.text), token.span.to(number.span))
            case "sign" if token.text == "(":
                self._take()
                with self._nested(token.span):
                    inner = self._sum()
                self._expect(")")
                return inner
            case "end":
                return self._wrong("expected a condition, found the end", token.span)
            case _:
                return self._path(None)

    def _literal(self, token: _Token) -> str:
        quote, inner = token.text[0], token.text[1:-1]

        def replace_entity(entity: re.Match[str]) -> str:
            if entity[1]:
                return _ENTITIES[entity[1]]
            if entity[2] or entity[3]:
                digits = (entity[2] or entity[3]).lstrip("0")
                code = int(digits or "0", 10 if entity[2] else 16) if len(digits) <= 7 else 0
                if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000:
                    return chr(code)
            return self._wrong("an & begins an entity such as &amp;", token.span)

        return _ENTITY.sub(replace_entity, inner.replace(quote * 2, quote))

    def _variable(self) -> query.Operand:
        token = self.next
        name = self._variable_name()
        if name in self.bound:
            return self._path(replace(self.bound[name], span=token.span))
        if name not in self.declared:
            hint = f"perhaps begin with: declare variable ${name} external;"
            self._wrong(f"${name} is not declared", token.span, hint)
        if self._is("/", "//"):
            self._unsupported("a path into a header", self.next.span)
        return query.Variable(name, token.span)

    def _path(self, start: query.Path | None) -> query.Path:
        first = self.next.span if start is None else start.span
        steps = list(start.steps) if start is not None else []
        axis: query.Step | None = query.Step.CHILD if start is None else None
        if start is None:
            if self._read("."):
                axis = None
            elif self._is("/", "//"):
                axis = query.Step.DESCENDANT if self._take().text == "//" else query.Step.CHILD
        elif not self._is("/", "//", "["):
            return start
        attribute, text = None, False
        while True:
            if axis is None:
                if not self._is("/", "//"):
                    break
                axis = query.Step.DESCENDANT if self._take().text == "//" else query.Step.CHILD
            if self._read("@"):
                if axis is query.Step.DESCENDANT or not steps:
                    self._unsupported("an attribute without an element before it", self.next.span)
                attribute = self._step_name()
                break
            if self._is("text") and self.tokens[self.at + 1].text == "(":
                if axis is query.Step.DESCENDANT or not steps:
                    self._unsupported("text() without an element before it", self.next.span)
                self.at += 2
                self._expect(")")
                text = True
                break
            steps.append((axis, self._step_name()))
            axis = None
        if self._is("[", "/", "//", "("):
            what = {"[": "a predicate", "(": "this function"}.get(self.next.text, "a step after this one")
            self._unsupported(what, self.next.span)
        span = first.to(self.tokens[max(self.at - 1, 0)].span)
        if not steps:
            self._unsupported("the whole document as a value", span, "perhaps name an element")
        return query.Path(tuple(steps), attribute, text, span)

    def _step_name(self) -> str:
        token = self._take()
        if token.kind == "sign" and token.text == "*":
            return "*"
        if token.kind != "name":
            if token.kind == "end":
                self._wrong("expected a name, found the end", token.span)
            self._unsupported(f"{token.text} in a path", token.span)
        if ":" in token.text:
            self._unsupported("a name with a namespace", token.span, "perhaps use the local name")
        if self._is("(") or self.next.text == ":":
            self._unsupported(f"{token.text}{self.next.text}", token.span.to(self.next.span))
        return token.text

    def _check(self, comparison: query.Compare) -> None:
        """Refuse comparisons that XPath 1.0 does not have, or to which it gives another meaning."""
        left, right = comparison.left, comparison.right
        kinds = {type(left), type(right)}
        ordering = comparison.operator not in ("=", "!=")
        if query.Variable in kinds:
            if not kinds & {query.Text, query.Number}:
                self._unsupported("a header compared with anything but a literal", comparison.span)
        elif not any(True for side in (left, right) for _ in query.paths(side)):
            self._unsupported("a comparison of constants", comparison.span)
        if ordering and query.Text in kinds:
            self._unsupported("an order of strings", comparison.span, "perhaps compare with a number, or use = and !=")
        if kinds == {query.Path} and ordering:
            self._unsupported("an order of two paths", comparison.span, "perhaps write a - b > 0 to compare numbers")
        if query.Text in kinds and query.Calculate in kinds:
            self._unsupported("a number compared with a string", comparison.span)
