"""Parser of the supported XQuery subset for bindings of an XML exchange. Errors name constructs outside the subset.

The subset: ``declare variable $x external;``, ``let $x := path return …``, paths of element names with ``/``, ``//``,
``*``, ``@name`` and ``text()``, general comparisons, arithmetic, ``and``, ``or``, ``not(…)``, ``exists(…)``.
``xpath`` has the grammar of paths and operators. This module overrides the clauses in which XQuery 1.0 differs from
XPath 1.0.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import NoReturn

from transpiler.base.diagnostics import mismatch
from transpiler.base.errors import TopologyError, UnsupportedFeatureError
from transpiler.base.source import Source, Span, half_surrogate
from transpiler.language.path_expressions import path_tree as tree
from transpiler.language.path_expressions.xpath import MAX_DEPTH, NAME, PathParser

#: Maximum length of a query, in characters.
MAX_LENGTH = 100_000

_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#([0-9]+)|#x([0-9a-fA-F]+));|&")

_VALUE_COMPARISONS = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def parse_query(text: str) -> tree.Expression:
    """Parse the XQuery ``text`` and return the expression whose value is the result of the query.

    Raises ``TopologyError`` if ``text`` is not an XQuery, and ``UnsupportedFeatureError`` if the query is outside the
    supported subset.
    """
    return _Parser(Source(text, "xquery")).parse()


class _Parser(PathParser):
    # XQuery has three kinds of tokens that XPath 1.0 lacks: comments ('"(:" (CommentContents | Comment)* ":)"'), a
    # doubled quote inside a literal (EscapeQuot), and exponents (DoubleLiteral).
    pattern = re.compile(
        rf"""(?P<space>\s+)
        |(?P<comment>\(:.*?:\))
        |(?P<string>"(?:[^"]++|"")*+"|'(?:[^']++|'')*+')
        |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
        |(?P<variable>\$\s*{NAME})
        |(?P<name>(?:{NAME}:)?{NAME})
        |(?P<sign>:=|//|!=|<=|>=|<<|>>|\((?!:)|[=<>/@*+\-).,;\[\]{{}}|:])""",
        re.VERBOSE | re.DOTALL,
    )

    def __init__(self, source: Source) -> None:
        self._source = source
        if len(source.text) > MAX_LENGTH:
            message = f"the query has {len(source.text):,} characters, but the maximum is {MAX_LENGTH:,}"
            raise UnsupportedFeatureError.at("limit.length", message, source, Span(MAX_LENGTH, len(source.text)))
        half = half_surrogate(source.text)
        if half is not None:
            self._wrong("half of a surrogate pair is not a Unicode character", half)
        super().__init__(source.text)
        #: For each variable that a ``let`` clause defines, its path.
        self._bound: dict[str, tree.Path] = {}
        self._declared: set[str] = set()

    def _wrong(self, message: str, span: Span, hint: str | None = None) -> NoReturn:
        raise TopologyError.at("xquery.syntax", message, self._source, span, hint)

    def _unsupported(self, what: str, span: Span, hint: str | None = None) -> NoReturn:
        hint = hint or "a query may compare paths and headers, and may join the comparisons with and, or and not"
        raise UnsupportedFeatureError.at(
            "xquery.unsupported",
            f"selector-sql does not support this in an XQuery filter: {what}",
            self._source,
            span,
            hint,
        )

    def _no_token(self, text: str, at: int) -> NoReturn:
        if text.startswith("(:", at):
            self._wrong("this comment is never closed", Span(at, at + 2), "perhaps close the comment with :)")
        self._wrong(f"{text[at]!r} has no meaning in a query", Span(at, at + 1))

    def _expect(self, text: str) -> None:
        if not self._read(text):
            self._wrong(mismatch(text, self._next.text), self._next.span)

    def _too_deep(self, span: Span) -> NoReturn:
        message = f"the query is nested more than {MAX_DEPTH} levels deep"
        raise UnsupportedFeatureError.at("limit.nesting", message, self._source, span)

    def parse(self) -> tree.Expression:
        """Parse the prolog, the ``let`` clauses and the condition."""
        while self._is("declare"):
            self._declaration()
        while self._is("let"):
            self._let()
        condition = self._condition()
        if self._next.kind != "end":
            self._unsupported(self._next.text, self._next.span)
        return condition

    def _declaration(self) -> None:
        start = self._take()
        if not self._read("variable"):
            self._unsupported(f"declare {self._next.text}", start.span.to(self._next.span))
        name = self._variable_name()
        if self._read("as"):
            self._take()
        if not self._is("external"):
            self._unsupported("a variable with a value", self._next.span, "external variables are the headers")
        self._take()
        self._expect(";")
        self._declared.add(name)

    def _let(self) -> None:
        self._take()
        name = self._variable_name()
        self._expect(":=")
        start = self._next.span
        path = self._sum()
        if not isinstance(path, tree.Path) or not _is_element(path.steps[-1]):
            self._unsupported("let with anything but a path of elements", start)
        self._bound[name] = path
        if not self._is("return", "let"):
            self._unsupported(f"{self._next.text} after let", self._next.span)
        self._read("return")

    def _variable_name(self) -> str:
        if self._next.kind != "variable":
            self._wrong(mismatch("a variable", self._next.text), self._next.span)
        return self._take().text[1:].strip()

    def _condition(self) -> tree.Expression:
        with self._nested():
            return self._operation()

    def _operation(self) -> tree.Expression:
        return self._operated(self._comparison, (("or",), ("and",)))

    def _sum(self) -> tree.Expression:
        return self._operated(self._unary, (("+", "-"), ("*", "div")))

    def _comparison(self) -> tree.Expression:
        """Parse a comparison. It has exactly two operands, because XQuery does not allow ``a = b = c``.

        XQuery's grammar: "RangeExpr ( (ValueComp | GeneralComp | NodeComp) RangeExpr )?"
        """
        start = self._next.span
        condition = self._test()
        if condition is not None:
            return condition
        left = self._sum()
        if self._is(*tree.COMPARISONS):
            sign = self._take().text
            right = self._sum()
            self._check_comparison(sign, left, right, self._span(start))
            return tree.Operation(left, ((sign, right),), self._span(start))
        # XQuery has value comparisons such as ``eq``. The query is evaluated as XPath 1.0, which has none.
        if self._next.text in _VALUE_COMPARISONS:
            hint = f"perhaps write {_VALUE_COMPARISONS[self._next.text]}"
            self._unsupported(f"the value comparison {self._next.text}", self._next.span, hint)
        if not isinstance(left, tree.Path | tree.Variable):
            self._unsupported("a value as a condition", start, "perhaps compare the value with another value")
        return left

    def _test(self) -> tree.Expression | None:
        """Parse a call of a boolean function, or a condition in parentheses.

        Return None if the next token begins neither.
        """
        name = self._next.text.removeprefix("fn:") if self._next.kind == "name" and self._ahead("(") else ""
        start = self._next.span
        if name in ("true", "false"):
            self._at += 2
            self._expect(")")
            return tree.Call(name, (), self._span(start))
        if name in ("not", "boolean", "exists"):
            self._at += 2
            argument = self._next.span
            inner = self._condition()
            self._expect(")")
            if name == "exists" and not isinstance(inner, tree.Path):
                self._unsupported("exists of anything but a path", argument)
            return tree.Call(name, (inner,), self._span(start)) if name == "not" else inner
        if self._is("(") and not self._is_sum_in_parentheses():
            self._take()
            inner = self._condition()
            self._expect(")")
            return inner
        return None

    def _is_sum_in_parentheses(self) -> bool:
        """Return True if the parentheses that open here are an operand: an operator follows the closing parenthesis.

        The operators are those of comparisons and arithmetic.
        """
        depth = 0
        for token in islice(self.tokens, self._at, None):
            if token.kind == "sign" and token.text == "(":
                depth += 1
            elif token.kind == "sign" and token.text == ")":
                depth -= 1
            elif depth == 0:
                return token.text in (*tree.COMPARISONS, "+", "-", "*", "div")
        return False

    def _unary(self) -> tree.Expression:
        kind, text, start = self._next
        match kind:
            case "string":
                return tree.Constant(self._literal(self._take().text, start), start)
            case "number":
                return tree.Constant(float(self._take().text), start)
            case "variable":
                return self._variable()
            case "sign" if text == "-":
                self._take()
                if self._next.kind != "number":
                    self._unsupported("a minus before anything but a number", start)
                return tree.Constant(-float(self._take().text), self._span(start))
            case "sign" if text == "(":
                self._take()
                with self._nested(start):
                    inner = self._sum()
                self._expect(")")
                return inner
            case "end":
                return self._wrong("expected a condition, found the end", start)
            case _:
                return self._location()

    def _literal(self, text: str, span: Span) -> str:
        """Return the value of the string literal ``text``, with references replaced: ``&lt;`` is ``<``.

        XPath 1.0 has no such entity and character references in literals.
        """
        quote, inner = text[0], text[1:-1]

        def replace_entity(entity: re.Match[str]) -> str:
            if entity[1]:
                return _ENTITIES[entity[1]]
            if entity[2] or entity[3]:
                digits = (entity[2] or entity[3]).lstrip("0")
                code = int(digits or "0", 10 if entity[2] else 16) if len(digits) <= 7 else 0
                if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000:
                    return chr(code)
            return self._wrong("an & begins an entity such as &amp;", span)

        return _ENTITY.sub(replace_entity, inner.replace(quote * 2, quote))

    def _variable(self) -> tree.Expression:
        span = self._next.span
        name = self._variable_name()
        if name in self._bound:
            path = replace(self._bound[name], span=span)
            return self._steps(path.start, list(path.steps), span) if self._is("/", "//", "[") else path
        if name not in self._declared:
            hint = f"perhaps begin with: declare variable ${name} external;"
            self._wrong(f"${name} is not declared", span, hint)
        if self._is("/", "//"):
            self._unsupported("a path into a header", self._next.span)
        return tree.Variable(name, span)

    def _location(self) -> tree.Path:
        """Parse a path. Relative paths start at the document, too, because it is the context item of a query."""
        start = self._next.span
        steps: list[tree.Step] = []
        if not self._read(".") and not self._is("//"):
            self._read("/")
            self._step(steps, False)
        return self._steps(tree.Start.ROOT, steps, start)

    def _steps(self, begin: tree.Start | tree.Expression, steps: list[tree.Step], start: Span) -> tree.Path:
        path = super()._steps(begin, steps, start)
        if self._is("[", "("):
            self._unsupported("a predicate" if self._is("[") else "this function", self._next.span)
        if not path.steps:
            self._unsupported("the whole document as a value", path.span, "perhaps name an element")
        return path

    def _step(self, steps: list[tree.Step], descendants: bool) -> None:
        start = self._next.span
        axis = "attribute" if self._read("@") else "child"
        is_text = axis == "child" and self._is("text") and self._ahead("(")
        if (is_text or axis == "attribute") and (descendants or not steps):
            what = "text()" if is_text else "an attribute"
            self._unsupported(f"{what} without an element before it", self._next.span)
        if is_text:
            self._at += 2
            self._expect(")")
        step = tree.Step(descendants, axis, "text()" if is_text else self._step_name(), (), self._span(start))
        if not _is_element(step) and self._is("/", "//"):
            self._unsupported("a step after this one", self._next.span)
        steps.append(step)

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
        if self._is("(") or self._next.text == ":":
            self._unsupported(f"{token.text}{self._next.text}", token.span.to(self._next.span))
        return token.text

    def _check_operands(self, sign: str, *operands: tree.Expression) -> None:
        """Raise an error if an operand of arithmetic is not a number.

        XQuery: "a type error is raised [err:XPTY0004]".
        """
        if sign in tree.CONNECTIVES:
            return
        for operand in operands:
            if isinstance(operand, tree.Variable) or tree.is_string(operand):
                self._unsupported("arithmetic on a string or a header", operand.span)

    def _check_comparison(self, sign: str, left: tree.Expression, right: tree.Expression, span: Span) -> None:
        """Raise an error for a comparison that XPath 1.0, which evaluates the query, would evaluate otherwise."""
        sides = (left, right)
        textual = any(map(tree.is_string, sides))
        ordering = sign not in ("=", "!=")
        if any(isinstance(side, tree.Variable) for side in sides):
            if not any(isinstance(side, tree.Constant) for side in sides):
                self._unsupported("a header compared with anything but a literal", span)
        elif not any(tree.paths(side) for side in sides):
            self._unsupported("a comparison of constants", span)
        if ordering and textual:
            self._unsupported("an order of strings", span, "perhaps compare with a number, or use = and !=")
        if ordering and all(isinstance(side, tree.Path) for side in sides):
            self._unsupported("an order of two paths", span, "perhaps write a - b > 0 to compare numbers")
        if textual and any(isinstance(side, tree.Operation) for side in sides):
            self._unsupported("a number compared with a string", span)


def _is_element(step: tree.Step) -> bool:
    return step.axis == "child" and step.test != "text()"
