"""Operands with the types that a broker tells apart: alternatives by AMQP type, NULL, and where evaluation throws.

In a row at most one of three holds: an alternative stands for the operand, the operand is NULL (``absent``), or its
evaluation throws (``raises``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from transpiler import ir
from transpiler.layouts.columns import (
    AMQP_TYPES,
    BIGINT,
    BINARY,
    BOOLEAN,
    DERIVED_TYPES,
    DOUBLE,
    STRING,
    ColumnSource,
    ColumnType,
    Derived,
    SparkType,
    TaggedUnion,
    TypedColumn,
)
from transpiler.message.operand_types import ByteText, OperandType, UnsignedLong
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpType, SelectorType, ValueType
from transpiler.selector.ast import Comparison
from transpiler.selector.dialect_rules import NumericPromotion
from transpiler.selector.dialects import Dialect

DECIMAL = ColumnType(SparkType.DECIMAL, 38, 0)


@dataclass(frozen=True, slots=True)
class Typed:
    """A value of one type, and the predicate under which it stands for the operand.

    ``sure`` says that the value is not NULL wherever the guard holds. ``number`` is a literal beyond 64 bits.
    ``family`` is all the guard that is needed where every alternative of the same value is meant, ``standing`` says
    without the value where the alternative stands. A value whose guard is TRUE is NULL where it does not stand.
    """

    type: OperandType
    value: ir.Value
    guard: ir.Predicate = ir.TRUE
    sure: bool = False
    number: int | None = None
    family: ir.Predicate | None = None
    standing: ir.Predicate | None = None

    @property
    def stands(self) -> ir.Predicate:
        """Where the alternative stands for the operand."""
        if self.standing is not None:
            return self.standing
        if self.sure or isinstance(self.value, ir.Constant):
            return self.guard
        return ir.all_of(self.guard, ir.IsNull(self.value, negated=True))


@dataclass(frozen=True, slots=True)
class TypedOperand:
    """The alternatives of an operand, where it is NULL, and where its evaluation throws."""

    alternatives: tuple[Typed, ...]
    absent: ir.Predicate = ir.FALSE
    raises: ir.Predicate = ir.FALSE
    #: Where it has a value, if that can be said in fewer words than by the alternatives.
    known: ir.Predicate | None = None
    #: The property that it is, for types that are compared by identity.
    origin: str = ""
    #: Where it is a number, likewise.
    numeric: ir.Predicate | None = None

    @property
    def present(self) -> ir.Predicate:
        """Where the operand has a value."""
        if self.known is not None:
            return self.known
        return ir.any_of(*(item.stands for item in self.alternatives))

    @property
    def nodes(self) -> Iterator[ir.Value | ir.Predicate]:
        """All values and predicates that it is made of."""
        for item in self.alternatives:
            yield from (item.value, item.guard, item.family or ir.TRUE, item.standing or ir.TRUE)
        yield from (self.absent, self.raises, self.known or ir.TRUE, self.numeric or ir.TRUE)

    def of(self, *types: OperandType) -> tuple[Typed, ...]:
        """The alternatives of some types."""
        return tuple(item for item in self.alternatives if item.type in types)

    def where(self, types: Iterable[OperandType]) -> ir.Predicate:
        """Where the operand has a value of one of some types."""
        wanted = set(types)
        if all(item.type in wanted for item in self.alternatives):
            return self.present
        if self.numeric is not None and all(item.type.numeric is (item.type in wanted) for item in self.alternatives):
            return self.numeric
        return ir.any_of(*(item.stands for item in self.alternatives if item.type in wanted))


NULL = TypedOperand((), absent=ir.TRUE, known=ir.FALSE)


def complement(predicate: ir.Predicate) -> ir.Predicate:
    """Where a predicate does not hold."""
    return ir.BoolConst(not predicate.value) if isinstance(predicate, ir.BoolConst) else ir.NotTrue(predicate)


def literal(kind: OperandType, value: bool | int | float | str) -> TypedOperand:
    """A literal: one alternative, in every row."""
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        item = Typed(kind, ir.Constant(value, DECIMAL), number=value)
    else:
        item = Typed(kind, ir.constant(value))
    return TypedOperand((item,), known=ir.TRUE)


_FIELDS = {"boolean": BOOLEAN, "long": BIGINT, "double": DOUBLE, "string": STRING, "binary": BINARY}


def at(location: ColumnSource, seen: ir.Value | None, dialect: Dialect, origin: str = "") -> TypedOperand:
    """What a place in a row is to a broker; ``seen`` is a typed column as the value that a selector sees."""
    match location:
        case TaggedUnion(path=path):
            return _union(path, dialect, origin)
        case TypedColumn(type=column_type):
            assert seen is not None
            return _column(AMQP_TYPES[column_type.kind], seen, dialect, origin)
        case Derived(derivation=derivation):
            assert seen is not None
            return _column(DERIVED_TYPES[derivation], seen, dialect, origin)


def _column(amqp: AmqpType, seen: ir.Value, dialect: Dialect, origin: str) -> TypedOperand:
    null = ir.IsNull(seen)
    if amqp in dialect.types.throws:
        return TypedOperand((), null, ir.IsNull(seen, negated=True), known=ir.FALSE)
    kind = dialect.types.table.get(amqp)
    if kind is None:
        return NULL
    if kind.integer and seen.type.kind is not SparkType.BIGINT:
        seen = ir.Apply(ir.Function.TO_LONG, (seen,), BIGINT)
    item = _item(kind, (amqp,), seen, ir.TRUE, dialect)
    if kind.floating and not dialect.types.special_doubles:
        return TypedOperand((Typed(kind, item.value, _finite(seen)),), ir.any_of(null, _not_finite(seen)))
    return TypedOperand((item,), null, known=ir.IsNull(seen, negated=True), origin=origin)


def _finite(value: ir.Value) -> ir.Predicate:
    """Times zero only what is infinite, or no number, is not zero."""
    return ir.Compare(
        Comparison.EQ, ir.Apply(ir.Function.MULTIPLY, (value, ir.constant(0.0)), DOUBLE), ir.constant(0.0)
    )


def _not_finite(value: ir.Value) -> ir.Predicate:
    return ir.Compare(
        Comparison.NE, ir.Apply(ir.Function.MULTIPLY, (value, ir.constant(0.0)), DOUBLE), ir.constant(0.0)
    )


def _union(path: tuple[object, ...], dialect: Dialect, origin: str) -> TypedOperand:
    types = dialect.types
    tag = ir.Column((*path, "type"), STRING)  # type: ignore[arg-type]
    by_field: dict[str, dict[tuple[OperandType, ir.Function | None], list[ValueType]]] = {}
    for amqp, kind in types.table.items():
        field = TYPE_CLASS[COERCION[amqp]].value
        by_field.setdefault(field, {}).setdefault((kind, _conversion(amqp, dialect)), []).append(amqp)
    everything = {
        field: [amqp for amqp, selector in COERCION.items() if _field_of(selector) == field] for field in _FIELDS
    }
    items: list[Typed] = []
    for field, kinds in by_field.items():
        column = ir.Column((*path, field), _FIELDS[field])  # type: ignore[arg-type]
        for (kind, _), names in kinds.items():
            others = [amqp for amqp in everything[field] if amqp not in names]
            guard: ir.Predicate = ir.TRUE
            if others:
                short = len(others) < len(names)
                guard = _not_tagged(tag, others) if short else _tagged(tag, names)
            items.extend(_items(kind, tuple(names), column, guard, bool(others), tag, dialect))
    dropped: ir.Predicate = ir.FALSE
    if not types.special_doubles:
        dropped = _not_finite(ir.Column((*path, "double"), DOUBLE))  # type: ignore[arg-type]
    without = [amqp for amqp in COERCION if amqp not in types.table and amqp not in types.throws]
    present = _not_tagged(tag, {*without, *types.throws})
    if len(types.table) < len(without) + len(types.throws):
        present = _tagged(tag, list(types.table))
    java = dialect.type_ladder in (NumericPromotion.UPWARDS, NumericPromotion.UPWARDS_THROWING)
    return TypedOperand(
        tuple(items) if java else _merged(items),
        ir.any_of(ir.IsNull(tag), _tagged(tag, without), dropped),
        _tagged(tag, types.throws) if types.throws else ir.FALSE,
        known=ir.all_of(present, complement(dropped)),
        origin=origin,
    )


def _merged(items: list[Typed]) -> tuple[Typed, ...]:
    """The alternatives of one type as one value, where a broker does not tell more types apart."""
    kinds: dict[OperandType, list[Typed]] = {}
    for item in items:
        kinds.setdefault(item.type, []).append(item)
    merged = []
    for kind, found in kinds.items():
        if len(found) == 1:
            merged.extend(found)
            continue
        parts = tuple(item.value if item.guard == ir.TRUE else ir.When(item.guard, item.value) for item in found)
        widest = DECIMAL if DECIMAL in {part.type for part in parts} else parts[0].type
        standing = ir.any_of(*(item.stands for item in found))
        merged.append(Typed(kind, ir.Apply(ir.Function.FIRST, parts, widest), standing=standing))
    return tuple(merged)


def _field_of(selector: SelectorType) -> str | None:
    return None if selector is SelectorType.NULL else TYPE_CLASS[selector].value


def _tagged(tag: ir.Value, names: Iterable[ValueType]) -> ir.Predicate:
    members = tuple(ir.constant(name) for name in sorted(amqp.value for amqp in names))
    return ir.In(tag, members) if len(members) > 1 else ir.Compare(Comparison.EQ, tag, members[0])


def _not_tagged(tag: ir.Value, names: Iterable[ValueType]) -> ir.Predicate:
    members = tuple(ir.constant(name) for name in sorted(amqp.value for amqp in names))
    return ir.In(tag, members, negated=True) if len(members) > 1 else ir.Compare(Comparison.NE, tag, members[0])


def _conversion(amqp: ValueType, dialect: Dialect) -> ir.Function | None:
    types = dialect.types
    if amqp is AmqpType.CHAR and types.char_is_number:
        return ir.Function.CODE_POINT
    if amqp in (AmqpType.BINARY, AmqpType.UUID) and types.table.get(amqp) is OperandType.STRING:
        uuid = amqp is AmqpType.UUID and types.byte_text is ByteText.UUID
        return ir.Function.TEXT_OF_UUID if uuid else ir.Function.TEXT_OF_BYTES
    return None


def _item(
    kind: OperandType, names: tuple[ValueType, ...], value: ir.Value, guard: ir.Predicate, dialect: Dialect
) -> Typed:
    conversion = _conversion(names[0], dialect)
    if conversion is not None:
        value = ir.Apply(conversion, (value,), BIGINT if conversion is ir.Function.CODE_POINT else STRING)
    # A field of a tagged union also holds the types that make the evaluation throw: their values are none of these.
    fields = {TYPE_CLASS[COERCION[thrown]] for thrown in dialect.types.throws}
    family = None if TYPE_CLASS[COERCION[names[0]]] in fields else ir.TRUE
    return Typed(kind, value, guard, sure=_names_types(guard), family=family)


def _names_types(guard: ir.Predicate) -> bool:
    """Whether a guard lists the types that it takes, each of which has a value."""
    return (isinstance(guard, ir.In) and not guard.negated) or (
        isinstance(guard, ir.Compare) and guard.operator is Comparison.EQ
    )


def _items(
    kind: OperandType,
    names: tuple[ValueType, ...],
    column: ir.Column,
    guard: ir.Predicate,
    partial: bool,
    tag: ir.Value,
    dialect: Dialect,
) -> Iterable[Typed]:
    types = dialect.types
    if kind is OperandType.LONG and AmqpType.ULONG in names and types.unsigned_long is not UnsignedLong.WRAPPED:
        # The canonical schema keeps the low 64 bits of an unsigned long.
        negative = ir.Compare(Comparison.LT, column, ir.constant(0))
        large = ir.all_of(ir.Compare(Comparison.EQ, tag, ir.constant(AmqpType.ULONG.value)), negative)
        small = ir.any_of(
            ir.Compare(Comparison.NE, tag, ir.constant(AmqpType.ULONG.value)),
            ir.Compare(Comparison.GE, column, ir.constant(0)),
        )
        if types.unsigned_long is UnsignedLong.EXACT:
            # Merged in this order, the column is only looked at where the first one is NULL.
            exact = ir.Apply(ir.Function.ADD_BIG, (column, ir.Constant(2**64, DECIMAL)), DECIMAL)
            yield Typed(kind, exact, large, sure=True)
            yield Typed(kind, column, guard)
        else:
            widened = ir.Apply(
                ir.Function.ADD, (ir.Apply(ir.Function.TO_DOUBLE, (column,), DOUBLE), ir.constant(float(2**64))), DOUBLE
            )
            yield Typed(kind, column, ir.all_of(guard, small), sure=partial and _names_types(guard))
            yield Typed(OperandType.DOUBLE, widened, large, sure=True)
        return
    if kind.floating and not types.special_doubles:
        yield Typed(kind, column, ir.all_of(guard, _finite(column)), sure=True)
        return
    yield _item(kind, names, column, guard, dialect)


def or_else(operand: TypedOperand, other: TypedOperand) -> TypedOperand:
    """The operand, and where it is NULL the other one."""
    fallback = tuple(
        Typed(
            item.type,
            item.value,
            ir.all_of(operand.absent, item.guard),
            item.sure,
            item.number,
            None if item.family is None else ir.all_of(operand.absent, item.family),
            None if item.standing is None else ir.all_of(operand.absent, item.standing),
        )
        for item in other.alternatives
    )
    return TypedOperand(
        operand.alternatives + fallback,
        ir.all_of(operand.absent, other.absent),
        ir.any_of(operand.raises, ir.all_of(operand.absent, other.raises)),
        ir.any_of(operand.present, ir.all_of(operand.absent, other.present)),
    )


def truth_value(true: ir.Predicate, false: ir.Predicate, raises: ir.Predicate) -> TypedOperand:
    """A condition as an operand: a boolean, and NULL where it is unknown."""
    return TypedOperand(
        (
            Typed(OperandType.BOOLEAN, ir.constant(True), true, sure=True),
            Typed(OperandType.BOOLEAN, ir.constant(False), false, sure=True),
        ),
        complement(ir.any_of(true, false, raises)),
        raises,
        ir.any_of(true, false),
    )
