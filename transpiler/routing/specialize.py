"""Specialization of signatures for the constants in their arithmetic, so that an arithmetic value becomes a key.

``n % 10 = 3`` depends on two constants. If the conditions have only few different constants instead of the 10, each
such constant gets its own signature. In that signature ``n % 10`` depends only on the message, so it can be the key of
the constant table.
"""

from __future__ import annotations

from collections.abc import Sequence

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.routing import tuning
from transpiler.routing.constant_rows import Rule, Rules
from transpiler.routing.row_index import find_index
from transpiler.routing.signatures import (
    Parameter,
    Signature,
    as_constant,
    disjuncts,
    parameter,
    parameter_number,
    shift_parameters,
)


def specialize(rules: Rules) -> Rules:
    """Return equivalent rules in which some parameters are fixed constants, if a signature has no key and no index.

    This adds an expression signature for each combination of these constants. A signature with many combinations stays
    unchanged.
    """
    specialized: Rules = {}
    for signature, listed in rules.items():
        numbers = _inner_parameters(signature)
        groups: dict[tuple[Parameter, ...], list[Rule]] = {}
        if numbers and len(listed) >= tuning.MIN_ROWS:
            for rule in listed:
                groups.setdefault(tuple(rule.parameters[number] for number in numbers), []).append(rule)
        if not groups or len(groups) > tuning.MAX_SPECIALIZED or len(listed) < len(groups) * tuning.MIN_ROWS:
            specialized.setdefault(signature, []).extend(listed)
            continue
        for constants, members in groups.items():
            for disjunct in disjuncts(_bound(signature, numbers, constants)):
                rows = specialized.setdefault(disjunct.signature, [])
                for rule in members:
                    key, parameters = disjunct.row((*rule.key, *rule.parameters))
                    rows.append(rule._replace(key=key, parameters=parameters))
    return specialized


def _inner_parameters(signature: Signature) -> list[int]:
    """Return the parameters inside compared arithmetic in ``signature``, by index, such as 2 in ``x * 2 > 5``.

    The result is empty if the signature already has a key or an index.
    """
    residual = signature.residual
    if signature.keys or find_index(signature) is not None:
        return []
    numbers: dict[int, None] = {}
    for term in residual.terms if isinstance(residual, ir.And) else (residual,):
        if isinstance(term, ir.Compare) and term.operator is not Comparison.NE:
            for side in (term.left, term.right):
                inside = [parameter_number(column) for column in ir.columns_in(side)]
                if None in inside:
                    numbers |= dict.fromkeys(number for number in inside if number is not None)
    return list(numbers)


def _bound(signature: Signature, numbers: Sequence[int], constants: Sequence[Parameter]) -> ir.Predicate:
    """Return the condition of ``signature`` with its parameters ``numbers`` replaced by ``constants``.

    In this condition the keys are equalities, whose parameters are numbered first.
    """
    known = dict(zip(numbers, constants, strict=True))

    def constant(column: ir.Column) -> ir.Value:
        number = parameter_number(column)
        value = None if number is None else known.get(number)
        return column if value is None or isinstance(value, bytes) else as_constant(value, column.type)

    pairs = zip(signature.keys, signature.key_types, strict=True)
    keys = [
        ir.Compare(Comparison.EQ, value, parameter(index, column_type))
        for index, (value, column_type) in enumerate(pairs)
    ]
    residual = shift_parameters(ir.replace_columns(signature.residual, constant), len(keys))
    return optimize(ir.all_of(*keys, signature.guard, residual))
