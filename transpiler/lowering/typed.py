"""Operands with the types that a broker tells apart: alternatives by AMQP type, NULL, and where evaluation throws.

In a row at most one of three holds: an alternative stands for the operand, the operand is NULL (``absent``), or its
evaluation throws (``raises``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from transpiler.ir.functions import Function
from transpiler.ir.nodes import (
    FALSE,
    TRUE,
    Apply,
    Column,
    Compare,
    Constant,
    In,
    IsNull,
    NotTrue,
    Predicate,
    Truth,
    Value,
    When,
    all_of,
    any_of,
    constant,
)
from transpiler.layouts.columns import (
    AMQP_TYPES,
    BIGINT,
    BINARY,
    BOOLEAN,
    DERIVED_TYPES,
    DOUBLE,
    STRING,
    ColumnType,
    Derived,
    Kind,
    Location,
    TaggedUnion,
    TypedColumn,
)
from transpiler.message.operand_types import ByteText, OperandType, UnsignedLong
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpType, SelectorType, ValueType
from transpiler.selector.ast import Comparison
from transpiler.selector.dialect_rules import TypeLadder
from transpiler.selector.dialects import Dialect

DECIMAL = ColumnType(Kind.DECIMAL, 38, 0)


@dataclass(frozen=True, slots=True)
class Typed:
    """A value of one type, and the predicate under which it stands for the operand.

    ``sure`` says that the value is not NULL wherever the guard holds. ``number`` is a literal beyond 64 bits.
    ``family`` is all the guard that is needed where every alternative of the same value is meant, ``standing`` says
    without the value where the alternative stands. A value whose guard is TRUE is NULL where it does not stand.
    """

    type: OperandType
    value: Value
    guard: Predicate = TRUE
    sure: bool = False
    number: int | None = None
    family: Predicate | None = None
    standing: Predicate | None = None

    @property
    def stands(self) -> Predicate:
        """Where the alternative stands for the operand."""
        if self.standing is not None:
            return self.standing
        if self.sure or isinstance(self.value, Constant):
            return self.guard
        return all_of(self.guard, IsNull(self.value, negated=True))


@dataclass(frozen=True, slots=True)
class TypedOperand:
    """The alternatives of an operand, where it is NULL, and where its evaluation throws."""

    alternatives: tuple[Typed, ...]
    absent: Predicate = FALSE
    raises: Predicate = FALSE
    #: Where it has a value, if that can be said in fewer words than by the alternatives.
    known: Predicate | None = None
    #: The property that it is, for types that are compared by identity.
    origin: str = ""
    #: Where it is a number, likewise.
    numeric: Predicate | None = None

    @property
    def present(self) -> Predicate:
        """Where the operand has a value."""
        if self.known is not None:
            return self.known
        return any_of(*(item.stands for item in self.alternatives))

    @property
    def nodes(self) -> Iterator[Value | Predicate]:
        """All values and predicates that it is made of."""
        for item in self.alternatives:
            yield from (item.value, item.guard, item.family or TRUE, item.standing or TRUE)
        yield from (self.absent, self.raises, self.known or TRUE, self.numeric or TRUE)

    def of(self, *types: OperandType) -> tuple[Typed, ...]:
        """The alternatives of some types."""
        return tuple(item for item in self.alternatives if item.type in types)

    def where(self, types: Iterable[OperandType]) -> Predicate:
        """Where the operand has a value of one of some types."""
        wanted = set(types)
        if all(item.type in wanted for item in self.alternatives):
            return self.present
        if self.numeric is not None and all(item.type.numeric is (item.type in wanted) for item in self.alternatives):
            return self.numeric
        return any_of(*(item.stands for item in self.alternatives if item.type in wanted))


NULL = TypedOperand((), absent=TRUE, known=FALSE)


def complement(predicate: Predicate) -> Predicate:
    """Where a predicate does not hold."""
    return Truth(not predicate.value) if isinstance(predicate, Truth) else NotTrue(predicate)


def literal(kind: OperandType, value: bool | int | float | str) -> TypedOperand:
    """A literal: one alternative, in every row."""
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        item = Typed(kind, Constant(value, DECIMAL), number=value)
    else:
        item = Typed(kind, constant(value))
    return TypedOperand((item,), known=TRUE)


_FIELDS = {"boolean": BOOLEAN, "long": BIGINT, "double": DOUBLE, "string": STRING, "binary": BINARY}


def at(location: Location, seen: Value | None, dialect: Dialect, origin: str = "") -> TypedOperand:
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


def _column(amqp: AmqpType, seen: Value, dialect: Dialect, origin: str) -> TypedOperand:
    null = IsNull(seen)
    if amqp in dialect.types.throws:
        return TypedOperand((), null, IsNull(seen, negated=True), known=FALSE)
    kind = dialect.types.table.get(amqp)
    if kind is None:
        return NULL
    if kind.integer and seen.type.kind is not Kind.BIGINT:
        seen = Apply(Function.TO_LONG, (seen,), BIGINT)
    item = _item(kind, (amqp,), seen, TRUE, dialect)
    if kind.floating and not dialect.types.special_doubles:
        return TypedOperand((Typed(kind, item.value, _finite(seen)),), any_of(null, _not_finite(seen)))
    return TypedOperand((item,), null, known=IsNull(seen, negated=True), origin=origin)


def _finite(value: Value) -> Predicate:
    """Times zero only what is infinite, or no number, is not zero."""
    return Compare(Comparison.EQ, Apply(Function.MULTIPLY, (value, constant(0.0)), DOUBLE), constant(0.0))


def _not_finite(value: Value) -> Predicate:
    return Compare(Comparison.NE, Apply(Function.MULTIPLY, (value, constant(0.0)), DOUBLE), constant(0.0))


def _union(path: tuple[object, ...], dialect: Dialect, origin: str) -> TypedOperand:
    types = dialect.types
    tag = Column((*path, "type"), STRING)  # type: ignore[arg-type]
    by_field: dict[str, dict[tuple[OperandType, Function | None], list[ValueType]]] = {}
    for amqp, kind in types.table.items():
        field = TYPE_CLASS[COERCION[amqp]].value
        by_field.setdefault(field, {}).setdefault((kind, _conversion(amqp, dialect)), []).append(amqp)
    everything = {
        field: [amqp for amqp, selector in COERCION.items() if _field_of(selector) == field] for field in _FIELDS
    }
    items: list[Typed] = []
    for field, kinds in by_field.items():
        column = Column((*path, field), _FIELDS[field])  # type: ignore[arg-type]
        for (kind, _), names in kinds.items():
            others = [amqp for amqp in everything[field] if amqp not in names]
            guard: Predicate = TRUE
            if others:
                short = len(others) < len(names)
                guard = _not_tagged(tag, others) if short else _tagged(tag, names)
            items.extend(_items(kind, tuple(names), column, guard, bool(others), tag, dialect))
    dropped: Predicate = FALSE
    if not types.special_doubles:
        dropped = _not_finite(Column((*path, "double"), DOUBLE))  # type: ignore[arg-type]
    without = [amqp for amqp in COERCION if amqp not in types.table and amqp not in types.throws]
    present = _not_tagged(tag, {*without, *types.throws})
    if len(types.table) < len(without) + len(types.throws):
        present = _tagged(tag, list(types.table))
    java = dialect.type_ladder in (TypeLadder.UPWARDS, TypeLadder.UPWARDS_THROWING)
    return TypedOperand(
        tuple(items) if java else _merged(items),
        any_of(IsNull(tag), _tagged(tag, without), dropped),
        _tagged(tag, types.throws) if types.throws else FALSE,
        known=all_of(present, complement(dropped)),
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
        parts = tuple(item.value if item.guard == TRUE else When(item.guard, item.value) for item in found)
        widest = DECIMAL if DECIMAL in {part.type for part in parts} else parts[0].type
        standing = any_of(*(item.stands for item in found))
        merged.append(Typed(kind, Apply(Function.FIRST, parts, widest), standing=standing))
    return tuple(merged)


def _field_of(selector: SelectorType) -> str | None:
    return None if selector is SelectorType.NULL else TYPE_CLASS[selector].value


def _tagged(tag: Value, names: Iterable[ValueType]) -> Predicate:
    members = tuple(constant(name) for name in sorted(amqp.value for amqp in names))
    return In(tag, members) if len(members) > 1 else Compare(Comparison.EQ, tag, members[0])


def _not_tagged(tag: Value, names: Iterable[ValueType]) -> Predicate:
    members = tuple(constant(name) for name in sorted(amqp.value for amqp in names))
    return In(tag, members, negated=True) if len(members) > 1 else Compare(Comparison.NE, tag, members[0])


def _conversion(amqp: ValueType, dialect: Dialect) -> Function | None:
    types = dialect.types
    if amqp is AmqpType.CHAR and types.char_is_number:
        return Function.CODE_POINT
    if amqp in (AmqpType.BINARY, AmqpType.UUID) and types.table.get(amqp) is OperandType.STRING:
        uuid = amqp is AmqpType.UUID and types.byte_text is ByteText.UUID
        return Function.TEXT_OF_UUID if uuid else Function.TEXT_OF_BYTES
    return None


def _item(kind: OperandType, names: tuple[ValueType, ...], value: Value, guard: Predicate, dialect: Dialect) -> Typed:
    conversion = _conversion(names[0], dialect)
    if conversion is not None:
        value = Apply(conversion, (value,), BIGINT if conversion is Function.CODE_POINT else STRING)
    # A field of a tagged union also holds the types that make the evaluation throw: their values are none of these.
    fields = {TYPE_CLASS[COERCION[thrown]] for thrown in dialect.types.throws}
    family = None if TYPE_CLASS[COERCION[names[0]]] in fields else TRUE
    return Typed(kind, value, guard, sure=_names_types(guard), family=family)


def _names_types(guard: Predicate) -> bool:
    """Whether a guard lists the types that it takes, each of which has a value."""
    return (isinstance(guard, In) and not guard.negated) or (
        isinstance(guard, Compare) and guard.operator is Comparison.EQ
    )


def _items(
    kind: OperandType,
    names: tuple[ValueType, ...],
    column: Column,
    guard: Predicate,
    partial: bool,
    tag: Value,
    dialect: Dialect,
) -> Iterable[Typed]:
    types = dialect.types
    if kind is OperandType.LONG and AmqpType.ULONG in names and types.unsigned_long is not UnsignedLong.WRAPPED:
        # The canonical schema keeps the low 64 bits of an unsigned long.
        negative = Compare(Comparison.LT, column, constant(0))
        large = all_of(Compare(Comparison.EQ, tag, constant(AmqpType.ULONG.value)), negative)
        small = any_of(
            Compare(Comparison.NE, tag, constant(AmqpType.ULONG.value)),
            Compare(Comparison.GE, column, constant(0)),
        )
        if types.unsigned_long is UnsignedLong.EXACT:
            # Merged in this order, the column is only looked at where the first one is NULL.
            exact = Apply(Function.ADD_BIG, (column, Constant(2**64, DECIMAL)), DECIMAL)
            yield Typed(kind, exact, large, sure=True)
            yield Typed(kind, column, guard)
        else:
            widened = Apply(
                Function.ADD, (Apply(Function.TO_DOUBLE, (column,), DOUBLE), constant(float(2**64))), DOUBLE
            )
            yield Typed(kind, column, all_of(guard, small), sure=partial and _names_types(guard))
            yield Typed(OperandType.DOUBLE, widened, large, sure=True)
        return
    if kind.floating and not types.special_doubles:
        yield Typed(kind, column, all_of(guard, _finite(column)), sure=True)
        return
    yield _item(kind, names, column, guard, dialect)


def or_else(operand: TypedOperand, other: TypedOperand) -> TypedOperand:
    """The operand, and where it is NULL the other one."""
    fallback = tuple(
        Typed(
            item.type,
            item.value,
            all_of(operand.absent, item.guard),
            item.sure,
            item.number,
            None if item.family is None else all_of(operand.absent, item.family),
            None if item.standing is None else all_of(operand.absent, item.standing),
        )
        for item in other.alternatives
    )
    return TypedOperand(
        operand.alternatives + fallback,
        all_of(operand.absent, other.absent),
        any_of(operand.raises, all_of(operand.absent, other.raises)),
        any_of(operand.present, all_of(operand.absent, other.present)),
    )


def truth_value(true: Predicate, false: Predicate, raises: Predicate) -> TypedOperand:
    """A condition as an operand: a boolean, and NULL where it is unknown."""
    return TypedOperand(
        (
            Typed(OperandType.BOOLEAN, constant(True), true, sure=True),
            Typed(OperandType.BOOLEAN, constant(False), false, sure=True),
        ),
        complement(any_of(true, false, raises)),
        raises,
        any_of(true, false),
    )
