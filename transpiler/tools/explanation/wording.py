"""Wording for values, for their types, and for names that a message does not have."""

from __future__ import annotations

from dataclasses import replace

from transpiler.base.diagnostics import clipped, nearest
from transpiler.base.ieee754 import special_name
from transpiler.language.selector import ast
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.message.header_fields import RECEIVER
from transpiler.message.operand_types import OperandType
from transpiler.message.types import TRUTH_TEXT
from transpiler.reference.headers import header_value
from transpiler.reference.operands import Value
from transpiler.tools.explanation.parts import Evaluation

#: Maximum lengths of a value and of a quoted subexpression in a sentence, in characters.
_MAX_VALUE, _MAX_PART = 40, 60

_KINDS = {
    OperandType.BOOLEAN: ("boolean", "a boolean"),
    OperandType.STRING: ("text", "text"),
    OperandType.CHAR: ("char", "a char"),
    OperandType.BYTES: ("bytes", "bytes"),
    OperandType.ATOM: ("atom", "an atom"),
}


def value_text(value: object) -> str:
    """Return ``value`` in the syntax of a selector, cut off if it is long."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if (name := special_name(value)) is not None:
            return name
        case str():
            return _quoted(value)
        case bytes():
            return f"0x{clipped(value.hex().upper(), _MAX_VALUE)}" if value else "empty"
        case tuple():
            return clipped(f"({', '.join(map(_quoted, value))})", _MAX_VALUE)
        case _:
            return clipped(str(value), _MAX_VALUE)


def _quoted(text: str) -> str:
    return string_literal(clipped(text, _MAX_VALUE))


def quoted_part(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return the text of ``node`` in backquotes, cut off if it is long."""
    return f"`{clipped(evaluation.text(node), _MAX_PART)}`"


def verdict_text(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return the result of the condition ``node`` as text: ```weight > 5` is unknown``."""
    return f"{quoted_part(node, evaluation)} is {TRUTH_TEXT[evaluation.verdict(node).truth]}"


def by_rules(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return the result of the condition ``node`` with the note that the rules of the dialect cause it."""
    return f"by the rules of {evaluation.dialect.title} {verdict_text(node, evaluation)}"


def kind_of(value: Value) -> str:
    """Return the kind of ``value`` with its article: ``text``, ``a number``, ``a boolean``."""
    return "a number" if value.numeric else _KINDS[value.type][1]


def typed_text(value: Value, *, width: bool = False) -> str:
    """Return ``value`` after its kind, such as ``the text '2600'``.

    If ``width`` is True, the type of a number is named: ``the short 5``.
    """
    number = value.type.value if width else "number"
    kind = number if value.numeric else _KINDS[value.type][0]
    return f"the {kind} {value_text(value.value)}"


def name_is(node: ast.Expression, evaluation: Evaluation, *, typed: bool = False) -> str:
    """Return the value of ``node`` as text: ``weight is 2400``, ``weight is missing``, ```weight * 2` is 4800``."""
    value = evaluation.value(node)
    if value is None:
        return missing(node, evaluation) if isinstance(node, ast.Identifier) else f"{subject(node, evaluation)} is NULL"
    shown = typed_text(value) if typed or value.type in (OperandType.BYTES, OperandType.ATOM) else None
    shown = shown or value_text(value.value)
    return f"{subject(node, evaluation)} is {shown}{_default_note(node, evaluation)}"


def subject(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return the text of the operand ``node``: an identifier or literal as it is, an expression in backquotes."""
    if isinstance(node, (ast.Identifier, *ast.LITERALS)):
        return clipped(evaluation.text(node), _MAX_PART)
    return quoted_part(node, evaluation)


def operand_text(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return the text of ``node``, the right side of a comparison: a literal as it is, else its text and value."""
    value = evaluation.value(node)
    assert value is not None
    if isinstance(node, ast.LITERALS):
        return value_text(value.value)
    return f"{subject(node, evaluation)} ({value_text(value.value)})"


def missing(node: ast.Identifier, evaluation: Evaluation) -> str:
    """Return why the name ``node`` has no value: ``region is missing``."""
    message, dialect = evaluation.message, evaluation.dialect
    name = clipped(evaluation.text(node), _MAX_PART)
    field = dialect.fields.find(node.name, node.section)
    if field is not None:
        reason = "" if field.origins else f": {dialect.title} has no such header field"
        return f"{name} is missing{reason}"
    properties = message.application_properties or {}
    value = properties.get(node.name)
    if value is None:
        return f"{name} is missing{_suggestion(node, evaluation)}"
    if value.value is None:
        return f"{name} is null"
    what = value_text(value.value) if isinstance(value.value, float) else f"of type {value.type.value}"
    return f"{name} is {what}, which {dialect.title} reads as missing"


def _suggestion(node: ast.Identifier, evaluation: Evaluation) -> str:
    """Return a note on a name in the message that ``node`` may have meant: a similar property or a header field."""
    message, dialect = evaluation.message, evaluation.dialect
    for field in dialect.fields.table.values():
        if field.name.casefold() in (f"jms{node.name}".casefold(), f"jmsx{node.name}".casefold()):
            own = header_value(replace(field, default=None), message, dialect, evaluation.receiver)
            if own is not None:
                return f" (the message has the header field {field.name})"
    known = [name for name in message.application_properties or {} if isinstance(name, str)]
    near = nearest(node.name, known)
    return f" (the message has {clipped(near[0], _MAX_PART)})" if near else ""


def _default_note(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return a note if ``node`` is a header field with its default value, because the message does not set it."""
    if not isinstance(node, ast.Identifier):
        return ""
    field = evaluation.dialect.fields.find(node.name, node.section)
    if field is None or field.default is None:
        return ""
    own = header_value(replace(field, default=None), evaluation.message, evaluation.dialect, evaluation.receiver)
    if own is not None:
        return ""
    message_field = next(
        (message_field.field for message_field in field.message_fields if message_field.section != RECEIVER), field.name
    )
    # "durable" is an adjective, so it needs a noun.
    named = "durable flag" if message_field == "durable" else message_field.replace("_", " ")
    return f" (the default: the message has no {named})"


def listed(items: list[str], most: int) -> str:
    """Return at most ``most`` of ``items`` as a list in words, with the number of further items."""
    shown = items[:most]
    if len(items) > most:
        return f"{', '.join(shown)} and {len(items) - most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
