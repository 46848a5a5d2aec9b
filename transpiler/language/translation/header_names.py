"""Translation of header names between JMS and the wire: ``JMSCorrelationID`` to ``amqp.correlation_id`` and back.

Source: the older Apache filter document, selector-filter. Its table maps each of ten headers to one AMQP field, even if
a header can be read from several fields. Two headers and their fields differ in type: for these, the whole comparison
is translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, get_args

from transpiler.base.arguments import check_choice, renamed
from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.source import Source
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector, selector_text
from transpiler.language.selector.printer import print_tree
from transpiler.message.header_fields import DELIVERY_MODES
from transpiler.message.jms_fields import JMS_FIELDS, WIRE

#: The two forms of header names: ``JMSPriority`` and ``amqp.priority``.
Form = Literal["jms", "amqp"]

#: The table "Mapping JMS Headers to AMQP fields" of apache-filters.xml: "… translated to amqp.field_name where
#: field_name is the appropriate AMQP 1.0 field … with the hyphen replaced by an underscore".
STANDARD: Mapping[str, str] = MappingProxyType(
    {
        "JMSCorrelationID": "amqp.correlation_id",
        "JMSDeliveryMode": "amqp.durable",
        "JMSDestination": "amqp.to",
        "JMSExpiration": "amqp.absolute_expiry_time",
        "JMSMessageID": "amqp.message_id",
        "JMSPriority": "amqp.priority",
        "JMSRedelivered": "amqp.delivery_count",
        "JMSReplyTo": "amqp.reply_to",
        "JMSTimestamp": "amqp.creation_time",
        "JMSType": "amqp.jms_type",
    }
)

_MODE, _DURABLE = "JMSDeliveryMode", "amqp.durable"
_REDELIVERED, _COUNT = "JMSRedelivered", "amqp.delivery_count"
_DURABILITIES = {mode: durable for durable, mode in DELIVERY_MODES.items()}


class _NoCounterpartError(Exception):
    """Error for a name, or a comparison with a name, that has no counterpart in the other form of header names."""


@renamed("text", "selector")
def translate_names(selector: SelectorLike, form: Form, dialect: str | Dialect = "jms") -> str:
    """Translate the header names of ``selector`` to the JMS form or to the wire form (``amqp.correlation_id``).

    Each header name is replaced by its counterpart in the table of apache-filters.xml, such as ``JMSType`` by
    ``amqp.jms_type``. JMS names that the table does not contain stay unchanged.

    Args:
        selector: The text of a selector, or a parsed tree.
        form: The form of the names in the result: ``"jms"`` or ``"amqp"``.
        dialect: The broker's dialect, by name or as a ``Dialect``.

    Returns:
        The text of the translated selector; an empty string if ``selector`` is blank.

    Raises:
        TranspilerError: Any error of ``parse_selector``, or ``UnsupportedFeatureError`` with a diagnostic for each
            condition that has no counterpart.
    """
    check_choice("form", form, get_args(Form))
    rules = find_dialect(dialect)
    text = selector_text(selector, rules)
    tree = parse_selector(text, rules)
    return "" if tree is None else print_tree(translate_tree(tree, form, Source(text or "")))


def translate_tree(tree: ast.Expression, form: Form, source: Source) -> ast.Expression:
    """Translate the header names of ``tree`` to ``form``; JMS names that the table does not contain stay unchanged.

    Raises ``UnsupportedFeatureError`` with a diagnostic for each condition that has no counterpart.
    """
    findings: list[Diagnostic] = []

    def condition(node: ast.Expression) -> ast.Expression:
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                return replace(node, terms=tuple(map(condition, terms)))
            case ast.Not(operand=operand):
                return replace(node, operand=condition(operand))
        try:
            return _to_wire(node) if form == "amqp" else _to_jms(node)
        except _NoCounterpartError as reason:
            hint = (
                f"perhaps keep the {'JMS' if form == 'amqp' else 'amqp.'} name in this condition, or "
                "rewrite the condition"
            )
            findings.append(Diagnostic("names.no-counterpart", "error", str(reason), source, node.span, hint))
            return node

    result = condition(tree)
    if findings:
        raise UnsupportedFeatureError(findings)
    return result


def _to_wire(node: ast.Expression) -> ast.Expression:
    match node:
        case ast.IsNull(operand=ast.Identifier(name=name, section=None)):
            return replace(node, operand=ast.Identifier(STANDARD.get(name, name)))
        case ast.Compare(operator, ast.Identifier(name="JMSDeliveryMode"), ast.StringLiteral(value=mode)) | ast.Compare(
            operator, ast.StringLiteral(value=mode), ast.Identifier(name="JMSDeliveryMode")
        ) if operator.is_equality and mode in _DURABILITIES:
            return ast.Compare(operator, ast.Identifier(_DURABLE), ast.BooleanLiteral(_DURABILITIES[mode]))
        case ast.In(operand=ast.Identifier(name="JMSDeliveryMode"), members=members, negated=negated):
            texts = {member.value for member in members if isinstance(member, ast.StringLiteral)}
            listed = [durable for mode, durable in _DURABILITIES.items() if mode in texts]
            if len(listed) != 1:
                return ast.BooleanLiteral(bool(listed) is not negated)
            operator = Comparison.NE if negated else Comparison.EQ
            return ast.Compare(operator, ast.Identifier(_DURABLE), ast.BooleanLiteral(listed[0]))
        case ast.Identifier(name="JMSDeliveryMode", section=None):
            raise _NoCounterpartError(f"{_MODE} is {' or '.join(_DURABILITIES)}, and {_DURABLE} is a boolean")
        case ast.Identifier(name="JMSRedelivered", section=None):
            return ast.Compare(Comparison.GT, ast.Identifier(_COUNT), ast.IntegerLiteral(0))
        case ast.Identifier(name=name, section=None):
            return replace(node, name=STANDARD.get(name, name))
    return ast.exchanged(node, _to_wire)


def _to_jms(node: ast.Expression) -> ast.Expression:
    match node:
        case ast.Compare(Comparison.GT, ast.Identifier("amqp.delivery_count"), ast.IntegerLiteral(0)):
            return ast.Identifier(_REDELIVERED, span=node.span)
        case ast.Compare(operator, ast.Identifier("amqp.durable"), ast.BooleanLiteral(value=durable)) | ast.Compare(
            operator, ast.BooleanLiteral(value=durable), ast.Identifier("amqp.durable")
        ) if operator.is_equality:
            return ast.Compare(operator, ast.Identifier(_MODE), ast.StringLiteral(DELIVERY_MODES[durable]))
        case ast.IsNull(operand=ast.Identifier("amqp.durable")):
            return replace(node, operand=ast.Identifier(_MODE))
        case ast.Identifier("amqp.durable"):
            return ast.Compare(Comparison.EQ, ast.Identifier(_MODE), ast.StringLiteral(DELIVERY_MODES[True]))
        case ast.Identifier("amqp.delivery_count"):
            raise _NoCounterpartError(f"of {_COUNT} {_REDELIVERED} says only whether the count is above 0")
        case ast.Identifier(name=name, section=None) if name in _JMS:
            return replace(node, name=_JMS[name])
        case ast.Identifier(name=name, section=None) if name.startswith(WIRE) and JMS_FIELDS.find(name) is not None:
            raise _NoCounterpartError(f"JMS has no name for {name}")
    return ast.exchanged(node, _to_jms)


_JMS = {wire: jms for jms, wire in STANDARD.items()}
