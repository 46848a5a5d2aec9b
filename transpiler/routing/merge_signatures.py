"""Merging of rare signatures into few tables, so that the plan does not grow with the number of kinds of conditions.

A condition is a conjunction of terms. Once constants are replaced by parameters, two thousand conditions have only few
distinct terms. Signatures with the same key are merged into one signature. Its residual predicate is the conjunction of
all their terms; a bit in the ``flags`` of each row determines whether a term applies to that row. Rare keys become
terms, so that few keys remain for joins. Constants that a selector's signature contains also become parameters.

Invariant: the rows of a merged signature match the same messages as the rows of the original signatures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import product
from math import prod

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BOOLEAN, STRING, ColumnType, SparkType
from transpiler.compiler.ir.java_regex import regular_expression
from transpiler.message.types import TypeClass
from transpiler.routing import tuning
from transpiler.routing.constant_rows import Rule, Rules
from transpiler.routing.interval_index import find_interval
from transpiler.routing.row_index import matched_key
from transpiler.routing.signatures import (
    Parameter,
    Signature,
    constant_value,
    contained_text,
    is_plain,
    parameter,
    parameter_number,
    reads_message,
    shift_parameters,
)

#: A key of a constant table: a value computed from the message, and the type of the constants that must equal it.
_Key = tuple[ir.Value, ColumnType]


@dataclass(frozen=True, slots=True)
class _Fixed:
    """A constant that all rules of an expression signature share."""

    value: Parameter


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of the residual predicate of an expression signature, with its parameters renumbered from 0.

    ``sources`` contains, for each parameter, the index of a parameter of the rule, or a fixed constant. ``index`` is
    None except for an equality that was a lookup key before: then it is the position of the constant in the rule's key.
    """

    predicate: ir.Predicate
    types: tuple[ColumnType, ...]
    sources: tuple[int | _Fixed, ...]
    index: int | None = None

    def constants(self, rule: Rule) -> list[Parameter]:
        """Return the constants of ``rule`` for the parameters of this term, in order."""
        if self.index is not None:
            return [rule.key[self.index]]
        return [source.value if isinstance(source, _Fixed) else rule.parameters[source] for source in self.sources]


@dataclass(slots=True)
class _Member:
    """An expression signature to be merged: its rules, the lookup keys that it keeps, and the terms of its predicate.

    ``keys`` maps a lookup key to the position of its constant in a rule's key. ``index`` contains the terms by which
    the rows can be indexed; it is empty if no index is needed or possible.
    """

    rules: list[Rule]
    keys: dict[_Key, int]
    terms: list[_Term]
    index: tuple[_Term, ...] = ()


@dataclass(slots=True)
class _Bin:
    """Expression signatures with the same lookup keys and index, which are merged into one signature."""

    members: list[_Member] = field(default_factory=list)
    #: The distinct terms of all members with the types of their constants; ``size`` is the total size of the terms.
    terms: dict[ir.Predicate, tuple[ColumnType, ...]] = field(default_factory=dict)
    size: int = 0

    def add(self, member: _Member) -> bool:
        """Add ``member`` to this bin and return True, unless the terms would become too large or too many."""
        new = {term.predicate: term.types for term in member.terms if term.predicate not in self.terms}
        size = sum(map(ir.size, new))
        too_large = self.size + size > tuning.MAX_MERGED or len(self.terms) + len(new) > _MAX_FLAGS
        if self.members and too_large:
            return False
        self.members.append(member)
        self.terms |= new
        self.size += size
        return True


#: Maximum number of terms in a merged predicate, because each term has one bit in a BIGINT of flags.
_MAX_FLAGS = 62


def open_constants(rules: Rules) -> Rules:
    """Return equivalent rules: rare expression signatures that differ only in constants are merged into one signature.

    In the merged signature, these constants are parameters.
    """
    opened: dict[Signature, list[tuple[Signature, list[_Term]]]] = {}
    for signature, listed in rules.items():
        if len(listed) >= tuning.MIN_ROWS:
            continue
        terms = [_term(part) for part in (*_conjuncts(signature.guard), *_conjuncts(signature.residual))]
        if any(isinstance(source, _Fixed) for term in terms for source in term.sources):
            conditions: list[ir.Predicate] = []
            types: list[ColumnType] = []
            for term in terms:
                conditions.append(shift_parameters(term.predicate, len(types)))
                types += term.types
            keys = signature.keys, signature.key_types
            form = Signature(*keys, ir.TRUE, ir.all_of(*conditions), tuple(types))
            opened.setdefault(form, []).append((signature, terms))
    result = dict(rules)
    for form, members in opened.items():
        if sum(len(rules[signature]) for signature, _ in members) < tuning.MIN_ROWS:
            continue
        rows = result.setdefault(form, [])
        for signature, terms in members:
            del result[signature]
            for rule in rules[signature]:
                parameters = tuple(constant for term in terms for constant in term.constants(rule))
                rows.append(rule._replace(parameters=parameters))
    return result


def merge_signatures(rules: Rules) -> Rules:
    """Return equivalent rules with fewer expression signatures; the most frequent signatures stay unchanged."""
    ordered = sorted(rules.items(), key=lambda item: -len(item[1]))
    kept = sum(len(listed) >= tuning.MIN_ROWS for listed in rules.values())
    if kept <= tuning.MAX_TABLES and len(rules) - kept <= 1:
        return rules
    if kept > tuning.MAX_TABLES:
        share = sum(map(len, rules.values())) // max(1, tuning.MAX_TABLES)
        kept = min(sum(len(listed) > share for listed in rules.values()), tuning.UNMERGED_TABLES)
    merged = dict(ordered[:kept])
    members = _members(dict(ordered[kept:]))
    _choose_keys(members)
    bins: dict[object, list[_Bin]] = {}
    # Sort by the sizes of terms, so that expression signatures with the same large terms come together.
    for member in sorted(members, key=lambda member: sorted(-ir.size(term.predicate) for term in member.terms)):
        member_keys = tuple(sorted(member.keys, key=repr))
        alike = bins.setdefault((member_keys, tuple(term.predicate for term in member.index)), [])
        if not any(each.add(member) for each in alike):
            alike.append(_Bin())
            alike[-1].add(member)
    for each in (each for alike in bins.values() for each in alike):
        signature, listed = _merged(each)
        merged.setdefault(signature, []).extend(listed)
    return merged


def _members(rules: Rules) -> list[_Member]:
    """Return the expression signatures of ``rules`` as members to merge, with their lookup keys and terms.

    An OR that few signatures have as a term is split: the signature then has one member for each alternative of the OR.
    """
    conditions = {signature: (*_conjuncts(signature.guard), *_conjuncts(signature.residual)) for signature in rules}
    known: dict[ir.Predicate, _Term] = {}

    def term(predicate: ir.Predicate) -> _Term:
        if predicate not in known:
            known[predicate] = _term(predicate)
        return known[predicate]

    counts = Counter(term(part).predicate for parts in conditions.values() for part in parts)
    members = []
    for signature, parts in conditions.items():
        keys = {key: index for index, key in enumerate(zip(signature.keys, signature.key_types, strict=True))}
        choices = [
            part.terms if isinstance(part, ir.Or) and counts[term(part).predicate] * _RARE < len(rules) else (part,)
            for part in parts
        ]
        if prod(map(len, choices)) > tuning.MAX_DISJUNCTS:
            choices = [(part,) for part in parts]
        for chosen in product(*choices):
            terms = [term(part) for each in chosen for part in _conjuncts(each)]
            members.append(_Member(rules[signature], dict(keys), terms))
    return members


#: A disjunction (an OR) is rare if fewer than one in ``_RARE`` expression signatures have it as a term. Only a rare
#: disjunction is split into its alternatives.
_RARE = 8


def _conjuncts(condition: ir.Predicate) -> tuple[ir.Predicate, ...]:
    if isinstance(condition, ir.And):
        return condition.terms
    return () if condition == ir.TRUE else (condition,)


def _choose_keys(members: list[_Member]) -> None:
    """Reduce the number of different combinations of keys, and choose an index for members whose keys have many rows.

    If there are too many combinations, each member keeps only its key with the most distinct values.
    """
    values: dict[_Key, set[Parameter]] = {}
    for member in members:
        for key, position in member.keys.items():
            values.setdefault(key, set()).update(rule.key[position] for rule in member.rules)
    if len({frozenset(member.keys) for member in members}) > tuning.MAX_KEY_SETS:
        for member in members:
            if len(member.keys) > 1:
                best = max(member.keys, key=lambda key: (len(values[key]), repr(key)))
                member.terms += [_key_term(key, position) for key, position in member.keys.items() if key != best]
                member.keys = {best: member.keys[best]}
    rows: Counter[frozenset[_Key]] = Counter()
    for member in members:
        rows[frozenset(member.keys)] += len(member.rules)
    for member in members:
        most = max((len(values[key]) for key in member.keys), default=1)
        if rows[frozenset(member.keys)] >= tuning.MIN_INDEXED * most:
            member.index = _index(member.terms)
            member.terms = [*member.index, *(term for term in member.terms if term not in member.index)]


def _key_term(key: _Key, index: int) -> _Term:
    value, column_type = key
    return _Term(ir.Compare(Comparison.EQ, value, parameter(0, column_type)), (column_type,), (0,), index)


def _index(terms: Sequence[_Term]) -> tuple[_Term, ...]:
    """Return the terms that provide an index; an empty tuple if no term does.

    Preferred are the match of a binding key, then a required substring, then the bounds of an interval.
    """
    for has_index in (matched_key, contained_text):
        for term in terms:
            if has_index(term.predicate) is not None:
                return (term,)
    numbers: dict[int, _Term] = {}
    shifted = []
    for term in terms:
        start = len(numbers)
        shifted.append(shift_parameters(term.predicate, start))
        numbers |= dict.fromkeys(range(start, start + len(term.types)), term)
    interval = find_interval(Signature((), (), ir.TRUE, ir.all_of(*shifted), ()))
    if interval is None:
        return ()
    return tuple(dict.fromkeys(numbers[number] for number in interval.bounds))


def _merged(each: _Bin) -> tuple[Signature, list[Rule]]:
    """Merge the members of a bin into one expression signature; return this signature and its rules.

    The first parameter contains flags for the terms that only some members have. For a row of the constant table, only
    the terms with a flag are tested.
    """
    counts = Counter(predicate for member in each.members for predicate in {term.predicate for term in member.terms})
    types: list[ColumnType] = [BIGINT]
    starts: dict[ir.Predicate, int] = {}
    bits: dict[ir.Predicate, int] = {}
    conditions = []
    for predicate, term_types in each.terms.items():
        starts[predicate] = len(types)
        types += term_types
        condition = shift_parameters(predicate, starts[predicate])
        if counts[predicate] < len(each.members):
            bits[predicate] = 1 << len(bits)
            flag = ir.Apply(ir.Function.COMMON_BITS, (parameter(0, BIGINT), ir.constant(bits[predicate])), BIGINT)
            condition = ir.any_of(ir.Compare(Comparison.EQ, flag, ir.constant(0)), condition)
        conditions.append(condition)
    keys = sorted(each.members[0].keys, key=repr)
    signature = Signature(
        tuple(value for value, _ in keys),
        tuple(column_type for _, column_type in keys),
        ir.TRUE,
        ir.all_of(*conditions),
        tuple(types),
    )
    defaults = [
        Decimal(0) if column_type.kind is SparkType.DECIMAL else _DEFAULTS[ir.type_class(column_type)]
        for column_type in types
    ]
    rules = []
    for member in each.members:
        terms = {term.predicate: term for term in member.terms}
        flags = sum(bits.get(predicate, 0) for predicate in terms)
        # Look up the terms once for each merged signature, not for each rule, because hashing a predicate visits all
        # its nodes.
        spans = [(starts[predicate], starts[predicate] + len(term.types), term) for predicate, term in terms.items()]
        key_indexes = [member.keys[key] for key in keys]
        for rule in member.rules:
            row: list[Parameter] = [flags, *defaults[1:]]
            for start, stop, term in spans:
                row[start:stop] = term.constants(rule)
            rules.append(rule._replace(key=tuple([rule.key[index] for index in key_indexes]), parameters=tuple(row)))
    return signature, rules


_DEFAULTS: Mapping[TypeClass, Parameter] = {
    TypeClass.BOOLEAN: False,
    TypeClass.INTEGER: 0,
    TypeClass.FLOATING: 0.0,
    TypeClass.STRING: "",
    TypeClass.BYTES: b"",
}


def _term(predicate: ir.Predicate) -> _Term:
    """Return ``predicate`` as a term with its constants replaced by parameters, numbered in order."""
    opened = _Opened()
    renamed = opened.predicate(predicate)
    return _Term(renamed, tuple(opened.types), tuple(opened.sources))


class _Opened:
    """Rewriter that replaces the parameters and constants of a term (its ``sources``) by numbered parameters."""

    def __init__(self) -> None:
        self.sources: list[int | _Fixed] = []
        self.types: list[ColumnType] = []

    def predicate(self, test: ir.Predicate) -> ir.Predicate:
        match test:
            case ir.Compare(
                operator=operator, left=left, right=ir.Constant(value=int() as micros, type=column_type)
            ) if column_type.kind in _TIMES and operator in _HALF_OPEN and micros % 1_000 == 0 and reads_message(left):
                milliseconds = ir.Apply(ir.Function.MILLISECONDS, (self._value(left),), BIGINT)
                return ir.Compare(operator, milliseconds, self._fixed(micros // 1_000, BIGINT))
            case ir.Compare(operator=operator, left=left, right=ir.Constant() as constant) if _opens(left, constant):
                return ir.Compare(operator, self._value(left), self._fixed(constant_value(constant), constant.type))
            case ir.Compare(operator=operator, left=ir.Constant() as constant, right=right) if _opens(right, constant):
                return ir.Compare(operator, self._fixed(constant_value(constant), constant.type), self._value(right))
            case ir.Like(value=value, pattern=pattern, negated=negated) if any(isinstance(p, str) for p in pattern):
                return self._like(self._value(value), pattern, negated)
            case ir.Matches(value=value, expression=expression, negated=negated):
                return self._test(ir.Function.MATCHES, self._value(value), expression, negated)
            case _:
                return ir.rebuild(test, self.predicate, self._value)

    def _like(self, value: ir.Value, pattern: Pattern, negated: bool) -> ir.Predicate:
        text = max((part for part in pattern if isinstance(part, str)), key=len)
        if pattern == (Wildcard.ANY, text, Wildcard.ANY):
            return self._test(ir.Function.CONTAINS, value, text, negated)
        test = [] if negated else [self._test(ir.Function.CONTAINS, value, text, negated)]
        return ir.all_of(*test, self._test(ir.Function.MATCHES, value, regular_expression(pattern), negated))

    def _test(self, function: ir.Function, value: ir.Value, text: str, negated: bool) -> ir.Predicate:
        return ir.IsTrue(ir.Apply(function, (value, self._fixed(text, STRING)), BOOLEAN), negated)

    def _value(self, value: ir.Value) -> ir.Value:
        return ir.replace_columns_in(value, self._column)

    def _column(self, column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        return column if number is None else self._numbered(number, column.type)

    def _fixed(self, value: Parameter, column_type: ColumnType) -> ir.Column:
        return self._numbered(_Fixed(value), column_type)

    def _numbered(self, source: int | _Fixed, column_type: ColumnType) -> ir.Column:
        if isinstance(source, _Fixed) or source not in self.sources:
            self.sources.append(source)
            self.types.append(column_type)
        source_index = len(self.sources) - 1 if isinstance(source, _Fixed) else self.sources.index(source)
        return parameter(source_index, column_type)


#: ``_TIMES``: the timestamp types, whose constants are in microseconds. ``_HALF_OPEN``: the comparisons of a time with
#: a whole millisecond that have the same result after the time is truncated to milliseconds.
_TIMES = (SparkType.TIMESTAMP, SparkType.TIMESTAMP_NTZ)
_HALF_OPEN = (Comparison.GE, Comparison.LT)


def _opens(other: ir.Value, constant: ir.Constant) -> bool:
    return reads_message(other) and is_plain(constant)
