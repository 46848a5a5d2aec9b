"""Expression signatures: the common form of conditions that differ in their constants only.

A *pattern* is a condition of the IR in which parameters stand for constants. It is split into disjuncts; the
equalities of a disjunct become the key of a constant table, and its other conjuncts, the residual predicate, are
evaluated on the rows that have the key. A message that fulfils two disjuncts of a binding is delivered twice, and the
queues are made distinct in the end.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import product
from operator import itemgetter

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, SparkType
from transpiler.routing import tuning
from transpiler.routing.columns import ROW

#: The Python types of a parameter's value.
Parameter = bool | int | float | Decimal | str | bytes


def parameter(number: int, column_type: ColumnType) -> ir.Column:
    """The column that stands for a constant."""
    return ir.Column((ROW, f"p{number}"), column_type)


def parameter_number(value: ir.Value) -> int | None:
    """The number of the parameter that a column stands for; None for a column of the message."""
    if isinstance(value, ir.Column) and value.path[0] == ROW:
        return int(str(value.path[1])[1:])
    return None


@dataclass(frozen=True, slots=True)
class Signature:
    """The values looked up for each message (``keys``), the residual predicate, and the parameters' types.

    ``guard`` reads the message alone, so it is evaluated once, however many rows have the message's keys.
    """

    keys: tuple[ir.Value, ...]
    key_types: tuple[ColumnType, ...]
    guard: ir.Predicate
    residual: ir.Predicate
    types: tuple[ColumnType, ...]


#: Computes a constant of a row from the constants of a condition.
Extract = Callable[[Sequence[Parameter]], Parameter]


@dataclass(frozen=True, slots=True)
class Disjunct:
    """One disjunct of a pattern: a signature, and how a condition's row is computed from its constants."""

    signature: Signature
    keys: tuple[Extract, ...]
    parameters: tuple[int, ...]

    def row(self, constants: Sequence[Parameter]) -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
        """The key of the row of one condition, and its other columns."""
        key = tuple([extract(constants) for extract in self.keys])
        return key, tuple([constants[number] for number in self.parameters])


def disjuncts(pattern: ir.Predicate) -> tuple[Disjunct, ...]:
    """The disjuncts of a pattern; one that would have too many is one disjunct as a whole."""
    return tuple(_disjunct(terms) for terms in _alternatives(pattern, _has_index))


def bind_parameters(pattern: ir.Predicate, constants: Sequence[Parameter]) -> ir.Predicate:
    """The condition: the pattern with its parameters replaced by constants."""

    def constant(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        if number is None:
            return column
        return as_constant(constants[number], column.type)

    return ir.replace_columns(pattern, constant)


_Terms = tuple[ir.Predicate, ...]


def _alternatives(node: ir.Predicate, has_index: Callable[[_Terms], bool]) -> list[_Terms]:
    """The conjunctions of a disjunctive normal form, as far as the limits allow and each disjunct gains an index."""
    match node:
        case ir.Or(terms=terms):
            conjunctions = [conjunction for term in terms for conjunction in _alternatives(term, has_index)]
            indexed = [conjunction for conjunction in conjunctions if has_index(conjunction)]
            if not indexed or len(indexed) > tuning.MAX_LISTED:
                return [(node,)]
            # A disjunct without an index is evaluated for every message anyway, so all of them are one condition.
            rest = [ir.all_of(*conjunction) for conjunction in conjunctions if not has_index(conjunction)]
            return [*indexed, (ir.any_of(*rest),)] if rest else indexed
        case ir.And(terms=terms):
            # Distributing over a term pays where each of its disjuncts has a key.
            return [
                tuple(term for conjunction in chosen for term in conjunction)
                for chosen in product(*_distributed([_alternatives(term, _has_key) for term in terms], terms))
            ]
        case ir.In(value=value, members=members, negated=False) if len(members) <= tuning.MAX_LISTED:
            return [(ir.Compare(Comparison.EQ, value, member),) for member in members]
        case _:
            return [(node,)] if node != ir.TRUE else [()]


def _distributed(choices: list[list[_Terms]], terms: Sequence[ir.Predicate]) -> list[list[_Terms]]:
    """Choose the terms of a conjunction that it is distributed over: short ones, and one long list."""
    chosen = list(choices)
    count, most = 1, tuning.MAX_DISJUNCTS
    for place in sorted(range(len(terms)), key=lambda place: len(choices[place])):
        length = len(choices[place])
        if length > 1 and (
            count * length > tuning.MAX_LISTED or count > most or not all(map(_has_key, choices[place]))
        ):
            chosen[place] = [(terms[place],)]
        else:
            count *= length
    return chosen


def _has_key(terms: _Terms) -> bool:
    return any(_as_key(term) is not None or contained_text(term) is not None for term in terms)


def _has_index(terms: _Terms) -> bool:
    return _has_key(terms) or any(isinstance(term, ir.Compare) and _is_bound(term) for term in terms)


def _is_bound(term: ir.Compare) -> bool:
    pairs = ((term.left, term.right), (term.right, term.left))
    return not term.operator.is_equality and any(
        reads_message(value) and constant_of(other) is not None for value, other in pairs
    )


@dataclass(frozen=True, slots=True)
class Substring:
    """A text that a value contains wherever a residual holds, as the number of its parameter."""

    value: ir.Value
    text: int


def contained_text(term: ir.Predicate) -> Substring | None:
    """The text that a test finds in a value of the message."""
    match term:
        case ir.IsTrue(ir.Apply(function=ir.Function.CONTAINS, arguments=(value, text)), negated=False):
            number = parameter_number(text)
            return Substring(value, number) if number is not None and reads_message(value) else None
        case ir.And(terms=terms):
            # A pattern behind the test of a value's type.
            return next(filter(None, map(contained_text, terms)), None)
        case _:
            return None


def _as_key(term: ir.Predicate) -> tuple[ir.Value, ColumnType, Extract] | None:
    """An equality of a value of the message with a constant."""
    if not isinstance(term, ir.Compare) or term.operator is not Comparison.EQ:
        return None
    for value, other in ((term.left, term.right), (term.right, term.left)):
        extract = constant_of(other)
        if extract is not None and reads_message(value):
            return value, other.type, extract
    return None


def constant_of(value: ir.Value) -> Extract | None:
    """The function that computes a constant value from those of a condition; None for a value that is no constant."""
    number = parameter_number(value)
    if number is not None:
        return itemgetter(number)
    match value:
        case ir.Constant() if is_plain(value):
            constant = constant_value(value)
            return lambda _: constant
        case ir.Apply(function=ir.Function.TO_DOUBLE | ir.Function.TO_FLOAT as function, arguments=(inner,)):
            number = parameter_number(inner)
            if number is None:
                return None
            read, convert = itemgetter(number), float if function is ir.Function.TO_DOUBLE else nearest_float
            return lambda constants: convert(read(constants))
        case _:
            return None


#: Types whose constants are the values that a table holds.
_PLAIN = (
    SparkType.BOOLEAN,
    SparkType.TINYINT,
    SparkType.SMALLINT,
    SparkType.INT,
    SparkType.BIGINT,
    SparkType.FLOAT,
    SparkType.DOUBLE,
    SparkType.DECIMAL,
    SparkType.STRING,
    SparkType.BINARY,
)


def is_plain(constant: ir.Constant) -> bool:
    """Return True if a constant's value is what a column of a table holds."""
    return constant.type.kind in _PLAIN


def constant_value(constant: ir.Constant) -> Parameter:
    """The value of a constant as a table holds it; a DECIMAL's is an integer without its point."""
    if constant.type.kind is SparkType.DECIMAL and isinstance(constant.value, int):
        return Decimal(constant.value).scaleb(-constant.type.scale, _EXACT_DECIMALS)
    return constant.value


def as_constant(value: Parameter, column_type: ColumnType) -> ir.Constant:
    """The constant with a value of a table."""
    assert not isinstance(value, bytes)
    if isinstance(value, Decimal):
        return ir.Constant(int(value.scaleb(column_type.scale, _EXACT_DECIMALS)), column_type)
    return ir.Constant(value, column_type)


#: Spark's DECIMAL has 38 digits at most.
_EXACT_DECIMALS = Context(prec=76)


def nearest_float(number: Parameter) -> float:
    """The 32-bit floating point number next to a number, the even one of two, as a double."""
    if isinstance(number, int) and abs(number) > _EXACT:
        # A conversion to the nearest double first would round twice.
        size = abs(number)
        bits = size.bit_length() - _FLOAT_BITS
        kept, rest, half = size >> bits, size & ((1 << bits) - 1), 1 << (bits - 1)
        kept += rest > half or (rest == half and kept & 1)
        return float(kept << bits) * (1 if number > 0 else -1)
    return float(struct.unpack("f", struct.pack("f", float(number)))[0])


#: Integers up to here are doubles, and the bits of a 32-bit float's significand.
_EXACT, _FLOAT_BITS = 2**53, 24


def reads_message(value: ir.Node) -> bool:
    """Return True if a value or predicate depends on the message, and on no parameter."""
    inner = list(ir.columns_in(value))
    return bool(inner) and all(parameter_number(column) is None for column in inner)


def reads_parameters(node: ir.Node) -> bool:
    """Return True if a value or predicate depends on a parameter."""
    return any(parameter_number(column) is not None for column in ir.columns_in(node))


def _disjunct(terms: _Terms) -> Disjunct:
    keys: dict[ir.Value, tuple[ColumnType, Extract]] = {}
    rest: list[ir.Predicate] = []
    for term in terms:
        key = _as_key(term)
        if key is None or key[0] in keys:
            rest.append(term)
        else:
            keys[key[0]] = key[1:]
    # Sorted, since the order in which a selector names its properties is no part of its signature.
    ordered = sorted(keys.items(), key=lambda item: repr(item[0]))
    guards = sorted((term for term in rest if not reads_parameters(term)), key=repr)
    residual, numbers, types = _numbered(sorted(filter(reads_parameters, rest), key=_masked))
    signature = Signature(
        tuple(value for value, _ in ordered),
        tuple(column_type for _, (column_type, _) in ordered),
        ir.all_of(*guards),
        residual,
        types,
    )
    return Disjunct(signature, tuple(extract for _, (_, extract) in ordered), numbers)


def _masked(term: ir.Predicate) -> str:
    return repr(_renumber(term, lambda _: 0))


def _numbered(terms: list[ir.Predicate]) -> tuple[ir.Predicate, tuple[int, ...], tuple[ColumnType, ...]]:
    """The conjunction with its parameters renumbered in order, their old numbers, and their types."""
    type_by_number: dict[int, ColumnType] = {}
    for term in terms:
        for column in ir.columns_in(term):
            number = parameter_number(column)
            if number is not None:
                type_by_number.setdefault(number, column.type)
    order = {number: place for place, number in enumerate(type_by_number)}
    residual = ir.all_of(*(_renumber(term, order.__getitem__) for term in terms))
    return residual, tuple(type_by_number), tuple(type_by_number.values())


def shift_parameters(pattern: ir.Predicate, places: int) -> ir.Predicate:
    """The pattern with its parameters numbered from ``places`` on."""
    return _renumber(pattern, lambda number: number + places)


def _renumber(node: ir.Predicate, number_of: Callable[[int], int]) -> ir.Predicate:
    def renumbered(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        return column if number is None else parameter(number_of(number), column.type)

    return ir.replace_columns(node, renumbered)
