"""Expression signatures: the common form of conditions that differ only in their constants.

A *pattern* is a condition of the IR with parameters instead of constants. It is split into disjuncts. The equalities of
a disjunct become the key of a constant table. The other conjuncts, the residual predicate, are evaluated for the rows
that have the key. A message that meets two disjuncts of a binding is delivered twice; duplicate queues are removed
afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import product
from operator import itemgetter

from transpiler.base.comparison import Comparison
from transpiler.base.ieee754 import EXACT, float32
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, SparkType
from transpiler.routing import tuning
from transpiler.routing.columns import ROW

#: The Python types that the value of a parameter can have.
Parameter = bool | int | float | Decimal | str | bytes


def parameter(number: int, column_type: ColumnType) -> ir.Column:
    """Return the column for the parameter ``number``."""
    return ir.Column((ROW, f"p{number}"), column_type)


def parameter_number(value: ir.Value) -> int | None:
    """Return the number of the parameter ``value``; None if ``value`` is not a parameter."""
    if isinstance(value, ir.Column) and value.path[0] == ROW:
        return int(str(value.path[1])[1:])
    return None


@dataclass(frozen=True, slots=True)
class Signature:
    """The common form of conditions that differ only in their constants. They share one constant table.

    ``keys`` are the values of the message that must equal constants, which have the types ``key_types``. ``residual``
    is the predicate that is tested for each row with the message's key; its parameters have ``types``. ``guard`` reads
    only the message, so it is evaluated once for each message and not for each row.
    """

    keys: tuple[ir.Value, ...]
    key_types: tuple[ColumnType, ...]
    guard: ir.Predicate
    residual: ir.Predicate
    types: tuple[ColumnType, ...]


#: A function that accepts the constants of a condition and returns one constant of the row.
Extract = Callable[[Sequence[Parameter]], Parameter]


@dataclass(frozen=True, slots=True)
class Disjunct:
    """One term of the OR in a condition, split into its signature and the constants of a binding.

    Each binding with this term becomes one row of a constant table. From the constants of a binding, the functions
    ``keys`` compute the key of the row; ``parameters`` are the indexes of the constants in its other columns.
    """

    signature: Signature
    keys: tuple[Extract, ...]
    parameters: tuple[int, ...]

    def row(self, constants: Sequence[Parameter]) -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
        """Return the key constants and the other constants of the row for a binding with these ``constants``."""
        key = tuple([extract(constants) for extract in self.keys])
        return key, tuple([constants[number] for number in self.parameters])


def disjuncts(pattern: ir.Predicate) -> tuple[Disjunct, ...]:
    """Split a binding's condition, ``pattern``, into disjuncts; if there would be too many, keep it whole."""
    return tuple(_disjunct(terms) for terms in _alternatives(pattern, _has_index))


def bind_parameters(pattern: ir.Predicate, constants: Sequence[Parameter]) -> ir.Predicate:
    """Return ``pattern`` with its parameters replaced by ``constants``."""

    def constant(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        if number is None:
            return column
        return as_constant(constants[number], column.type)

    return ir.replace_columns(pattern, constant)


_Terms = tuple[ir.Predicate, ...]


def _alternatives(node: ir.Predicate, has_index: Callable[[_Terms], bool]) -> list[_Terms]:
    """Return the conjunctions of the disjunctive normal form of ``node``, within the limits of ``tuning``.

    A disjunction is split only if some disjuncts then have an index, according to ``has_index``.
    """
    match node:
        case ir.Or(terms=terms):
            conjunctions = [conjunction for term in terms for conjunction in _alternatives(term, has_index)]
            indexed = [conjunction for conjunction in conjunctions if has_index(conjunction)]
            if not indexed or len(indexed) > tuning.MAX_LISTED:
                return [(node,)]
            # A disjunct without an index is evaluated for every message, wherever it is. Join these disjuncts into one
            # OR.
            rest = [ir.all_of(*conjunction) for conjunction in conjunctions if not has_index(conjunction)]
            return [*indexed, (ir.any_of(*rest),)] if rest else indexed
        case ir.And(terms=terms):
            # Distributing over a term pays off only if each of its disjuncts has a key.
            return [
                tuple(term for conjunction in chosen for term in conjunction)
                for chosen in product(*_distributed([_alternatives(term, _has_key) for term in terms], terms))
            ]
        case ir.In(value=value, members=members, negated=False) if len(members) <= tuning.MAX_LISTED:
            return [(ir.Compare(Comparison.EQ, value, member),) for member in members]
        case _:
            return [(node,)] if node != ir.TRUE else [()]


def _distributed(choices: list[list[_Terms]], terms: Sequence[ir.Predicate]) -> list[list[_Terms]]:
    """Choose the terms of an AND that are split into their disjuncts; a term that is not split becomes one disjunct.

    ``choices`` contains the disjuncts of each of ``terms``. A term is split if each of its disjuncts has a lookup key
    and the product of the numbers of disjuncts stays within the limits of ``tuning``.
    """
    chosen = list(choices)
    count, most = 1, tuning.MAX_DISJUNCTS
    for index in sorted(range(len(terms)), key=lambda index: len(choices[index])):
        length = len(choices[index])
        if length > 1 and (
            count * length > tuning.MAX_LISTED or count > most or not all(map(_has_key, choices[index]))
        ):
            chosen[index] = [(terms[index],)]
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
    """A required substring: the residual predicate holds only if ``value`` contains the parameter number ``text``."""

    value: ir.Value
    text: int


def contained_text(term: ir.Predicate) -> Substring | None:
    """Return the substring that ``term`` requires in a value of the message; None if it requires no substring."""
    match term:
        case ir.IsTrue(ir.Apply(function=ir.Function.CONTAINS, arguments=(value, text)), negated=False):
            number = parameter_number(text)
            return Substring(value, number) if number is not None and reads_message(value) else None
        case ir.And(terms=terms):
            # One term of a conjunction is enough, for example a LIKE pattern after a test of the value's type.
            return next(filter(None, map(contained_text, terms)), None)
        case _:
            return None


def _as_key(term: ir.Predicate) -> tuple[ir.Value, ColumnType, Extract] | None:
    """Return value, column type and constant if ``term`` equates a value of the message with a constant; or None."""
    if not isinstance(term, ir.Compare) or term.operator is not Comparison.EQ:
        return None
    for value, other in ((term.left, term.right), (term.right, term.left)):
        extract = constant_of(other)
        if extract is not None and reads_message(value):
            return value, other.type, extract
    return None


def constant_of(value: ir.Value) -> Extract | None:
    """Return a function that computes ``value`` from the constants of a binding; None if ``value`` is not constant."""
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


#: The Spark types that the columns of a constant table can have, each with the Python class of the constants.
CLASSES: Mapping[SparkType, type] = {
    SparkType.BOOLEAN: bool,
    SparkType.TINYINT: int,
    SparkType.SMALLINT: int,
    SparkType.INT: int,
    SparkType.BIGINT: int,
    SparkType.FLOAT: float,
    SparkType.DOUBLE: float,
    SparkType.DECIMAL: Decimal,
    SparkType.STRING: str,
    SparkType.BINARY: bytes,
}


def is_plain(constant: ir.Constant) -> bool:
    """Return True if ``constant`` has a type that a constant table can contain."""
    return constant.type.kind in CLASSES


def constant_value(constant: ir.Constant) -> Parameter:
    """Return the value of ``constant`` for a constant table; a DECIMAL, which the IR has unscaled, is scaled."""
    if constant.type.kind is SparkType.DECIMAL and isinstance(constant.value, int):
        return Decimal(constant.value).scaleb(-constant.type.scale, _EXACT_DECIMALS)
    return constant.value


def as_constant(value: Parameter, column_type: ColumnType) -> ir.Constant:
    """Return ``value``, a value of a table, as a constant of the IR."""
    assert not isinstance(value, bytes)
    if isinstance(value, Decimal):
        return ir.Constant(int(value.scaleb(column_type.scale, _EXACT_DECIMALS)), column_type)
    return ir.Constant(value, column_type)


#: A decimal context that never rounds, because Spark's DECIMAL has at most 38 digits.
_EXACT_DECIMALS = Context(prec=76)


def nearest_float(number: Parameter) -> float:
    """Return the 32-bit floating-point number nearest to ``number`` (ties to even), as a double."""
    if isinstance(number, int) and abs(number) > EXACT:
        # Convert to 32 bits directly, and not to the nearest double first, because that would round twice.
        size = abs(number)
        bits = size.bit_length() - _FLOAT_BITS
        kept, rest, half = size >> bits, size & ((1 << bits) - 1), 1 << (bits - 1)
        kept += rest > half or (rest == half and kept & 1)
        return float(kept << bits) * (1 if number > 0 else -1)
    return float32(float(number))


#: The number of bits in the significand of a 32-bit float.
_FLOAT_BITS = 24


def reads_message(value: ir.Node) -> bool:
    """Return True if ``value`` depends on the message and on no parameter."""
    inner = list(ir.columns_in(value))
    return bool(inner) and all(parameter_number(column) is None for column in inner)


def reads_parameters(node: ir.Node) -> bool:
    """Return True if ``node`` depends on a parameter."""
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
    # Sorted, so that selectors with the same comparisons in another order have the same expression signature.
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
    """Return the conjunction of ``terms`` with its parameters renumbered from 0, their old numbers, and their types."""
    type_by_number: dict[int, ColumnType] = {}
    for term in terms:
        for column in ir.columns_in(term):
            number = parameter_number(column)
            if number is not None:
                type_by_number.setdefault(number, column.type)
    order = {number: index for index, number in enumerate(type_by_number)}
    residual = ir.all_of(*(_renumber(term, order.__getitem__) for term in terms))
    return residual, tuple(type_by_number), tuple(type_by_number.values())


def shift_parameters(pattern: ir.Predicate, offset: int) -> ir.Predicate:
    """Return ``pattern`` with ``offset`` added to the numbers of its parameters."""
    return _renumber(pattern, lambda number: number + offset)


def _renumber(node: ir.Predicate, number_of: Callable[[int], int]) -> ir.Predicate:
    def renumbered(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        return column if number is None else parameter(number_of(number), column.type)

    return ir.replace_columns(node, renumbered)
