"""Static checks of operand types, as the dialect's broker makes them before it reads a message; arities of functions.

Jakarta Messaging 3.8.1.2 lists the types that can be compared. The types of properties are known only at evaluation, so
the checks concern literals and conditions. ActiveMQ's parser makes some of these checks, by the classes of its objects.
RabbitMQ's JMS client infers a type for every expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Fix
from transpiler.base.source import Source, Span
from transpiler.base.times import iso_time
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import StaticTyping, UnaryPlus
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.numbers import spelled_number
from transpiler.message.operand_types import OperandType


class Arity(NamedTuple):
    """The number of arguments of a function, from the minimum to the maximum (None for no maximum).

    If ``is_condition`` is True, a call of the function is a condition by itself.
    """

    least: int
    most: int | None
    is_condition: bool = False


FUNCTIONS: Mapping[str, Arity] = MappingProxyType(
    {
        "REGEX": Arity(2, 2, is_condition=True),
        "INLIST": Arity(2, 2, is_condition=True),
        "MAKELIST": Arity(1, None),
        "SPLIT": Arity(2, 3),
        "REPLACE": Arity(3, 3),
    }
)


def is_condition(function: str) -> bool:
    """Return True if a call of the function named ``function`` is a condition."""
    return function in FUNCTIONS and FUNCTIONS[function].is_condition


#: Callback that reports an error: its arguments are code, message, span, hint and fix.
Report = Callable[[str, str, Span, str | None, Fix | None], None]

#: A number with the same value in all dialects. It has no leading zero, which would make it octal in some dialects.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]+)?")

_TESTS = frozenset({ast.Compare, ast.Between, ast.In, ast.Like, ast.IsNull, ast.BodyQuery, ast.Not, ast.And, ast.Or})
_CONDITIONS = _TESTS | {ast.Identifier, ast.BooleanLiteral, ast.NullLiteral}
_NOT_NUMBERS = _TESTS | {ast.StringLiteral, ast.BooleanLiteral, ast.NullLiteral}
#: The classes of nodes whose operands must have a certain type.
_TYPED_OPERANDS = frozenset({ast.Compare, ast.And, ast.Or, ast.Not, ast.Between, ast.Sign, ast.Calculate})
_PLAIN_LITERALS = (ast.StringLiteral, ast.IntegerLiteral, ast.FloatLiteral, ast.BooleanLiteral)


def check_types(nodes: Sequence[ast.Expression], dialect: Dialect, source: Source, report: Report) -> None:
    """Report operands of the wrong type; ``nodes`` contains all nodes of a tree, the root first."""
    match dialect.static_typing:
        case StaticTyping.CHECKED | StaticTyping.ACTIVEMQ:
            checker = _LiteralTypes(dialect, source, report)
            checker.condition(nodes[0])
            for node in nodes:
                if type(node) in _TYPED_OPERANDS:
                    checker.operands(node)
        case StaticTyping.TYPED:
            inferred = _Inference(dialect, source, report).type_of(nodes[0])
            if inferred in (_Type.NUMBER, _Type.STRING):
                _report_condition(nodes[0], inferred.value, report)
        case StaticTyping.ANY:
            pass


def describe(node: ast.Expression) -> str:
    """Return the kind of an expression, in words for an error."""
    match node:
        case ast.StringLiteral():
            return "a string"
        case ast.BooleanLiteral():
            return "a boolean"
        case ast.IntegerLiteral() | ast.FloatLiteral():
            return "a number"
        case ast.NullLiteral():
            return "NULL"
        case ast.BinaryLiteral():
            return "a binary string"
        case ast.Sign() | ast.Calculate():
            return "an arithmetic expression"
        case ast.Identifier():
            return "a name"
        case ast.Call(function=function) if not is_condition(function):
            return "a function call"
        case _:
            return "a condition"


def without_plus(node: ast.Expression) -> ast.Expression:
    """Return the operand of ``node`` if ``node`` is a unary plus (or several); otherwise ``node`` unchanged."""
    while isinstance(node, ast.Sign) and node.operator is ast.Arithmetic.ADD:
        node = node.operand
    return node


def not_before(operand: ast.Expression, test: ast.Expression, text: str) -> tuple[str, Fix] | None:
    """Return a hint and a fix if ``operand``, the left operand of ``test``, is a NOT, as in ``NOT a LIKE 'b'``.

    In this dialect the NOT negates only the name; the fix adds parentheses. Return None for any other operand.
    """
    if not isinstance(operand, ast.Not) or text[operand.span.start] == "(":
        return None
    span = ast.bare_span(test, text)
    written = f"NOT ({text[operand.operand.span.start : span.end]})"
    return f"NOT applies only to the name: write {written}", Fix(written, span=span)


#: The beginning of a string literal whose value looks like a condition.
_CONDITION = re.compile(r"\s*\(*[\w.$]+\s*(?:[=<>!]|(?:NOT\s+)?(?:LIKE|IN|IS|BETWEEN)\b)", re.IGNORECASE)


def _report_condition(node: ast.Expression, kind: str, report: Report) -> None:
    if isinstance(node, ast.StringLiteral) and _CONDITION.match(node.value):
        hint = f"write the condition without the quotes: {node.value}"
        report("type.not-a-condition", f"{kind} is not a condition", node.span, hint, Fix(node.value))
        return
    example = "color = 'blue'" if isinstance(node, ast.StringLiteral) else "with > 0"
    report(
        "type.not-a-condition",
        f"{kind} is not a condition",
        node.span,
        f"a condition is a comparison such as {example}",
        None,
    )


def _number_fix(node: ast.Expression) -> Fix | None:
    """Return a fix that replaces a string literal by its number: ``'5'`` → ``5``, a time → its milliseconds.

    Return None if ``node`` is not a string literal with a number or a time.
    """
    if not isinstance(node, ast.StringLiteral):
        return None
    text = node.value.strip()
    # Do not use Python's ``float``, because it also accepts texts such as ``nan`` and ``1_000``, which are not
    # literals.
    if _NUMBER.fullmatch(text):
        return Fix(text, certain=True)
    spelled, time = spelled_number(node.value), iso_time(node.value)
    return Fix(spelled) if spelled is not None else None if time is None else Fix(str(time))


def _number_hint(node: ast.Expression) -> str | None:
    if isinstance(node, ast.StringLiteral):
        number = spelled_number(node.value)
        if number is not None:
            return f"write a number without quotes: {number}"
        time = iso_time(node.value)
        return None if time is None else f"a time is a number of milliseconds since 1970-01-01: {time}"
    return None


class _LiteralTypes:
    """The type checks of literals and conditions: all that the standard requires, or those that ActiveMQ makes."""

    def __init__(self, dialect: Dialect, source: Source, report: Report) -> None:
        self.source = source
        self.title = dialect.title
        self.standard = dialect.static_typing is StaticTyping.CHECKED
        self.plus_is_nothing = dialect.unary_plus is UnaryPlus.NOTHING
        self.report = report

    def condition(self, node: ast.Expression, before: ast.Expression | None = None, is_either: bool = False) -> None:
        """Report ``node``, a whole selector or a term of AND, OR or NOT, if it is not a condition.

        Jakarta Messaging 3.8.1.2: "A selector is a conditional expression". ``before`` is the previous term. If
        ``node`` is a mere value, as in ``a = 1 OR 2``, the hint repeats the operator of ``before``. ``is_either`` is
        True for OR.
        """
        inner = self._operand(node)
        if _is_one_of(inner, _CONDITIONS):
            return
        tested = self._tested_before(before, is_either) if isinstance(inner, _PLAIN_LITERALS) else None
        if tested is None:
            _report_condition(node, describe(node), self.report)
        else:
            written = f"{tested} {self._written(node)}"
            message = f"{describe(node)} is not a condition"
            hint = f"repeat the name before each value: write {written}"
            self.report("type.not-a-condition", message, node.span, hint, Fix(written))

    def _tested_before(self, node: ast.Expression | None, is_either: bool) -> str | None:
        """Return the test ``node`` up to its literal, for a hint that repeats it: ``a =`` of ``a = 1 OR 2``.

        Return None if ``node`` is not a LIKE or a comparison of a name with a literal. Return None also for an equality
        before AND, because no value equals two literals.
        """
        match node:
            case ast.Compare(left=ast.Identifier() as name, operator=operator, right=right):
                is_open = is_either or operator is not Comparison.EQ
                return (
                    f"{self._written(name)} {operator.value}"
                    if is_open and isinstance(right, _PLAIN_LITERALS)
                    else None
                )
            case ast.Like(operand=ast.Identifier() as name, negated=negated):
                return f"{self._written(name)} {'NOT ' * negated}LIKE"
        return None

    def _values_for_conditions(self, node: ast.Compare) -> None:
        """Report an equality whose right side is an OR of values, as in ``color = ('red' OR 'blue')``."""
        match node.left, node.right:
            case ast.Identifier() as name, ast.Or(terms=terms) if node.operator is Comparison.EQ:
                if all(isinstance(term, ast.StringLiteral) for term in terms):
                    written = f"{self._written(name)} IN ({', '.join(map(self._written, terms))})"
                elif not any(_is_one_of(term, _CONDITIONS) for term in terms) and all(map(_literal_kind, terms)):
                    written = (
                        "(" + " OR ".join(f"{self._written(name)} = {self._written(term)}" for term in terms) + ")"
                    )
                else:
                    return
                message = "OR joins conditions, but its operands here are values"
                self.report("type.not-a-condition", message, node.span, f"write {written}", Fix(written))

    def _written(self, node: ast.Expression) -> str:
        return self.source.text[node.span.start : node.span.end]

    def operands(self, node: ast.Expression) -> None:
        """Check the types of the operands of ``node``."""
        match node:
            case ast.Compare(operator=operator, left=left, right=right):
                self._values_for_conditions(node)
                if not operator.is_equality:
                    self._ordered(left, operator.value, node)
                    self._ordered(right, operator.value, node)
                elif self.standard:
                    self._equality(node)
                else:
                    self._activemq_equality(node)
            case ast.And(terms=terms) | ast.Or(terms=terms):
                for before, term in zip((None, *terms[:-1]), terms, strict=True):
                    self.condition(term, before, isinstance(node, ast.Or))
            case ast.Not(operand=operand):
                self.condition(operand)
            case ast.Between(operand=operand, low=low, high=high):
                for part in (operand, low, high):
                    if self.standard:
                        self._number(part, "BETWEEN")
                    else:
                        self._ordered(part, "BETWEEN", node)
            case ast.Sign(operator=sign, operand=operand) if self.standard:
                self._number(operand, f"a unary {sign.value}")
            case ast.Calculate(operator=arithmetic, left=left, right=right) if self.standard:
                self._number(left, arithmetic.value)
                self._number(right, arithmetic.value)
            case _:
                pass

    def _ordered(self, node: ast.Expression, operator: str, test: ast.Compare | ast.Between) -> None:
        """Report the operand ``node`` of <, <=, >, >= or BETWEEN if it has no order: a string or a boolean.

        ``operator`` is the operator's name in the message, and ``test`` the whole test. Jakarta Messaging 3.8.1.2:
        "String and Boolean comparison is restricted to = and <>".
        """
        inner = self._operand(node)
        if _is_one_of(inner, _NOT_NUMBERS):
            hint = _number_hint(node) or "strings and booleans can only be compared with = and <>"
            hint, fix = not_before(node, test, self.source.text) or (hint, _number_fix(node))
            message = f"{operator} cannot order {describe(inner)}"
            self.report("type.ordering", message, node.span, hint, fix)

    def _number(self, node: ast.Expression, operator: str) -> None:
        """Report the operand ``node`` of arithmetic or BETWEEN if it cannot be a number, such as a string literal.

        ``operator`` is the operator's name in the message.
        """
        if _is_one_of(node, _NOT_NUMBERS):
            message = f"{operator} requires numbers, but this is {describe(node)}"
            self.report("type.not-a-number", message, node.span, _number_hint(node), _number_fix(node))

    def _equality(self, node: ast.Compare) -> None:
        """Report an equality of two literals of unlike types.

        Jakarta Messaging: "Only like type values can be compared".
        """
        left = _literal_kind(node.left)
        right = _literal_kind(node.right) if left is not None else None
        if right is not None and left != right:
            message = f"{node.operator.value} requires operands of the same kind, but these are {left} and {right}"
            self.report(
                "type.unlike", message, node.span, "perhaps compare a property with a literal of its own type", None
            )

    def _activemq_equality(self, node: ast.Compare) -> None:
        left, right = self._operand(node.left), self._operand(node.right)
        for side, other in ((left, node.right), (right, node.left)):
            if isinstance(side, ast.NullLiteral):
                test = "IS NULL" if node.operator is Comparison.EQ else "IS NOT NULL"
                hint, fix = "IS NULL and IS NOT NULL test for a missing property", None
                if isinstance(other, ast.Identifier):
                    written = f"{self.source.text[other.span.start : other.span.end]} {test}"
                    hint, fix = (
                        f"write {written}",
                        Fix(written, certain=True, span=ast.bare_span(node, self.source.text)),
                    )
                self.report("type.null", "nothing equals NULL", side.span, hint, fix)
                return
        # RabbitMQ's JMS client parses a negative number as an expression, so it does not count as a literal.
        literal = isinstance(right, ast.StringLiteral) or (
            isinstance(right, ast.IntegerLiteral | ast.FloatLiteral) and not str(right.value).startswith("-")
        )
        if isinstance(left, ast.BooleanLiteral) and literal:
            message = f"{self.title} cannot compare a boolean with {describe(right)}"
            self.report(
                "type.unlike",
                message,
                node.span,
                "with the sides exchanged, the comparison is accepted, but is never true",
                None,
            )

    def _operand(self, node: ast.Expression) -> ast.Expression:
        return without_plus(node) if self.plus_is_nothing else node


def _is_one_of(node: ast.Expression, conditions: frozenset[type]) -> bool:
    """Return True if the class of ``node`` is in ``conditions``, or if it calls a function that is a condition."""
    return type(node) in conditions or (isinstance(node, ast.Call) and is_condition(node.function))


def _literal_kind(node: ast.Expression) -> str | None:
    """Return the kind of a literal; a number may have signs before it. Return None for any other expression."""
    inner = node
    while isinstance(inner, ast.Sign):
        inner = inner.operand
    if not isinstance(inner, _PLAIN_LITERALS):
        return None
    kind = describe(inner)
    return kind if inner is node or kind == "a number" else None


class _Type(Enum):
    """The inferred type of an expression; the value is the phrase for errors."""

    CONDITION = "a condition"
    NUMBER = "a number"
    STRING = "a string"
    #: The type of a property, which is known only at evaluation.
    ANY = "anything"
    #: The type of an expression whose error has been reported already. No further error is reported about it.
    ERROR = "nothing"


_FIELD_TYPES = {OperandType.STRING: _Type.STRING, OperandType.BOOLEAN: _Type.CONDITION}


class _Inference:
    """The type checks of RabbitMQ's JMS client, which infers the types of all expressions from the leaves up."""

    def __init__(self, dialect: Dialect, source: Source, report: Report) -> None:
        self.dialect = dialect
        self.source = source
        self.report = report

    def type_of(self, node: ast.Expression) -> _Type:
        """Return the inferred type of ``node``, and report the operands inside it that have the wrong type."""
        match node:
            case ast.Identifier(name=name, section=section):
                field = self.dialect.fields.find(name, section)
                return _Type.ANY if field is None else _FIELD_TYPES.get(field.type, _Type.NUMBER)
            case ast.StringLiteral():
                return _Type.STRING
            case ast.IntegerLiteral() | ast.FloatLiteral():
                return _Type.NUMBER
            case ast.BooleanLiteral():
                return _Type.CONDITION
            case ast.Sign(operand=operand):
                return self._expect(_Type.NUMBER, _Type.NUMBER, operand)
            case ast.Calculate(left=left, right=right):
                return self._expect(_Type.NUMBER, _Type.NUMBER, left, right)
            case ast.Compare(operator=operator, left=left, right=right) if operator.is_equality:
                types = {self.type_of(left), self.type_of(right)} - {_Type.ANY}
                if _Type.ERROR in types:
                    return _Type.ERROR
                if len(types) > 1:
                    self._report(node, "compares values of different types")
                    return _Type.ERROR
                return _Type.CONDITION
            case ast.Compare(left=left, right=right):
                return self._expect(_Type.NUMBER, _Type.CONDITION, left, right)
            case ast.Between(operand=operand, low=low, high=high):
                return self._expect(_Type.NUMBER, _Type.CONDITION, operand, low, high)
            case ast.In(operand=operand) | ast.Like(operand=operand):
                return self._expect(_Type.STRING, _Type.CONDITION, operand)
            case ast.Not(operand=operand):
                return self._expect(_Type.CONDITION, _Type.CONDITION, operand)
            case ast.And(terms=terms) | ast.Or(terms=terms):
                return self._expect(_Type.CONDITION, _Type.CONDITION, *terms)
            case _:
                return _Type.CONDITION

    def _expect(self, expected: _Type, result: _Type, *operands: ast.Expression) -> _Type:
        types = [self.type_of(operand) for operand in operands]
        for operand, own in zip(operands, types, strict=True):
            if own not in (expected, _Type.ANY, _Type.ERROR):
                self._report(operand, f"has the type {own.value}, but {expected.value} is required")
                return _Type.ERROR
        return _Type.ERROR if _Type.ERROR in types else result

    def _report(self, node: ast.Expression, problem: str) -> None:
        text = self.source.text[node.span.start : node.span.end]
        self.report("type.unlike", f"{text} {problem}", node.span, f"{self.dialect.title} checks all types", None)
