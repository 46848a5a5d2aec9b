"""The values that a header field can have, where its definition leaves some out: a priority is from 0 to 9."""

from __future__ import annotations

from typing import NamedTuple

from transpiler.message.fields import DELIVERY_MODES, MessageField
from transpiler.message.header_fields import Conversion, Origin
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect
from transpiler.selector.satisfiability import meaning_of
from transpiler.selector.value_sets import GREATEST, MISSING, ValueSet, intersection, is_subset, texts, union


class FieldValues(NamedTuple):
    """The values of a header field, and how a message describes them."""

    values: ValueSet
    described: str = ""
    #: False if JMS bounds the values, and AMQP does not.
    sure: bool = True


_RANGES = {
    Conversion.PRIORITY: FieldValues(ValueSet(integers=((0, 9),)), "a number from 0 to 9"),
    Conversion.DELIVERY_COUNT: FieldValues(ValueSet(integers=((1, GREATEST),)), "1 or more"),
    Conversion.DELIVERY_MODE: FieldValues(texts(DELIVERY_MODES.values())),
    Conversion.DURABILITY: FieldValues(texts(("DURABLE", "NON_DURABLE"))),
}

#: The priority as AMQP has it, one octet.
_RAW_PRIORITY = Origin((MessageField("header", "priority"),))


def field_values(name: ast.Identifier, dialect: Dialect) -> FieldValues | None:
    """Return the values of a header field; None for a property, or where the field may have any value."""
    field = dialect.fields.find(name.name, name.section)
    if field is None or len(field.origins) != 1:
        return None
    origin = field.origins[0]
    if name.name.startswith("JMS") and origin == _RAW_PRIORITY:
        return FieldValues(ValueSet(integers=((0, 9),)), "a number from 0 to 9 in JMS", sure=False)
    known = _RANGES.get(origin.conversion)
    if known is None or field.default is not None:
        return known
    return known._replace(values=union((known.values, MISSING)))


class OneField:
    """Tests of one field over the values that it can have."""

    def __init__(self, values: FieldValues, dialect: Dialect) -> None:
        self._values, self._dialect = values.values, dialect

    def outcome(self, node: ast.Expression) -> bool | None:
        """Return True if a test holds for all values of the field, False if for none, else None."""
        condition = meaning_of(node, self._dialect)
        if condition.name is None:
            return None
        if intersection((condition.meaning.true, self._values)).is_empty:
            return False
        return True if is_subset(self._values, condition.meaning.not_true.complement) else None
