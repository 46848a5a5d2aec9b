"""The columns of a table that could contain the message: the default layout of the page."""

from __future__ import annotations

from collections.abc import Iterator

from playground.session.messages import MessageProblem, read_message
from transpiler.base.errors import TranspilerError
from transpiler.compiler.sql.quoting import quote_name
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.message.operand_types import OperandType

#: Header fields whose column is a TIMESTAMP, and whose value in selectors is in milliseconds.
_TIMES = ("JMSTimestamp", "JMSExpiration", "JMSDeliveryTime")

_HEADER_TYPES = {OperandType.BOOLEAN: "BOOLEAN", OperandType.INT: "INT", OperandType.LONG: "BIGINT"}
_VALUE_TYPES: dict[type, str] = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", bytes: "BINARY"}
_LITERAL_TYPES: dict[type, str] = {
    ast.IntegerLiteral: "BIGINT",
    ast.FloatLiteral: "DOUBLE",
    ast.BooleanLiteral: "BOOLEAN",
}


def columns_of(selector: str, message: str, dialect: Dialect) -> str:
    """Return the DDL of typed columns for the names in ``selector`` and the properties of ``message``.

    The type of a column is that of the message's value, or else of the literal that the selector compares with the
    name, or else STRING. An invalid selector or message contributes no names. Without any name, the result is a column
    for JMSType.
    """
    sent = dict(_of_message(message))
    # Spark's column names are case-insensitive. If several names differ only in case, the selector's spelling wins.
    types: dict[str, tuple[str, str]] = {}
    for name, spark_type in (*_of_selector(selector, dialect), *sent.items()):
        types.setdefault(name.lower(), (name, _header_type(name) or sent.get(name, spark_type)))
    columns = (f"{quote_name(name)} {spark_type}" for name, spark_type in types.values())
    return ", ".join(columns) or "JMSType STRING"


def _of_message(text: str) -> Iterator[tuple[str, str]]:
    try:
        message = read_message(text)
    except MessageProblem:
        return
    for name, value in (message.application_properties or {}).items():
        yield name, _VALUE_TYPES.get(type(value.value), "STRING")


def _of_selector(text: str, dialect: Dialect) -> Iterator[tuple[str, str]]:
    try:
        tree = parse_selector(text, dialect)
    except TranspilerError:
        return
    for node in () if tree is None else ast.walk(tree):
        operands = ast.children(node)
        beside = next((_LITERAL_TYPES[type(one)] for one in operands if type(one) in _LITERAL_TYPES), "STRING")
        yield from ((one.name, beside) for one in operands if isinstance(one, ast.Identifier))


def _header_type(name: str) -> str | None:
    field = JMS.fields.table.get(name)
    if field is None:
        return None
    return "TIMESTAMP" if name in _TIMES else _HEADER_TYPES.get(field.type, "STRING")
