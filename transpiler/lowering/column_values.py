"""From a place in a row to an operand: the types that a column, or a tagged union, can have to a dialect.

A dialect's table of operand types says what each AMQP type is to it, which types it does not have, and on which its
evaluation ends in an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from transpiler import ir
from transpiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, STRING, Path, SparkType
from transpiler.layouts.columns import (
    AMQP_TYPES,
    DERIVED_TYPES,
    PERSISTENT,
    ColumnSource,
    Derivation,
    Derived,
    TaggedUnion,
    TypedColumn,
)
from transpiler.lowering.operands import (
    DECIMAL,
    NULL,
    Alternative,
    Operand,
    choice,
    complement,
    from_value,
    without_conversions,
)
from transpiler.message.operand_types import JMS_TYPES, ByteText, OperandType, OperandTypes, UnsignedLong
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpType, SelectorType, ValueType
from transpiler.selector.ast import Comparison

#: The fields of a tagged union that hold a value, by the class of values that they are named after.
_FIELDS = {"boolean": BOOLEAN, "long": BIGINT, "double": DOUBLE, "string": STRING, "binary": BINARY}


def _field_of(selector_type: SelectorType) -> str | None:
    return None if selector_type is SelectorType.NULL else TYPE_CLASS[selector_type].value


#: The AMQP types whose values are in each field.
_TYPES_IN_FIELD = {
    field: tuple(amqp for amqp, selector_type in COERCION.items() if _field_of(selector_type) == field)
    for field in _FIELDS
}


@lru_cache(maxsize=4_096)
def at(source: ColumnSource, types: OperandTypes = JMS_TYPES, origin: str = "") -> Operand:
    """The operand at a place by a table of types; ``origin`` is the property's name.

    Selectors ask for the same few properties again and again, so the operands are kept.
    """
    match source:
        case TaggedUnion(path=path):
            return _union(path, types, origin)
        case TypedColumn():
            return _column(AMQP_TYPES[source.type.kind], column_value(source), types, origin)
        case Derived(derivation=Derivation.PERSISTENT, columns=[mode]):
            number = ir.Column(mode.path, mode.type)
            persistent = ir.Compare(Comparison.EQ, number, ir.constant(PERSISTENT))
            other = ir.Compare(Comparison.NE, number, ir.constant(PERSISTENT))
            there = from_value(OperandType.LONG, column_value(mode))
            return choice(there, OperandType.BOOLEAN, ((persistent, True), (other, False)))
        case Derived(derivation=derivation):
            return _column(DERIVED_TYPES[derivation], column_value(source), types, origin)


def column_value(source: TypedColumn | Derived) -> ir.Value:
    """The value of a place that has one type, as a selector sees it."""
    match source:
        case TypedColumn(path=path, type=column_type):
            return _seen(ir.Column(path, column_type))
        case Derived(derivation=Derivation.TEXT, columns=[column]):
            return ir.Apply(ir.Function.TEXT, (column_value(column),), STRING)
        case Derived(derivation=Derivation.UUID, columns=[column]):
            return column_value(column)
        case Derived(derivation=Derivation.ADDRESS, columns=[exchange, key]):
            return ir.Apply(ir.Function.ADDRESS, (column_value(exchange), column_value(key)), STRING)
        case Derived(derivation=Derivation.PERSISTENT):
            items = at(source).alternatives
            return ir.Apply(ir.Function.FIRST, tuple(ir.When(item.guard, item.value) for item in items), BOOLEAN)
    raise AssertionError(source)


def _seen(column: ir.Column) -> ir.Value:
    """A column as the value that a selector sees."""
    match column.type.kind:
        case SparkType.FLOAT | SparkType.DECIMAL:
            return ir.Apply(ir.Function.TO_DOUBLE, (column,), DOUBLE)
        case SparkType.TIMESTAMP | SparkType.TIMESTAMP_NTZ:
            return ir.Apply(ir.Function.MILLISECONDS, (column,), BIGINT)
        case SparkType.CHAR:
            return ir.Apply(ir.Function.UNPADDED, (_by_bytes(column),), STRING)
        case SparkType.STRING | SparkType.VARCHAR:
            return _by_bytes(column)
        case _:
            return column


def _by_bytes(column: ir.Column) -> ir.Value:
    if column.type.collation == "UTF8_BINARY":
        return column
    return ir.Apply(ir.Function.BY_BYTES, (column,), STRING)


def _column(amqp: AmqpType, value: ir.Value, types: OperandTypes, origin: str) -> Operand:
    decides = without_conversions(value)
    present, absent = ir.IsNull(decides, negated=True), ir.IsNull(decides)
    if amqp in types.throws:
        return Operand((), ir.FALSE, absent, present)
    kind = types.table.get(amqp)
    if kind is None:
        return NULL
    value = _converted(amqp, value, types)
    if kind.floating and not types.special_doubles:
        finite = _finite(value)
        return Operand((Alternative(kind, value, finite),), finite, ir.any_of(absent, _not_finite(value)))
    return Operand((Alternative(kind, value),), present, absent, origin=origin)


def _finite(value: ir.Value) -> ir.Predicate:
    """Times zero only what is infinite, or no number, is not zero."""
    return ir.Compare(
        Comparison.EQ, ir.Apply(ir.Function.MULTIPLY, (value, ir.constant(0.0)), DOUBLE), ir.constant(0.0)
    )


def _not_finite(value: ir.Value) -> ir.Predicate:
    return ir.Compare(
        Comparison.NE, ir.Apply(ir.Function.MULTIPLY, (value, ir.constant(0.0)), DOUBLE), ir.constant(0.0)
    )


def _union(path: Path, types: OperandTypes, origin: str) -> Operand:
    tag = ir.Column((*path, "type"), STRING)
    by_field: dict[str, dict[tuple[OperandType, ir.Function | None], list[ValueType]]] = {}
    for amqp, kind in types.table.items():
        field = TYPE_CLASS[COERCION[amqp]].value
        by_field.setdefault(field, {}).setdefault((kind, _conversion(amqp, types)), []).append(amqp)
    items: list[Alternative] = []
    for field, kinds in by_field.items():
        column = ir.Column((*path, field), _FIELDS[field])
        for (kind, _), names in kinds.items():
            items.extend(_field_values(kind, names, column, tag, types))
    dropped: ir.Predicate = ir.FALSE
    if not types.special_doubles:
        dropped = _not_finite(ir.Column((*path, "double"), DOUBLE))
    without = [amqp for amqp in COERCION if amqp not in types.table and amqp not in types.throws]
    present = _not_tagged(tag, {*without, *types.throws})
    if len(types.table) < len(without) + len(types.throws):
        present = _tagged(tag, types.table)
    return Operand(
        tuple(_merged(items)),
        ir.all_of(present, complement(dropped)),
        ir.any_of(ir.IsNull(tag), _tagged(tag, without), dropped),
        _tagged(tag, types.throws) if types.throws else ir.FALSE,
        origin,
    )


def _field_values(
    kind: OperandType, names: list[ValueType], column: ir.Column, tag: ir.Value, types: OperandTypes
) -> Iterator[Alternative]:
    """The values of one field of a tagged union that have one type to the dialect."""
    others = [amqp for amqp in _TYPES_IN_FIELD[str(column.path[-1])] if amqp not in names]
    guard: ir.Predicate = ir.TRUE
    if others:
        guard = _not_tagged(tag, others) if len(others) < len(names) else _tagged(tag, names)
    if kind is OperandType.LONG and AmqpType.ULONG in names and types.unsigned_long is not UnsignedLong.WRAPPED:
        yield from _unsigned(column, tag, guard, types)
    elif kind.floating and not types.special_doubles:
        yield Alternative(kind, column, ir.all_of(guard, _finite(column)), never_null=True)
    else:
        # A field also holds the types that make the evaluation throw: their values are none of these.
        throwing = {TYPE_CLASS[COERCION[thrown]] for thrown in types.throws}
        shared = None if TYPE_CLASS[COERCION[names[0]]] in throwing else ir.TRUE
        value = _converted(names[0], column, types)
        yield Alternative(kind, value, guard, never_null=_names_types(guard), shared_guard=shared)


def _unsigned(column: ir.Column, tag: ir.Value, guard: ir.Predicate, types: OperandTypes) -> Iterator[Alternative]:
    """Integers beside unsigned longs, of which the canonical schema keeps the low 64 bits."""
    negative = ir.Compare(Comparison.LT, column, ir.constant(0))
    unsigned = ir.constant(AmqpType.ULONG.value)
    large = ir.all_of(ir.Compare(Comparison.EQ, tag, unsigned), negative)
    if types.unsigned_long is UnsignedLong.EXACT:
        # Merged in this order, the column is only looked at where the first one is NULL.
        exact = ir.Apply(ir.Function.ADD_BIG, (column, ir.Constant(2**64, DECIMAL)), DECIMAL)
        yield Alternative(OperandType.LONG, exact, large, never_null=True)
        yield Alternative(OperandType.LONG, column, guard)
        return
    small = ir.any_of(ir.Compare(Comparison.NE, tag, unsigned), ir.Compare(Comparison.GE, column, ir.constant(0)))
    double = ir.Apply(ir.Function.TO_DOUBLE, (column,), DOUBLE)
    widened = ir.Apply(ir.Function.ADD, (double, ir.constant(float(2**64))), DOUBLE)
    yield Alternative(OperandType.LONG, column, ir.all_of(guard, small), never_null=_names_types(guard))
    yield Alternative(OperandType.DOUBLE, widened, large, never_null=True)


def _merged(items: list[Alternative]) -> Iterator[Alternative]:
    """The alternatives of one type as one value."""
    kinds: dict[OperandType, list[Alternative]] = {}
    for item in items:
        kinds.setdefault(item.type, []).append(item)
    for kind, parts in kinds.items():
        if len(parts) == 1:
            yield parts[0]
            continue
        values = tuple(part.value if part.guard == ir.TRUE else ir.When(part.guard, part.value) for part in parts)
        widest = DECIMAL if DECIMAL in {value.type for value in values} else values[0].type
        stands = ir.any_of(*[part.stands for part in parts])
        yield Alternative(kind, ir.Apply(ir.Function.FIRST, values, widest), stands_where=stands)


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


def _tagged(tag: ir.Value, names: Iterable[ValueType]) -> ir.Predicate:
    return _tag_is_in(tag, names, negated=False)


def _not_tagged(tag: ir.Value, names: Iterable[ValueType]) -> ir.Predicate:
    return _tag_is_in(tag, names, negated=True)


def _tag_is_in(tag: ir.Value, names: Iterable[ValueType], negated: bool) -> ir.Predicate:
    members = tuple([ir.constant(name) for name in sorted(amqp.value for amqp in names)])
    if len(members) > 1:
        return ir.In(tag, members, negated)
    return ir.Compare(Comparison.NE if negated else Comparison.EQ, tag, members[0])


def _names_types(guard: ir.Predicate) -> bool:
    """Whether a guard lists the types that it takes, each of which has a value."""
    match guard:
        case ir.In(negated=negated):
            return not negated
        case ir.Compare(operator=operator):
            return operator is Comparison.EQ
        case _:
            return False
