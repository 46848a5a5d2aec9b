"""Shapes: what conditions have in common when their constants are taken out.

A *pattern* is a condition of the core in which parameters stand for constants. It is cut into disjuncts; the
equalities of a disjunct become the key of a table of constants, and what else it says, its residual, is asked of the
rows that have the key. A message that fits a binding in two ways has it twice, and the queues are made distinct in
the end.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from transpiler import ir
from transpiler.ir.column_types import ColumnType, SparkType
from transpiler.routing import tuning
from transpiler.selector.ast import Comparison

#: The name under which the residual sees a row of constants.
ROW = "_routing_row"

#: What a parameter can be.
Parameter = bool | int | float | str | bytes


def parameter(number: int, column_type: ColumnType) -> ir.Column:
    """The column that stands for a constant."""
    return ir.Column((ROW, f"p{number}"), column_type)


def parameter_number(value: ir.Value) -> int | None:
    """Which parameter a column stands for; None where it is a column of the message."""
    if isinstance(value, ir.Column) and value.path[0] == ROW:
        return int(str(value.path[1])[1:])
    return None


@dataclass(frozen=True, slots=True)
class Signature:
    """What is looked up for each message (``keys``), what is asked of the rows found, and the parameters' types.

    ``guard`` is what is asked of the message alone, and so once, however many rows have its keys.
    """

    keys: tuple[ir.Value, ...]
    key_types: tuple[ColumnType, ...]
    guard: ir.Predicate
    residual: ir.Predicate
    types: tuple[ColumnType, ...]


#: From the constants of a condition to one of a row.
Take = Callable[[Sequence[Parameter]], Parameter]


@dataclass(frozen=True, slots=True)
class Disjunct:
    """One way in which a pattern can hold: a shape, and how the row of a condition is taken from its constants."""

    shape: Signature
    keys: tuple[Take, ...]
    parameters: tuple[int, ...]

    def row(self, constants: Sequence[Parameter]) -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
        """The key of the row of one condition, and its other columns."""
        return tuple(take(constants) for take in self.keys), tuple(constants[number] for number in self.parameters)


def disjuncts(pattern: ir.Predicate) -> tuple[Disjunct, ...]:
    """The ways in which a pattern can hold; one that would have too many is one way as a whole."""
    return tuple(_disjunct(terms) for terms in _ways(pattern, tuning.MAX_DISJUNCTS))


def bind_parameters(pattern: ir.Predicate, constants: Sequence[Parameter]) -> ir.Predicate:
    """The condition: the pattern with its parameters replaced by constants."""

    def constant(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        if number is None:
            return column
        found = constants[number]
        assert not isinstance(found, bytes)
        return ir.Constant(found, column.type)

    return ir.replace_columns(pattern, constant)


_Terms = tuple[ir.Predicate, ...]


def _ways(node: ir.Predicate, limit: int) -> list[_Terms]:
    """Conjunctions of which one holds where the predicate does."""
    match node:
        case ir.Or(terms=terms):
            found = [way for term in terms for way in _ways(term, limit)]
            keyed = [way for way in found if _has_key(way)]
            if not keyed or len(keyed) > limit:
                return [(node,)]
            # What has no key is asked of every message anyway: in one go.
            rest = [ir.all_of(*way) for way in found if not _has_key(way)]
            return [*keyed, (ir.any_of(*rest),)] if rest else keyed
        case ir.And(terms=terms):
            choices: list[list[_Terms]] = []
            count = 1
            # A term with an equality in each way is worth cutting: each way has a key then.
            for term in terms:
                ways = _ways(term, limit)
                if len(ways) > 1 and (count * len(ways) > limit or not all(map(_has_key, ways))):
                    ways = [(term,)]
                count *= len(ways)
                choices.append(ways)
            return [tuple(term for way in chosen for term in way) for chosen in product(*choices)]
        case ir.In(value=value, members=members, negated=False) if len(members) <= limit:
            return [(ir.Compare(Comparison.EQ, value, member),) for member in members]
        case _:
            return [(node,)] if node != ir.TRUE else [()]


def _has_key(terms: _Terms) -> bool:
    return any(_as_key(term) is not None for term in terms)


def _as_key(term: ir.Predicate) -> tuple[ir.Value, ColumnType, Take] | None:
    """An equality of a value of the message with a constant."""
    if not isinstance(term, ir.Compare) or term.operator is not Comparison.EQ:
        return None
    for value, other in ((term.left, term.right), (term.right, term.left)):
        take = constant_of(other)
        if take is not None and reads_message(value):
            return value, other.type, take
    return None


def constant_of(value: ir.Value) -> Take | None:
    """How the constant that a value is comes from those of a condition; None where it is none."""
    number = parameter_number(value)
    if number is not None:
        return _Get(number)
    match value:
        case ir.Constant(value=found, type=column_type) if column_type.kind in _PLAIN:
            return _Always(found)
        case ir.Apply(function=ir.Function.TO_DOUBLE, arguments=(inner,)) if (
            number := parameter_number(inner)
        ) is not None:
            return _Widened(number)
        case ir.Apply(function=ir.Function.TO_FLOAT, arguments=(inner,)) if (
            number := parameter_number(inner)
        ) is not None:
            return _Narrowed(number)
        case _:
            return None


#: Types whose constants are the values that a table holds.
_PLAIN = (
    SparkType.BOOLEAN,
    SparkType.TINYINT,
    SparkType.SMALLINT,
    SparkType.INT,
    SparkType.BIGINT,
    SparkType.DOUBLE,
    SparkType.STRING,
    SparkType.BINARY,
)


@dataclass(frozen=True, slots=True)
class _Get:
    number: int

    def __call__(self, constants: Sequence[Parameter]) -> Parameter:
        return constants[self.number]


@dataclass(frozen=True, slots=True)
class _Widened:
    number: int

    def __call__(self, constants: Sequence[Parameter]) -> Parameter:
        return float(constants[self.number])


@dataclass(frozen=True, slots=True)
class _Narrowed:
    number: int

    def __call__(self, constants: Sequence[Parameter]) -> Parameter:
        return nearest_float(constants[self.number])


def nearest_float(number: Parameter) -> float:
    """The 32-bit floating point number next to a number, the even one of two, as a double."""
    if isinstance(number, int) and abs(number) > _EXACT:
        # By way of the nearest double it would be rounded twice.
        size = abs(number)
        bits = size.bit_length() - _FLOAT_BITS
        kept, rest, half = size >> bits, size & ((1 << bits) - 1), 1 << (bits - 1)
        kept += rest > half or (rest == half and kept & 1)
        return float(kept << bits) * (1 if number > 0 else -1)
    return float(struct.unpack("f", struct.pack("f", float(number)))[0])


#: Integers up to here are doubles, and the bits of a 32-bit float's significand.
_EXACT, _FLOAT_BITS = 2**53, 24


@dataclass(frozen=True, slots=True)
class _Always:
    value: Parameter

    def __call__(self, _: Sequence[Parameter]) -> Parameter:
        return self.value


def reads_message(value: ir.Node) -> bool:
    """Whether a value or predicate depends on the message, and on no parameter."""
    inner = list(columns_in(value))
    return bool(inner) and all(parameter_number(column) is None for column in inner)


def reads_parameters(node: ir.Node) -> bool:
    """Whether a value or predicate depends on a parameter."""
    return any(parameter_number(column) is not None for column in columns_in(node))


def columns_in(node: ir.Node) -> Iterator[ir.Column]:
    """The columns that a value or predicate reads."""
    if isinstance(node, ir.Column):
        yield node
    for part in ir.children(node):
        yield from columns_in(part)


def _disjunct(terms: _Terms) -> Disjunct:
    keys: dict[ir.Value, tuple[ColumnType, Take]] = {}
    rest: list[ir.Predicate] = []
    for term in terms:
        found = _as_key(term)
        if found is None or found[0] in keys:
            rest.append(term)
        else:
            keys[found[0]] = found[1:]
    # The order in which a selector names its properties is no part of its shape.
    ordered = sorted(keys.items(), key=lambda item: repr(item[0]))
    asked = sorted((term for term in rest if not reads_parameters(term)), key=repr)
    residual, numbers, types = _numbered(sorted(filter(reads_parameters, rest), key=_masked))
    shape = Signature(
        tuple(value for value, _ in ordered),
        tuple(column_type for _, (column_type, _) in ordered),
        ir.all_of(*asked),
        residual,
        types,
    )
    return Disjunct(shape, tuple(take for _, (_, take) in ordered), numbers)


def _masked(term: ir.Predicate) -> str:
    return repr(_renumber(term, lambda _: 0))


def _numbered(terms: list[ir.Predicate]) -> tuple[ir.Predicate, tuple[int, ...], tuple[ColumnType, ...]]:
    """The conjunction with its parameters numbered in order, which ones they were, and their types."""
    found: dict[int, ColumnType] = {}
    for term in terms:
        for column in columns_in(term):
            number = parameter_number(column)
            if number is not None:
                found.setdefault(number, column.type)
    order = {number: place for place, number in enumerate(found)}
    residual = ir.all_of(*(_renumber(term, order.__getitem__) for term in terms))
    return residual, tuple(found), tuple(found.values())


def shift_parameters(pattern: ir.Predicate, places: int) -> ir.Predicate:
    """The pattern with its parameters numbered from ``places`` on."""
    return _renumber(pattern, lambda number: number + places)


def _renumber(node: ir.Predicate, number_of: Callable[[int], int]) -> ir.Predicate:
    def renumbered(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        return column if number is None else parameter(number_of(number), column.type)

    return ir.replace_columns(node, renumbered)
