"""Checks of the dialects other than ``jms``: operands, signs, tests and escapes of the wrong kind."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from transpiler.diagnostics import nearest
from transpiler.message.header_fields import HeaderField
from transpiler.message.operand_types import OperandType
from transpiler.selector import ast
from transpiler.selector.dialect_rules import (
    Escapes,
    Extension,
    NotBinding,
    NumericLiterals,
    OperandForm,
    Signs,
    StaticTyping,
    Wildcards,
)
from transpiler.selector.dialects import Dialect
from transpiler.selector.pattern import PatternError, is_control, read_pattern
from transpiler.source import Source, Span

#: Callback that reports a finding: code, message, place, hint.
Report = Callable[[str, str, Span, str | None], None]

#: The functions of ActiveMQ: how many arguments they take at least and at most.
FUNCTIONS = {"REGEX": (2, 2), "INLIST": (2, 2), "MAKELIST": (1, None), "SPLIT": (2, 3), "REPLACE": (3, 3)}
#: Those that are conditions.
BOOLEAN_FUNCTIONS = frozenset({"REGEX", "INLIST"})

_LITERALS = (
    ast.StringLiteral,
    ast.IntegerLiteral,
    ast.FloatLiteral,
    ast.BooleanLiteral,
    ast.NullLiteral,
    ast.BinaryLiteral,
)
_TESTS = (ast.Compare, ast.Between, ast.In, ast.Like, ast.IsNull, ast.BodyQuery, ast.Not, ast.And, ast.Or)


class Kind(Enum):
    """The static kind of an expression."""

    CONDITION = "a condition"
    NUMBER = "a number"
    STRING = "a string"
    ANY = "anything"
    WRONG = "nothing"


class KindChecker:
    """The rules of one dialect over one tree."""

    def __init__(self, dialect: Dialect, source: Source, report: Report) -> None:
        self.dialect = dialect
        self.source = source
        self.report = report

    def selector(self, tree: ast.Expression) -> None:
        """The whole tree: node by node, then the kinds that the dialect looks at."""
        if isinstance(tree, ast.ConvertStrings):
            tree = tree.condition
        for node in ast.walk(tree):
            self._node(node)
        match self.dialect.operand_kinds:
            case StaticTyping.ACTIVEMQ:
                self._activemq_condition(tree)
                for node in ast.walk(tree):
                    self._activemq(node)
            case StaticTyping.TYPED:
                if self._kind(tree) in (Kind.NUMBER, Kind.STRING):
                    self._not_a_condition(tree)
            case _:
                pass

    def _node(self, node: ast.Expression) -> None:
        match node:
            case ast.IntegerLiteral(value=value):
                self._range(node, value)
            case ast.Sign():
                self._sign(node)
            case ast.Not(operand=ast.Not() as inner) if self.dialect.not_binding is NotBinding.LOOSE_ONCE:
                if not self._in_parentheses(inner):
                    hint = "put the inner one into parentheses"
                    self.report("type.not-twice", f"{self.dialect.title} takes one NOT in a row", inner.span, hint)
            case ast.In(operand=operand, members=members):
                self._tested(operand, "IN", self.dialect.in_operand)
                if not self.dialect.has(Extension.ANY_IN_MEMBER):
                    for member in members:
                        self._member(member)
            case ast.Like(operand=operand):
                self._tested(operand, "LIKE", self.dialect.like_operand)
                self._pattern(node)
            case ast.IsNull(operand=operand):
                self._tested(operand, "IS NULL", self.dialect.null_operand)
            case ast.Call():
                self._call(node)
            case _:
                pass

    def _range(self, node: ast.IntegerLiteral, value: int) -> None:
        if self.dialect.numeric_literals is NumericLiterals.QPID_CPP and not -(2**63) <= value < 2**63:
            hint = "write it as a floating point number, with .0 at the end"
            self.report("syntax.number-range", f"{value} is outside 64 signed bits", node.span, hint)

    def _sign(self, node: ast.Sign) -> None:
        operand, title = node.operand, self.dialect.title
        bare = isinstance(operand, (ast.Identifier, *_LITERALS)) and not self._text(operand).startswith(("-", "+"))
        match self.dialect.signs:
            case Signs.BEFORE_PRIMARY if not (bare or self._in_parentheses(operand)) and isinstance(
                operand, (ast.Sign, *_LITERALS)
            ):
                self.report("type.sign", f"{title} takes one sign in a row", operand.span, "use parentheses")
            case Signs.PLUS_BEFORE_PRIMARY if node.operator is ast.Arithmetic.ADD:
                if not bare or self._in_parentheses(operand):
                    message = f"a unary plus of {title} stands before a name or a literal only"
                    self.report("type.sign", message, node.span, "remove it")
            case _:
                pass

    def _tested(self, operand: ast.Expression, operator: str, tested: OperandForm) -> None:
        match tested:
            case OperandForm.NAME:
                fits = isinstance(_without_plus(operand), ast.Identifier)
            case OperandForm.BARE_NAME:
                fits = isinstance(operand, ast.Identifier) and not self._in_parentheses(operand)
            case OperandForm.ANY:
                fits = not (isinstance(operand, ast.NullLiteral) and self.dialect.operand_kinds is StaticTyping.ANY)
        if not fits:
            message = f"{self.dialect.title} takes {tested.value} on the left of {operator}"
            self.report("type.not-a-name", message, operand.span, "qpid-cpp takes any expression")

    def _member(self, member: ast.Expression) -> None:
        if not isinstance(member, ast.StringLiteral) or self._in_parentheses(member):
            hint = "join comparisons with OR; the dialects qpid-cpp and rabbitmq take any expression"
            if isinstance(member, ast.Identifier):
                hint = f"text goes into single quotes: '{member.name}'; {hint}"
            self.report("type.in-member", f"IN of {self.dialect.title} lists string literals", member.span, hint)

    def _pattern(self, node: ast.Like) -> None:
        escape, rule, title = node.escape, self.dialect.escapes, self.dialect.title
        if escape is not None:
            text = escape.value
            match rule:
                case Escapes.ONE_CODE_POINT:
                    fits = len(text) == 1
                case Escapes.BEFORE_WILDCARDS | Escapes.AFTER_COLLAPSE:
                    fits = len(text) == 1 and ord(text) <= 0xFFFF
                case Escapes.VANISHING:
                    fits = len(text.encode()) <= 1 and text not in ("%", "_")
                case Escapes.LITERAL_AT_END:
                    fits = len(text.encode()) == 1
            if not fits:
                self.report("syntax.escape", _escape_taken(rule, title), escape.span, "write for example ESCAPE '!'")
                return
        try:
            read_pattern(node.pattern.value, escape.value if escape else None, rule)
        except PatternError as error:
            hint = "write the escape character twice to mean itself"
            self.report("syntax.pattern", str(error), node.pattern.span, hint)
        if self.dialect.wildcards is Wildcards.LINES and any(map(is_control, node.pattern.value)):
            message = f"a pattern of {title} has no control characters"
            self.report("syntax.pattern", message, node.pattern.span, "compare with = for such a text")

    def _call(self, node: ast.Call) -> None:
        if node.function == "UTC" and self.dialect.has(Extension.UTC):
            if node.arguments:
                self.report("type.arguments", "UTC() has no arguments", node.span, None)
            return
        bounds = FUNCTIONS.get(node.function)
        if bounds is None:
            near = nearest(node.function, FUNCTIONS)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(FUNCTIONS)}"
            self.report("type.function", f"there is no function {node.function}", node.span, hint)
            return
        least, most = bounds
        count = len(node.arguments)
        if count < least or (most is not None and count > most):
            needed = f"{least}" if most == least else f"{least} to {most}"
            self.report("type.arguments", f"{node.function} takes {needed} arguments, not {count}", node.span, None)
        for argument in node.arguments:
            if isinstance(argument, ast.Calculate) and not self._in_parentheses(argument):
                hint = "put it into parentheses"
                self.report("type.arguments", "an argument is no arithmetic expression", argument.span, hint)

    # ActiveMQ's parser builds objects, and asks them what they are

    def _activemq_condition(self, node: ast.Expression) -> None:
        inner = _without_plus(node)
        if isinstance(inner, (ast.Identifier, ast.BooleanLiteral, ast.NullLiteral, *_TESTS)):
            return
        if isinstance(inner, ast.Call) and inner.function in BOOLEAN_FUNCTIONS:
            return
        self._not_a_condition(node)

    def _not_a_condition(self, node: ast.Expression) -> None:
        hint = "compare it, for example with > 0"
        self.report("type.not-a-condition", f"{self._text(node)} is not a condition", node.span, hint)

    def _activemq(self, node: ast.Expression) -> None:
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                for term in terms:
                    self._activemq_condition(term)
            case ast.Not(operand=operand):
                self._activemq_condition(operand)
            case ast.Compare(operator=operator, left=left, right=right) if operator.is_equality:
                self._activemq_equality(node, _without_plus(left), _without_plus(right))
            case ast.Compare(left=left, right=right):
                for side in (left, right):
                    self._activemq_ordered(side)
            case ast.Between(operand=operand, low=low, high=high):
                for side in (operand, low, high):
                    self._activemq_ordered(side)
            case _:
                pass

    def _activemq_equality(self, node: ast.Compare, left: ast.Expression, right: ast.Expression) -> None:
        for side in (left, right):
            if isinstance(side, ast.NullLiteral):
                self.report("type.null", "nothing equals NULL", side.span, "write IS NULL or IS NOT NULL")
                return
        if isinstance(left, ast.BooleanLiteral) and isinstance(
            right, (ast.StringLiteral, ast.IntegerLiteral, ast.FloatLiteral)
        ):
            message = f"{self.dialect.title} does not compare {self._text(left)} with another literal"
            self.report("type.unlike", message, node.span, "exchange the sides; it is never true then")

    def _activemq_ordered(self, side: ast.Expression) -> None:
        inner = _without_plus(side)
        is_condition = isinstance(inner, _TESTS) or (
            isinstance(inner, ast.Call) and inner.function in BOOLEAN_FUNCTIONS
        )
        if is_condition or isinstance(inner, ast.StringLiteral | ast.BooleanLiteral | ast.NullLiteral):
            hint = "strings and booleans compare with = and <> only"
            self.report("type.ordering", f"an ordering takes no {self._text(side)}", side.span, hint)

    # RabbitMQ's JMS client gives every expression a type

    def _kind(self, node: ast.Expression) -> Kind:
        match node:
            case ast.Identifier(name=name):
                return self._field_kind(self.dialect.fields.find(name))
            case ast.StringLiteral():
                return Kind.STRING
            case ast.IntegerLiteral() | ast.FloatLiteral():
                return Kind.NUMBER
            case ast.BooleanLiteral():
                return Kind.CONDITION
            case ast.Sign(operand=operand):
                return self._needs(Kind.NUMBER, Kind.NUMBER, operand)
            case ast.Calculate(left=left, right=right):
                return self._needs(Kind.NUMBER, Kind.NUMBER, left, right)
            case ast.Compare(operator=operator, left=left, right=right) if operator.is_equality:
                kinds = {self._kind(left), self._kind(right)} - {Kind.ANY}
                if Kind.WRONG in kinds:
                    return Kind.WRONG
                if len(kinds) > 1:
                    self._wrong(node, "compares values of two types")
                    return Kind.WRONG
                return Kind.CONDITION
            case ast.Compare(left=left, right=right):
                return self._needs(Kind.NUMBER, Kind.CONDITION, left, right)
            case ast.Between(operand=operand, low=low, high=high):
                return self._needs(Kind.NUMBER, Kind.CONDITION, operand, low, high)
            case ast.In(operand=operand) | ast.Like(operand=operand):
                return self._needs(Kind.STRING, Kind.CONDITION, operand)
            case ast.Not(operand=operand):
                return self._needs(Kind.CONDITION, Kind.CONDITION, operand)
            case ast.And(terms=terms) | ast.Or(terms=terms):
                return self._needs(Kind.CONDITION, Kind.CONDITION, *terms)
            case _:
                return Kind.CONDITION

    def _needs(self, kind: Kind, result: Kind, *operands: ast.Expression) -> Kind:
        kinds = [self._kind(operand) for operand in operands]
        for operand, own in zip(operands, kinds, strict=True):
            if own not in (kind, Kind.ANY, Kind.WRONG):
                self._wrong(operand, f"is {own.value}, and {kind.value} is wanted")
                return Kind.WRONG
        return Kind.WRONG if Kind.WRONG in kinds else result

    def _wrong(self, node: ast.Expression, what: str) -> None:
        self.report("type.unlike", f"{self._text(node)} {what}", node.span, f"{self.dialect.title} checks all types")

    def _field_kind(self, field: HeaderField | None) -> Kind:
        if field is None:
            return Kind.ANY
        return Kind.STRING if field.type is OperandType.STRING else Kind.NUMBER

    def _in_parentheses(self, node: ast.Expression) -> bool:
        """Return True if the node's first parenthesis closes at the node's end."""
        text, depth = self._text(node), 0
        if not text.startswith("("):
            return False
        for place, character in enumerate(text):
            depth += (character == "(") - (character == ")")
            if depth == 0:
                return place == len(text) - 1
        return False

    def _text(self, node: ast.Expression) -> str:
        return self.source.text[node.span.start : node.span.end]


def _escape_taken(rule: Escapes, title: str) -> str:
    match rule:
        case Escapes.BEFORE_WILDCARDS | Escapes.AFTER_COLLAPSE:
            return f"ESCAPE of {title} takes one character in quotes, of the Basic Multilingual Plane"
        case Escapes.VANISHING:
            return f"ESCAPE of {title} takes one ASCII character in quotes, no % and no _"
        case Escapes.LITERAL_AT_END:
            return f"ESCAPE of {title} takes one ASCII character in quotes"
        case Escapes.ONE_CODE_POINT:
            return f"ESCAPE of {title} takes one character in quotes"


def _without_plus(node: ast.Expression) -> ast.Expression:
    """Strip unary pluses, which every Java broker ignores."""
    while isinstance(node, ast.Sign) and node.operator is ast.Arithmetic.ADD:
        node = node.operand
    return node
