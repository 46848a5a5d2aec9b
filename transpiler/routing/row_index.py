"""Choice of an index for the rows of a signature, for the case that many rows have the same key.

If the residual predicate requires a binding key that the automaton has matched, the index is the number of that binding
key, because each message has the numbers of all matching binding keys. Otherwise the index is a substring or an
interval. The whole residual predicate is evaluated again for the rows that the index returns.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.routing.columns import MATCHED
from transpiler.routing.interval_index import Interval, find_interval
from transpiler.routing.signatures import Signature, Substring, parameter, parameter_number
from transpiler.routing.substring_index import find_substring

#: The test that the topic automaton has matched a binding key with the routing key of a message. The parameter contains
#: the number of the binding key.
IS_MATCHED: ir.Predicate = ir.ArrayContains(parameter(0, BIGINT), (MATCHED,))


@dataclass(frozen=True, slots=True)
class MatchedKey:
    """An index of the rows of a constant table by the binding key that must match.

    The parameter ``number`` of a row contains the number of its binding key in the automaton.
    """

    number: int


Index = MatchedKey | Substring | Interval


def find_index(signature: Signature) -> Index | None:
    """Return an index for one required test in the residual predicate of ``signature``; None if no test has one."""
    residual = signature.residual
    for term in residual.terms if isinstance(residual, ir.And) else (residual,):
        key = matched_key(term)
        if key is not None:
            return key
    return find_substring(signature) or find_interval(signature)


def matched_key(term: ir.Predicate) -> MatchedKey | None:
    """Return the index for ``term``, if it tests that the automaton has matched a binding key; otherwise None."""
    if not isinstance(term, ir.ArrayContains) or term.array != (MATCHED,):
        return None
    number = parameter_number(term.value)
    return None if number is None else MatchedKey(number)
