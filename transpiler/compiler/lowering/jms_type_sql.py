"""The JMS class of a message and the kinds of its destinations, as choices among predicates."""

from __future__ import annotations

from collections.abc import Mapping

from transpiler.base.comparison import Comparison
from transpiler.base.errors import LayoutError
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.stored import Stored
from transpiler.compiler.lowering.names.column_values import at
from transpiler.message import jms_types
from transpiler.message.header_fields import MessageField
from transpiler.message.operand_types import OperandType

#: Pairs of a predicate and a text. The result is the text of the first predicate that holds.
Choices = list[tuple[ir.Predicate, str]]


def destination_choices(layout: Layout, annotation: str) -> Choices:
    """Return predicates for the kind of a JMS destination, each with the name of the kind, such as ``queue``.

    The predicates test the message annotation ``annotation``. The list is empty if the layout does not store it.
    """
    return _annotated(layout, annotation, jms_types.DESTINATION_TYPES)


def message_choices(layout: Layout) -> Choices:
    """Return predicates for the JMS class of a message, each with the name of the class, such as ``TextMessage``.

    If none of the predicates holds, the class is ``Message``. Raise ``LayoutError`` if the layout stores neither the
    annotation with the class nor the body.
    """
    choices = _annotated(layout, jms_types.MESSAGE_TYPE, jms_types.MESSAGE_TYPES)
    section, value = layout.field(MessageField("body", "section")), layout.field(MessageField("body", "value"))
    if section is None and not choices:
        raise LayoutError.at(
            "layout.no-column",
            f"the layout {layout.name} has neither message annotations nor a body, so the JMS class "
            "of a message is not known",
        )
    if section is None:
        return choices
    content = layout.field(MessageField("properties", "content_type"))
    data = _equals(section, "data")
    choices.extend((ir.all_of(data, predicate), name) for predicate, name in _by_content(content))
    choices.append((data, "BytesMessage"))
    amqp_value = _equals(section, "amqp-value")
    if value is not None:
        text = ir.any_of(value.absent, value.has_type(jms_types.TEXT_VALUES))
        choices.append((ir.all_of(amqp_value, text), "TextMessage"))
        choices.append((ir.all_of(amqp_value, value.has_type(jms_types.BYTES_VALUES)), "BytesMessage"))
    choices.append((ir.any_of(amqp_value, _equals(section, "amqp-sequence")), "ObjectMessage"))
    return choices


def _annotated(layout: Layout, key: str, names: Mapping[int, str]) -> Choices:
    location = layout.field(MessageField("message_annotations", key))
    if location is None:
        return []
    [number] = (item.value for item in at(location).of(OperandType.LONG))
    return [(ir.Compare(Comparison.EQ, number, ir.constant(code)), name) for code, name in names.items()]


def _by_content(location: Stored | None) -> Choices:
    if location is None:
        return []
    media: ir.Value = ir.Apply(ir.Function.MEDIA_TYPE, (at(location).alternatives[0].value,), STRING)
    texts = ir.any_of(
        ir.Like(media, (jms_types.TEXT_PREFIX, Wildcard.ANY)),
        ir.In(media, tuple(ir.constant(name) for name in jms_types.TEXT_TYPES)),
        *(ir.Like(media, (jms_types.APPLICATION, Wildcard.ANY, suffix)) for suffix in jms_types.TEXT_SUFFIXES),
    )
    return [
        (ir.Compare(Comparison.EQ, media, ir.constant(jms_types.SERIALIZED)), "ObjectMessage"),
        (texts, "TextMessage"),
    ]


def _equals(location: Stored, text: str) -> ir.Predicate:
    return ir.Compare(Comparison.EQ, at(location).alternatives[0].value, ir.constant(text))
