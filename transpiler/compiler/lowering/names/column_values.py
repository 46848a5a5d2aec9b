"""Operands from the values that a layout stores: their types in a dialect, and the conversions of header fields.

A dialect's table of operand types determines the type of each AMQP type in the dialect, which types the dialect lacks,
and for which types its evaluation ends in an error. Each conversion of a header field is one case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import assert_never

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BOOLEAN, DOUBLE, STRING, ColumnType, SparkType
from transpiler.compiler.layouts.stored import Stored, StoredValue
from transpiler.compiler.lowering.comparison.comparison_kinds import to_double
from transpiler.compiler.lowering.operands import (
    DECIMAL,
    NULL,
    Alternative,
    ByUse,
    Operand,
    choice,
    complement,
    from_value,
    is_finite,
    restricted,
    widest_type,
)
from transpiler.message.header_fields import DELIVERY_MODES, MAX_PRIORITY, PROPERTIES, Conversion, MessageField
from transpiler.message.operand_types import JMS_TYPES, ByteText, OperandType, OperandTypes, UnsignedLong
from transpiler.message.types import CLASS_OF, AmqpType, ValueType


@lru_cache(maxsize=4_096)
def at(stored: Stored, types: OperandTypes = JMS_TYPES, origin: str = "") -> Operand:
    """Return the operand for ``stored``; ``types`` maps the AMQP types of its values to the operand types of a dialect.

    ``origin`` is the name of the property. The operands are cached, because selectors read the same few properties
    again and again.
    """
    operand = _at(stored, types, origin)
    if stored.by_use is None:
        return operand
    number, boolean = (
        _of_separate_values(view, types, origin, by_use=True) for view in (stored.by_use.number, stored.by_use.boolean)
    )
    return operand._replace(by_use=ByUse(number, boolean, stored.by_use.untyped))


def _at(stored: Stored, types: OperandTypes, origin: str) -> Operand:
    if stored.tag is not None:
        return _of_tagged_types(stored, stored.tag, types, origin)
    if not stored.values:
        return NULL
    if len(stored.types) > 1:
        return _of_separate_values(stored, types, origin)
    [amqp] = stored.types
    if amqp in types.throws:
        return Operand((), ir.FALSE, stored.absent, stored.present)
    kind = types.table.get(amqp)
    if kind is None:
        return NULL
    items = tuple(
        Alternative(kind, _converted(amqp, item.value, types), item.guard, applies_where=_where_constant(item))
        for item in stored.values
    )
    if kind.floating and not types.special_doubles:
        [item] = items
        finite = is_finite(item.value)
        return Operand(
            (item._replace(guard=finite),), finite, ir.any_of(stored.absent, is_finite(item.value, Comparison.NE))
        )
    return Operand(items, stored.present, stored.absent, origin=origin)


def _of_separate_values(stored: Stored, types: OperandTypes, origin: str, by_use: bool = False) -> Operand:
    """Return the operand for ``stored``, whose values have one AMQP type each; at most one is present in a row.

    ``by_use`` is True if numbers in ``stored`` may be read from untyped texts. If the dialect has no value for such a
    number (because it is not finite), the text remains a string.
    """
    groups: dict[tuple[OperandType, ir.Value], list[Alternative]] = {}
    absent: list[ir.Predicate] = [stored.absent]
    errors: list[ir.Predicate] = []
    infinite: dict[ir.Value, ir.Predicate] = {}
    for item in stored.values:
        [amqp] = item.types
        kind = types.table.get(amqp)
        if amqp in types.throws:
            errors.append(item.applies)
        elif kind is None:
            absent.append(item.applies)
        elif kind.floating and not types.special_doubles:
            guard = ir.all_of(item.guard, is_finite(item.value))
            groups.setdefault((kind, item.value), []).append(Alternative(kind, item.value, guard))
            others = ir.all_of(item.guard, is_finite(item.value, Comparison.NE))
            if by_use and isinstance(item.value, ir.Apply) and item.value.function is ir.Function.NUMBER_IN_TEXT:
                infinite[item.value.arguments[0]] = others
            else:
                absent.append(others)
        else:
            value = _converted(amqp, item.value, types)
            guard = ir.any_of(item.guard, infinite[value]) if value in infinite else item.guard
            applies = _where_certain(item) if guard is item.guard else None
            alternative = Alternative(kind, value, guard, applies_where=applies)
            groups.setdefault((kind, value), []).append(alternative)
    merged = tuple(_merged([_of_any(group) for group in groups.values()]))
    plain = len(absent) == 1 and not errors
    present = stored.present if plain else ir.any_of(*[item.applies for item in merged])
    nearest: tuple[Alternative, ...] = ()
    if stored.number is not None and types.table.get(AmqpType.DOUBLE) is OperandType.DOUBLE and types.special_doubles:
        number = Alternative(OperandType.DOUBLE, stored.number.value, stored.number.guard)
        # ``stored.number`` is the nearest double of the stored numbers. A store does not store times as numbers, but
        # selectors compare times as numbers, so add the times here.
        times = [group for (kind, value), group in groups.items() if kind.integer and value in times_of(stored)]
        nearest = _doubles([number, *map(_of_any, times)])
    return Operand(merged, present, ir.any_of(*absent), ir.any_of(*errors), origin, nearest=nearest)


def _of_tagged_types(stored: Stored, tag: ir.Value, types: OperandTypes, origin: str) -> Operand:
    items: list[Alternative] = []
    dropped: list[ir.Predicate] = []
    for group in _by_type(stored, types):
        items.extend(_values(*group, stored, tag, types))
    if not types.special_doubles:
        dropped = [
            ir.all_of(item.guard, is_finite(item.value, Comparison.NE))
            for item in stored.values
            if item.value.type == DOUBLE
        ]
    without = [kind for kind in (AmqpType.NULL, *CLASS_OF) if kind not in types.table and kind not in types.throws]
    present = stored.lacks_type({*without, *types.throws})
    if len(types.table) < len(without) + len(types.throws):
        present = stored.has_type(types.table)
    return Operand(
        tuple(_merged(items)),
        ir.all_of(present, complement(ir.any_of(*dropped))),
        ir.any_of(stored.key_absent, stored.has_type(without), *dropped),
        stored.has_type(types.throws) if types.throws else ir.FALSE,
        origin,
    )


def _by_type(stored: Stored, types: OperandTypes) -> Iterator[tuple[OperandType, list[ValueType], StoredValue]]:
    """Group the AMQP types of each value of ``stored`` by the operand type to which the dialect maps them.

    Yield the operand type, the AMQP types in the group, and the value, in the order of ``types.table``.
    """
    order = {amqp: number for number, amqp in enumerate(types.table)}
    groups: list[tuple[int, OperandType, list[ValueType], StoredValue]] = []
    for item in stored.values:
        kinds: dict[tuple[OperandType, ir.Function | None], list[ValueType]] = {}
        for amqp in sorted((amqp for amqp in item.types if amqp in order), key=order.__getitem__):
            kinds.setdefault((types.table[amqp], _conversion(amqp, types)), []).append(amqp)
        first = min((order[names[0]] for names in kinds.values()), default=0)
        groups += [(first, kind, names, item) for (kind, _), names in kinds.items()]
    for _, kind, names, item in sorted(groups, key=lambda group: group[0]):
        yield kind, names, item


def _values(
    kind: OperandType, names: list[ValueType], item: StoredValue, stored: Stored, tag: ir.Value, types: OperandTypes
) -> Iterator[Alternative]:
    """Yield the alternatives for the value ``item`` in rows in which its AMQP type is one of ``names``.

    The dialect maps all of ``names`` to the operand type ``kind``. ``tag`` is the field of the tagged union with the
    name of the value's AMQP type.
    """
    others = [amqp for amqp in item.types if amqp not in names]
    test: ir.Predicate = ir.TRUE
    if others:
        test = stored.lacks_type(others) if len(others) < len(names) else stored.has_type(names)
    guard = ir.all_of(item.guard, test)
    if kind is OperandType.LONG and AmqpType.ULONG in names and types.unsigned_long is not UnsignedLong.WRAPPED:
        yield from _unsigned(item, tag, guard, types)
    elif kind.floating and not types.special_doubles:
        yield Alternative(kind, item.value, where := ir.all_of(guard, is_finite(item.value)), applies_where=where)
    else:
        # ``shared`` holds in all rows in which the field of the union has a value. It is not used if the dialect throws
        # for one of the AMQP types in this field, because the operand then has no value in some of these rows.
        throwing = {CLASS_OF[thrown] for thrown in types.throws}
        shared = None if CLASS_OF[names[0]] in throwing else item.guard
        value = _converted(names[0], item.value, types)
        yield Alternative(kind, value, guard, shared, guard if _names_types(test) else None)


def _unsigned(item: StoredValue, tag: ir.Value, guard: ir.Predicate, types: OperandTypes) -> Iterator[Alternative]:
    """Yield the alternatives for ``item``, a BIGINT column that contains signed integers and unsigned longs.

    An unsigned long above 2**63-1 is stored as its low 64 bits and so is negative in the column. Depending on the
    dialect, it becomes its exact value (a DECIMAL) or a double.
    """
    column = item.value
    negative = ir.Compare(Comparison.LT, column, ir.constant(0))
    unsigned = ir.constant(AmqpType.ULONG.value)
    large = ir.all_of(item.guard, ir.Compare(Comparison.EQ, tag, unsigned), negative)
    if types.unsigned_long is UnsignedLong.EXACT:
        # ``_merged`` joins both alternatives by a COALESCE in this order. So the column itself is read only in rows in
        # which the exact value is NULL, because the value is not a large unsigned long.
        exact = ir.Apply(ir.Function.ADD_BIG, (column, ir.Constant(2**64, DECIMAL)), DECIMAL)
        yield Alternative(OperandType.LONG, exact, large, applies_where=large)
        yield Alternative(OperandType.LONG, column, guard)
        return
    small = ir.any_of(ir.Compare(Comparison.NE, tag, unsigned), ir.Compare(Comparison.GE, column, ir.constant(0)))
    double = ir.Apply(ir.Function.TO_DOUBLE, (column,), DOUBLE)
    widened = ir.Apply(ir.Function.ADD, (double, ir.constant(float(2**64))), DOUBLE)
    narrow = ir.all_of(guard, small)
    yield Alternative(OperandType.LONG, column, narrow, applies_where=narrow if _names_types(guard) else None)
    yield Alternative(OperandType.DOUBLE, widened, large, applies_where=large)


def times_of(stored: Stored) -> frozenset[ir.Value]:
    """Return the SQL values in ``stored`` that can be AMQP timestamps."""
    return frozenset(item.value for item in stored.values if AmqpType.TIMESTAMP in item.types)


def _where_constant(item: StoredValue) -> ir.Predicate | None:
    return item.guard if isinstance(item.value, ir.Constant) else None


def _where_certain(item: StoredValue) -> ir.Predicate | None:
    """Return the guard of ``item`` if the value is never NULL when the guard holds; otherwise None.

    A guard that tests the type of a VARIANT ensures that the value is not NULL, because the value is read as that type.
    """
    match ir.without_conversions(item.value):
        case ir.Apply(function=ir.Function.VARIANT_GET | ir.Function.CAST_VARIANT):
            certain = _names_types(item.guard)
        case _:
            certain = False
    return item.guard if certain else _where_constant(item)


def _of_any(group: list[Alternative]) -> Alternative:
    """Merge ``group``, alternatives with the same type and SQL value, into one whose guard is an OR of their guards."""
    guard = ir.any_of(*[item.guard for item in group])
    return group[0]._replace(guard=guard, applies_where=None if group[0].applies_where is None else guard)


def _doubles(numbers: list[Alternative]) -> tuple[Alternative, ...]:
    """Merge ``numbers`` into one alternative, a double; return them unchanged if one of them has a guard.

    At most one of ``numbers`` is not NULL in a row.
    """
    if any(item.guard != ir.TRUE for item in numbers):
        return tuple(numbers)
    return (numbers[0]._replace(value=ir.first_of([to_double(item.value) for item in numbers], DOUBLE)),)


def _merged(items: list[Alternative]) -> Iterator[Alternative]:
    """Yield ``items``, with all alternatives of the same type merged into a single alternative."""
    kinds: dict[OperandType, list[Alternative]] = {}
    for item in items:
        kinds.setdefault(item.type, []).append(item)
    for kind, parts in kinds.items():
        if len(parts) == 1 or all(isinstance(part.value, ir.Constant) for part in parts):
            yield from parts
            continue
        values = [ir.guarded(part.guard, part.value) for part in parts]
        applies = ir.any_of(*[part.applies for part in parts])
        yield Alternative(kind, ir.first_of(values, widest_type(values)), applies_where=applies)


def _conversion(amqp: ValueType, types: OperandTypes) -> ir.Function | None:
    if amqp is AmqpType.CHAR and types.char_is_number:
        return ir.Function.CODE_POINT
    if amqp in (AmqpType.BINARY, AmqpType.UUID) and types.table.get(amqp) is OperandType.STRING:
        uuid = amqp is AmqpType.UUID and types.byte_text is ByteText.UUID
        return ir.Function.TEXT_OF_UUID if uuid else ir.Function.TEXT_OF_BYTES
    return None


def _converted(amqp: ValueType, value: ir.Value, types: OperandTypes) -> ir.Value:
    conversion = _conversion(amqp, types)
    if conversion is None:
        return value
    return ir.Apply(conversion, (value,), BIGINT if conversion is ir.Function.CODE_POINT else STRING)


def _names_types(guard: ir.Predicate) -> bool:
    """Return True if ``guard`` has the form ``type = …`` or ``type IN …``.

    If such a guard holds, the value is not NULL. A guard of the form ``type <> …`` does not ensure that.
    """
    match guard:
        case ir.In(negated=negated):
            return not negated
        case ir.Compare(operator=operator):
            return operator is Comparison.EQ
        case _:
            return False


#: The sections and fields of a message whose values can have any of several AMQP types: sections that are maps, and
#: IDs.
_MAPS = (PROPERTIES, "message_annotations")
_IDS = (MessageField("properties", "message_id"), MessageField("properties", "correlation_id"))

_DURABILITIES = {True: "DURABLE", False: "NON_DURABLE"}


#: The function that converts an ID to text, by the AMQP type of the ID.
_IdTexts = Mapping[AmqpType, ir.Function]

_MESSAGE_ID_TEXTS: _IdTexts = {
    AmqpType.STRING: ir.Function.STRING_MESSAGE_ID,
    AmqpType.ULONG: ir.Function.ULONG_ID,
    AmqpType.UUID: ir.Function.UUID_ID,
    AmqpType.BINARY: ir.Function.BINARY_ID,
}
_CORRELATION_ID_TEXTS: _IdTexts = {**_MESSAGE_ID_TEXTS, AmqpType.STRING: ir.Function.STRING_CORRELATION_ID}
_PREFIXED_TEXTS: _IdTexts = {
    AmqpType.STRING: ir.Function.PREFIXED_STRING,
    AmqpType.ULONG: ir.Function.PREFIXED_ULONG,
    AmqpType.UUID: ir.Function.PREFIXED_UUID,
    AmqpType.BINARY: ir.Function.PREFIXED_BINARY,
}


def whole_number(stored: Stored) -> ir.Value:
    """Return the value of ``stored``, a column or key that contains nothing but integers."""
    [item] = at(stored).of(OperandType.LONG)
    return item.value


def expiry(kind: OperandType, duration: ir.Value, times: tuple[ir.Value, ...], zero_is_forever: bool) -> Operand:
    """Return the time at which a message expires: ``duration`` after the first of ``times`` that is not NULL.

    If ``zero_is_forever`` is True, a message with the duration zero never expires, and the operand is NULL.
    """
    end = ir.Apply(ir.Function.LATER, (duration, ir.first_of(times, BIGINT)), BIGINT)
    if not zero_is_forever:
        return from_value(kind, end)
    some = ir.Compare(Comparison.NE, duration, ir.constant(0))
    none = ir.any_of(ir.IsNull(duration), ir.Compare(Comparison.EQ, duration, ir.constant(0)))
    return Operand((Alternative(kind, end, some, applies_where=some),), some, none)


@lru_cache(maxsize=4_096)
def converted(
    conversion: Conversion,
    message_field: MessageField,
    stored: Stored,
    kind: OperandType,
    types: OperandTypes,
    name: str,
) -> Operand:
    """Return the operand for a header field: the value ``stored`` of ``message_field`` after ``conversion``.

    ``kind`` is the type of the result. A conversion that keeps the value's own type uses the mapping ``types`` instead.
    Operands are cached, because there are only few header fields.
    """
    operand = at(stored)
    match conversion:
        case Conversion.ANY_ID:
            return _without_columns_of(at(stored, types, name), BOOLEAN, DOUBLE)
        case Conversion.AS_IS:
            if message_field.section in _MAPS or message_field in _IDS:
                return at(stored, types, name)
            return _each(operand, kind, lambda value: value)
        case Conversion.NUMBER_IN_TEXT:
            return _number_in_text(at(stored, types, name), types, name)
        case Conversion.INTEGER:
            return _only_integers(at(stored, types, name))
        case Conversion.TEXT:
            return _each(operand, kind, lambda value: _text(ir.Function.TEXT, value))
        case Conversion.TEXT_OF_BYTES:
            return _each(operand, kind, lambda value: _text(ir.Function.TEXT_OF_BYTES, value))
        case Conversion.DELIVERY_MODE | Conversion.DURABILITY:
            words = DELIVERY_MODES if conversion is Conversion.DELIVERY_MODE else _DURABILITIES
            return choice(operand, kind, [(operand.is_boolean(durable), word) for durable, word in words.items()])
        case Conversion.REDELIVERED:
            counts = ((Comparison.GT, True), (Comparison.LE, False))
            return choice(operand, kind, [(_compares(operand, operator), truth) for operator, truth in counts])
        case Conversion.PRIORITY:
            highest, small = ir.constant(MAX_PRIORITY), ColumnType(SparkType.INT)
            return _each(operand, kind, lambda value: ir.Apply(ir.Function.AT_MOST, (value, highest), small))
        case Conversion.DELIVERY_COUNT:
            return _each(operand, kind, lambda value: ir.Apply(ir.Function.NEXT, (value,), BIGINT))
        case Conversion.GROUP_SEQUENCE:
            return _each(operand, kind, lambda value: ir.Apply(ir.Function.FOLDED, (value,), BIGINT))
        case Conversion.WHOLE_SECONDS:
            return _each(operand, kind, _whole_seconds)
        case Conversion.STRING_ID:
            return _string_id(stored, kind)
        case Conversion.PREFIXED_ID:
            return _id_texts(stored, kind, _PREFIXED_TEXTS)
        case Conversion.MESSAGE_ID:
            return _id_texts(stored, kind, _MESSAGE_ID_TEXTS)
        case Conversion.CORRELATION_ID:
            return _id_texts(stored, kind, _CORRELATION_ID_TEXTS)
        case Conversion.EXPIRY | Conversion.EXPIRY_UNLESS_ZERO:
            raise AssertionError("an expiry is read from several fields")
        case _:
            assert_never(conversion)


def _number_in_text(operand: Operand, types: OperandTypes, name: str) -> Operand:
    """Return ``operand`` with its strings as untyped texts, which are numbers in a comparison with a number."""
    texts = operand.of(OperandType.STRING)
    if operand.by_use is not None or not texts:
        return operand
    # Imported in the function to save start-up time: few brokers read a number from the text of an annotation.
    from transpiler.compiler.layouts.text_types import ByItsUse

    text = ir.first_of([ir.guarded(item.guard, item.value) for item in texts], STRING)
    spelled = at(ByItsUse().stored(text), types, name).by_use
    assert spelled is not None
    others = [item for item in operand.alternatives if item.type is not OperandType.STRING]
    number, boolean = (
        operand._replace(alternatives=tuple(_merged([*others, *view.alternatives])), nearest=())
        for view in (spelled.number, spelled.boolean)
    )
    return operand._replace(by_use=ByUse(number, boolean, operand.where([OperandType.STRING])))


def _without_columns_of(operand: Operand, *column_types: ColumnType) -> Operand:
    """Return the message ID ``operand`` without alternatives that are columns of ``column_types``.

    Such a column does not contain IDs, because an ID never has these types.
    """
    return operand._replace(
        alternatives=tuple(
            item
            for item in operand.alternatives
            if not (isinstance(item.value, ir.Column) and item.value.type in column_types)
        )
    )


def _text(function: ir.Function, value: ir.Value) -> ir.Value:
    """Return ``value``, which is bytes, converted to text by ``function``; return text unchanged."""
    return value if value.type == STRING else ir.Apply(function, (value,), STRING)


def _each(operand: Operand, kind: OperandType, convert: Callable[[ir.Value], ir.Value]) -> Operand:
    """Return ``operand`` with each value replaced by the result of ``convert``, of the type ``kind``."""
    return operand._replace(
        alternatives=tuple(item._replace(type=kind, value=convert(item.value)) for item in operand.alternatives)
    )


def _only_integers(operand: Operand) -> Operand:
    """Return ``operand`` without its values that are not integers: in rows with such a value it is NULL."""
    items = tuple(item for item in operand.alternatives if item.type.integer)
    if len(items) == 1 and items[0].guard == ir.TRUE:
        return from_value(items[0].type, items[0].value)
    return restricted(operand, items)


def _compares(operand: Operand, operator: Comparison) -> ir.Predicate:
    """Return the predicate that ``operand`` is an integer and that its comparison with zero holds."""
    return ir.any_of(
        *(
            ir.all_of(item.guard, ir.Compare(operator, item.value, ir.constant(0)))
            for item in operand.of(OperandType.LONG)
        )
    )


def _whole_seconds(milliseconds: ir.Value) -> ir.Value:
    """Return ``milliseconds`` truncated to whole seconds, computed so that nothing overflows."""
    rest = ir.Apply(ir.Function.REMAINDER_BIG, (milliseconds, ir.constant(1000)), BIGINT)
    return ir.Apply(ir.Function.TO_LONG, (ir.Apply(ir.Function.SUBTRACT_BIG, (milliseconds, rest), BIGINT),), BIGINT)


def _string_id(stored: Stored, kind: OperandType) -> Operand:
    """Return the text of an ID that is a string; NULL for other IDs."""
    strings = at(stored).of(OperandType.STRING)
    if not strings:
        return NULL
    item = strings[0]
    # In a tagged union, the value needs no guard, because the field for strings is NULL if the ID has another type.
    plain = item.guard == ir.TRUE or stored.tag is not None
    return from_value(kind, item.value if plain else ir.guarded(item.guard, item.value))


def _id_texts(stored: Stored, kind: OperandType, functions: _IdTexts) -> Operand:
    """Return the text of an ID, with one alternative for each type that the ID can have."""
    operand = at(stored)
    alternatives: list[Alternative] = []
    for amqp, function in functions.items():
        for item in operand.of(JMS_TYPES.table[amqp]):
            # Two types of IDs are stored as bytes, UUID and binary, so a guard must test the type. Any other stored
            # type belongs to one type of IDs only.
            guard = stored.has_type([amqp]) if item.type is OperandType.BYTES else ir.TRUE
            if guard != ir.FALSE:
                text = ir.Apply(function, (item.value,), STRING)
                alternatives.append(Alternative(kind, text, ir.all_of(item.guard, guard)))
    return operand._replace(alternatives=tuple(alternatives))
