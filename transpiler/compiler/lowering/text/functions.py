"""Lowering of the functions of ActiveMQ and of the SQL filter.

A regular expression must be a literal, because an invalid expression in a row would fail the Spark job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.regex.cost import TOO_MANY
from transpiler.base.regex.search import SearchLimitError, compile_regular, parse_replacement
from transpiler.base.regex.syntax import RegexError
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.lowering.comparison.comparison import equals
from transpiler.compiler.lowering.names.names import time_of
from transpiler.compiler.lowering.operands import (
    Alternative,
    Operand,
    complement,
    in_every_row,
    java_text,
    literal,
    truth_value,
    with_valid_guards,
)
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType
from transpiler.message.receiver import Receiver

_STRING = OperandType.STRING


class Functions:
    """Lowers the function calls of one selector; ``operand`` is the function that lowers an argument."""

    def __init__(
        self, operand: Callable[[ast.Expression], Operand], source: Source, dialect: Dialect, receiver: Receiver
    ) -> None:
        self.operand = operand
        self.source = source
        self.dialect = dialect
        self.receiver = receiver

    def call(self, node: ast.Call) -> Operand:
        """Return the operand for the result of the function call ``node``."""
        match node.function:
            case "UTC":
                return in_every_row(Alternative(OperandType.LONG, time_of(self.receiver), applies_where=ir.TRUE))
            case "REGEX":
                return self._regex(node)
            case "INLIST":
                return self._in_list(node)
            case "REPLACE":
                return self._replace(node)
            case _:
                return self._refuse(node, f"the list that {node.function} returns can only be an argument of INLIST")

    def _refuse(self, node: ast.Expression, message: str) -> NoReturn:
        raise UnsupportedFeatureError.at(
            "spark.function",
            message,
            self.source,
            node.span,
            "Spark SQL cannot do this, but selector-sql match can: it uses the reference evaluator, not Spark SQL",
        )

    def _pattern_text(self, node: ast.Expression, function: str) -> ast.StringLiteral:
        """Return ``node``, a regular expression or separator; raise an error unless it is a string literal."""
        if not isinstance(node, ast.StringLiteral):
            self._refuse(node, f"the regular expression of {function} must be a literal in Spark SQL")
        return node

    @contextmanager
    def _regex_errors_at(self, node: ast.StringLiteral) -> Iterator[None]:
        """Convert an error about a regular expression to a diagnostic with its position inside the literal ``node``."""
        try:
            yield
        except (RegexError, SearchLimitError) as error:
            offset = error.offset if isinstance(error, RegexError) else 0
            span = _behind(self.source, node, offset)
            hint = (
                "perhaps rewrite the expression so that the text after a repetition begins with "
                "another character, as in [^,]*,"
                if str(error) == TOO_MANY
                else None
            )
            raise UnsupportedFeatureError.at("spark.regex", str(error), self.source, span, hint) from None

    def _regex(self, node: ast.Call) -> Operand:
        written = self._pattern_text(node.arguments[0], "REGEX")
        with self._regex_errors_at(written):
            expression = compile_regular(written.value).java()
        candidate = self.operand(node.arguments[1])
        # Skip byte arrays: the text that Java writes for them contains an address in memory, so no result is certain.
        texts = [item for item in candidate.alternatives if item.type is not OperandType.BYTES]
        tests = [ir.all_of(item.guard, ir.Matches(java_text(item), expression)) for item in texts]
        true = ir.any_of(*tests)
        # If the second argument is missing, ActiveMQ's REGEX returns FALSE, not unknown.
        return truth_value(true, complement(ir.any_of(true, candidate.error)), candidate.error)

    def _in_list(self, node: ast.Call) -> Operand:
        listed, candidate = node.arguments[0], self.operand(node.arguments[1])
        if isinstance(listed, ast.Call) and listed.function == "SPLIT":
            text, separator = listed.arguments[0], self._pattern_text(listed.arguments[1], "SPLIT")
            if not isinstance(text, ast.StringLiteral) or len(listed.arguments) > 2:
                self._refuse(listed, "SPLIT in Spark SQL requires a literal separator, and accepts no limit")
            with self._regex_errors_at(separator):
                members = [literal(_STRING, part) for part in compile_regular(separator.value).split(text.value)]
        elif isinstance(listed, ast.Call) and listed.function == "MAKELIST":
            members = [self.operand(argument) for argument in listed.arguments]
        else:
            self._refuse(listed, "the list of INLIST must be SPLIT or MAKELIST in Spark SQL")
        thrown = ir.any_of(*(member.error for member in members), candidate.error)
        true: ir.Predicate = ir.FALSE
        for member in members:
            is_equal = ir.all_of(equals(member, candidate, self.dialect), complement(thrown))
            # ActiveMQ's INLIST calls ``member.equals(…)`` in a loop. A member that is NULL throws, unless an earlier
            # member was equal and ended the loop.
            thrown = ir.any_of(thrown, ir.all_of(member.absent, complement(true)))
            true = ir.any_of(true, is_equal)
        return truth_value(true, complement(ir.any_of(true, thrown)), thrown)

    def _replace(self, node: ast.Call) -> Operand:
        subject = self.operand(node.arguments[0])
        written = self._pattern_text(node.arguments[1], "REPLACE")
        replacement = node.arguments[2]
        if not isinstance(replacement, ast.StringLiteral):
            self._refuse(replacement, "the replacement of REPLACE must be a literal in Spark SQL")
        with self._regex_errors_at(written):
            regular = compile_regular(written.value)
        with self._regex_errors_at(replacement):
            parse_replacement(replacement.value, regular.groups)
        with self._regex_errors_at(written):
            regular.check_replacement(replacement.value)
        constants = (ir.constant(regular.java()), ir.constant(replacement.value))
        pairs = [
            (item, item._replace(value=ir.Apply(ir.Function.REPLACE, (item.value, *constants), STRING)))
            for item in subject.of(_STRING)
        ]
        strings = subject.where([_STRING]) if pairs else ir.FALSE
        # ActiveMQ's Java code casts the first argument to a string, and throws if it is NULL or of any other type.
        return Operand(tuple(with_valid_guards(pairs, subject)), strings, ir.FALSE, complement(strings))


def _behind(source: Source, node: ast.StringLiteral, offset: int) -> Span:
    """Return the span of the part of the literal ``node`` that begins at the character ``offset`` of its value.

    A quote in the value is doubled in the literal.
    """
    index, end = node.span.start + 1, node.span.end - 1
    quote = source.text[node.span.start : node.span.start + 1]
    for _ in range(offset):
        index += 2 if source.text[index : index + 2] == 2 * quote else 1
    return Span(index, end) if index < end else node.span
