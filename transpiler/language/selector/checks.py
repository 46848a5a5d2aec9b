"""Checks after parsing: errors for constructs that the common grammar accepts but the dialect rejects.

This module checks the syntactic form of the operands of tests, the members of lists, signs, patterns and calls, and the
range of integers. ``static_typing`` checks the types of operands. All errors of a tree are reported, not just the
first, in the order of the text.
"""

from __future__ import annotations

from transpiler.base.diagnostics import Diagnostic, Fix, nearest, shortened
from transpiler.base.errors import SelectorSyntaxError, SelectorTypeError, UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import (
    BetweenMeaning,
    Extension,
    IntegerArithmetic,
    ListMember,
    NotBinding,
    NumericLiterals,
    OperandForm,
    Signs,
    UnaryPlus,
)
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.numbers import floating_literal
from transpiler.language.selector.static_typing import (
    FUNCTIONS,
    check_types,
    describe,
    not_before,
    without_plus,
)
from transpiler.message.header_fields import DELIVERY_MODES, Conversion

#: The classes of nodes that every dialect accepts in any position that the grammar allows.
_ANY_FORM = frozenset({ast.Identifier, ast.StringLiteral, ast.FloatLiteral, ast.Compare, ast.And, ast.Or})
#: The syntaxes of numeric literals whose lexer accepts integers of more than 64 bits, so that ``check`` must reject
#: them.
_LONG_INTEGERS = (NumericLiterals.JAVA, NumericLiterals.QPID_CPP)
#: The kinds of arithmetic whose integers have at most 64 bits.
_LONG_ARITHMETIC = (IntegerArithmetic.LONG, IntegerArithmetic.WRAP_LONG)
#: For each operator that in ``jms`` accepts only a name on its left: a phrase for hints about the dialects that accept
#: more.
_ANY_OPERAND = {
    "IN": "the dialects qpid-cpp and rabbitmq accept any expression",
    "LIKE": "all dialects except jms and rabbitmq-jms accept any expression",
    "IS NULL": "the dialects activemq, artemis, qpid-java and qpid-cpp accept any expression",
}


def check(tree: ast.Expression, source: Source, dialect: Dialect = JMS) -> None:
    """Raise an error if ``dialect`` rejects ``tree``, which the grammar has accepted.

    Raises ``SelectorTypeError`` for operands of a wrong type or form, ``SelectorSyntaxError`` for a literal, and
    ``UnsupportedFeatureError`` for a header field that only the broker can read.
    """
    checker = _Checker(dialect, source)
    checker.selector(tree)
    if checker.findings:
        findings = sorted(checker.findings, key=_order)
        literal = findings[0].code.startswith("syntax.")
        raise (SelectorSyntaxError if literal else SelectorTypeError)(findings)
    unreadable = dialect.fields.unreadable
    for node in ast.walk(tree) if unreadable else ():
        if isinstance(node, ast.Identifier) and node.name in unreadable:
            message = f"{node.name} cannot be read: it is {unreadable[node.name]}"
            hint = "perhaps rename the column that contains the property, and compare the new name"
            raise UnsupportedFeatureError.at("name.unreadable", message, source, node.span, hint)


def _order(finding: Diagnostic) -> tuple[Span, bool]:
    """Return the sort key of the error ``finding``: its span. At the same span, type errors precede syntax errors."""
    return finding.span or Span(0, 0), finding.code.startswith("syntax.")


class _Checker:
    """The check of one tree under the rules of one dialect."""

    def __init__(self, dialect: Dialect, source: Source) -> None:
        self.dialect = dialect
        self.source = source
        self.findings: list[Diagnostic] = []
        #: For each IN node, by its ``id``, the equivalent comparisons as text, such as ``a = 1 OR a = 2``. An empty
        #: text means that a member of the list is not a literal.
        self._joined_lists: dict[int, str] = {}

    def report(self, code: str, message: str, span: Span, hint: str | None = None, fix: Fix | None = None) -> None:
        self.findings.append(Diagnostic(code, "error", message, self.source, span, hint, fix))

    def selector(self, tree: ast.Expression) -> None:
        """Check a whole tree: the form of each node, then the types of the operands."""
        if isinstance(tree, ast.ConvertStrings):
            tree = tree.condition
        nodes = list(ast.walk(tree))
        for node in nodes:
            if type(node) not in _ANY_FORM:
                self._form(node)
        check_types(nodes, self.dialect, self.source, self.report)

    def _form(self, node: ast.Expression) -> None:
        match node:
            case ast.IntegerLiteral(value=value) if not -(2**63) <= value < 2**63:
                long = self.dialect.numeric_literals in _LONG_INTEGERS
                if long or self.dialect.integer_arithmetic in _LONG_ARITHMETIC:
                    floating = floating_literal(self.dialect.numeric_literals, value)
                    fix = None if floating is None else Fix(floating)
                    advice = "write the integer as a floating point number, with .0 at the end"
                    hint = None if floating is None else f"{advice}: {floating}"
                    self.report(
                        "syntax.number-range",
                        f"{value} is outside the range of a signed 64-bit integer",
                        node.span,
                        hint,
                        fix,
                    )
            case ast.Between(operand=operand, low=low, high=high) if (
                self.dialect.between_meaning is BetweenMeaning.ABSENT
            ):
                tested, lower, upper = (self._text(part) for part in (operand, low, high))
                written = f"{tested} >= {lower} AND {tested} <= {upper}"
                if node.negated:
                    written = f"({tested} < {lower} OR {tested} > {upper})"
                message, fix = f"{self.dialect.title} has no BETWEEN", Fix(written)
                self.report("syntax.unexpected-token", message, node.span, f"write {written}", fix)
            case ast.In(operand=operand, members=members):
                self._tested(operand, "IN", self.dialect.in_operand_form, node)
                if self.dialect.list_member is not ListMember.ANY:
                    for member in members:
                        self._member(member, node)
            case ast.Like(operand=operand):
                self._tested(operand, "LIKE", self.dialect.like_operand_form, node)
                # Imported here because only a selector with LIKE needs the module.
                from transpiler.language.selector.pattern_checks import check_pattern

                check_pattern(node, self.dialect, self.source, self.report)
            case ast.IsNull(operand=operand):
                self._tested(operand, "IS NULL", self.dialect.null_operand_form, node)
            case ast.Sign() if self.dialect.signs is not Signs.ANY:
                self._sign(node)
            case ast.Not(operand=ast.Not() as inner) if self.dialect.not_binding is NotBinding.LOOSE_ONCE:
                if not self._in_parentheses(inner):
                    hint, fix = "put the inner NOT into parentheses", Fix(f"({self._text(inner)})")
                    message = f"{self.dialect.title} does not accept two NOT in a row"
                    self.report("type.not-twice", message, inner.span, hint, fix)
            case ast.Call():
                self._call(node)
            case _:
                pass

    def _sign(self, node: ast.Sign) -> None:
        operand, title = node.operand, self.dialect.title
        bare = isinstance(operand, (ast.Identifier, *ast.LITERALS)) and not self._text(operand).startswith(("-", "+"))
        match self.dialect.signs:
            case Signs.BEFORE_PRIMARY if not (bare or self._in_parentheses(operand)) and isinstance(
                operand, (ast.Sign, *ast.LITERALS)
            ):
                message, fix = f"{title} does not accept two signs in a row", Fix(f"({self._text(operand)})")
                self.report(
                    "type.sign", message, operand.span, "put the second sign and its operand into parentheses", fix
                )
            case Signs.PLUS_BEFORE_PRIMARY if node.operator is ast.Arithmetic.ADD:
                if not bare or self._in_parentheses(operand):
                    message = f"{title} accepts a unary plus only before a name or a literal"
                    self.report("type.sign", message, node.span, "remove the sign", Fix(self._text(operand)))
            case _:
                pass

    def _tested(self, operand: ast.Expression, operator: str, form: OperandForm, test: ast.Expression) -> None:
        """Report the left operand of IN, LIKE or IS NULL if the dialect does not allow this kind of expression.

        ``form`` is the dialect's rule; the standard allows only an identifier. ``test`` is the whole test, and
        ``operator`` its name in the message.
        """
        if form is OperandForm.ANY:
            return
        inner = without_plus(operand) if self.dialect.unary_plus is UnaryPlus.NOTHING else operand
        of_negation = not_before(operand, test, self.source.text)
        if form is OperandForm.NAME and not isinstance(inner, ast.Identifier):
            message = f"the left side of {operator} must be the name of a property, but this is {describe(operand)}"
            advice = of_negation or self._exchanged(test) or (_ANY_OPERAND[operator], None)
            self.report("type.not-a-name", message, operand.span, *advice)
        elif form is OperandForm.BARE_NAME and (
            not isinstance(operand, ast.Identifier) or self._in_parentheses(operand)
        ):
            message = f"{self.dialect.title} accepts only {form.value} on the left of {operator}"
            advice = of_negation or ("the dialect qpid-cpp accepts any expression", None)
            self.report("type.not-a-name", message, operand.span, *advice)

    def _exchanged(self, test: ast.Expression) -> tuple[str, Fix] | None:
        """Return a hint and a fix for an IN whose list contains names: ``'a' IN (x, y)`` → ``(x = 'a' OR y = 'a')``.

        Return None if ``test`` is not an IN, or if its list contains anything but names.
        """
        if not isinstance(test, ast.In) or not all(isinstance(member, ast.Identifier) for member in test.members):
            return None
        sign, joint = ("<>", " AND ") if test.negated else ("=", " OR ")
        text = joint.join(f"{self._text(name)} {sign} {self._text(test.operand)}" for name in test.members)
        written = text if len(test.members) == 1 else f"({text})"
        return f"write {written}", Fix(written, span=ast.bare_span(test, self.source.text))

    def _joined(self, node: ast.In) -> str | None:
        """Return the IN ``node`` as comparisons joined by OR: ``a IN (1, 2)`` → ``a = 1 OR a = 2``.

        Return None if a member of the list is not a literal.
        """
        known = self._joined_lists.get(id(node))
        if known is None:
            # An IN can have thousands of members, each with an error whose hint contains this text, so compute the text
            # once.
            known = self._joined_lists[id(node)] = self._comparisons(node) or ""
        return known or None

    def _comparisons(self, node: ast.In) -> str | None:
        plain = (ast.StringLiteral, ast.IntegerLiteral, ast.FloatLiteral, ast.BooleanLiteral, ast.Sign)
        if not all(isinstance(member, plain) for member in node.members):
            return None
        sign, joint = ("<>", " AND ") if node.negated else ("=", " OR ")
        return f"({joint.join(f'{self._text(node.operand)} {sign} {self._text(one)}' for one in node.members)})"

    def _mode(self, member: ast.Expression, node: ast.In) -> str | None:
        """Return the string literal to suggest for ``member``, the number of a delivery mode.

        Return None if ``member`` is another value, or if the IN ``node`` does not test the delivery mode.
        """
        named = node.operand
        field = self.dialect.fields.find(named.name, named.section) if isinstance(named, ast.Identifier) else None
        if field is None or not field.has_conversion(Conversion.DELIVERY_MODE):
            return None
        modes = {1: DELIVERY_MODES[False], 2: DELIVERY_MODES[True]}
        mode = modes.get(member.value) if isinstance(member, ast.IntegerLiteral) else None
        return None if mode is None else string_literal(mode)

    def _member(self, member: ast.Expression, node: ast.In) -> None:
        bare = self.dialect.list_member is ListMember.BARE_STRING
        if isinstance(member, ast.StringLiteral) and not (bare and self._in_parentheses(member)):
            return
        hint = "perhaps join comparisons with OR; the dialects qpid-cpp and rabbitmq accept any expression"
        what, fix = describe(member), None
        if isinstance(member, ast.StringLiteral):
            hint, what, fix = "remove the parentheses", "a list in parentheses", Fix(string_literal(member.value))
        elif (mode := self._mode(member, node)) is not None:
            hint, fix = f"the delivery modes are strings: write {mode}", Fix(mode)
        elif (joined := self._joined(node)) is not None:
            hint = f"write {shortened(joined, 120)}; the dialects qpid-cpp and rabbitmq accept any expression"
            fix = Fix(joined, span=node.span)
        elif isinstance(member, ast.Identifier):
            fix = Fix(string_literal(member.name))
            hint = f"text goes into single quotes: {fix.text}; {hint}"
        self.report(
            "type.in-member",
            f"the list after IN may contain only string literals, but this is {what}",
            member.span,
            hint,
            fix,
        )

    def _call(self, node: ast.Call) -> None:
        if node.function == "UTC" and self.dialect.has(Extension.UTC):
            if node.arguments:
                self.report("type.arguments", "UTC() accepts no arguments", node.span)
            return
        function = FUNCTIONS.get(node.function)
        if function is None:
            # Imported here because only the error for an unknown function needs the module.
            from transpiler.language.selector.mistakes.functions import operator_for

            near, start = nearest(node.function, FUNCTIONS), node.span.start
            if (found := operator_for(self._text(node))) is not None:
                hint, fix = f"write {found[1]}", Fix(found[1], span=node.span)
            elif near:
                hint, fix = f"did you mean {near[0]}?", Fix(near[0], span=Span(start, start + len(node.function)))
            else:
                hint, fix = f"the functions are {', '.join(FUNCTIONS)}", None
            self.report("type.function", f"there is no function {node.function}", node.span, hint, fix)
            return
        least, most = function.least, function.most
        count = len(node.arguments)
        if count < least or (most is not None and count > most):
            needed = f"{least}" if most == least else f"{least} to {most}" if most is not None else f"at least {least}"
            plural = "s" if (most or least) > 1 else ""
            self.report("type.arguments", f"{node.function} takes {needed} argument{plural}, not {count}", node.span)
        for argument in node.arguments:
            if isinstance(argument, ast.Calculate) and not self._in_parentheses(argument):
                hint, fix = "put the expression into parentheses", Fix(f"({self._text(argument)})")
                self.report(
                    "type.arguments", "an argument cannot be an arithmetic expression", argument.span, hint, fix
                )

    def _in_parentheses(self, node: ast.Expression) -> bool:
        """Return True if the text of ``node`` is enclosed in one pair of parentheses."""
        text, depth = self._text(node), 0
        if not text.startswith("("):
            return False
        for index, character in enumerate(text):
            depth += (character == "(") - (character == ")")
            if depth == 0:
                return index == len(text) - 1
        return False

    def _text(self, node: ast.Expression) -> str:
        return self.source.text[node.span.start : node.span.end]
