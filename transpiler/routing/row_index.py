"""The index by which the rows of a signature are found under one key, where many have it.

A residual that asks for a binding key that the automaton has matched is found by the number of that key: a message has
the numbers of all binding keys that its routing key matches. Else it is found by a text, or by a range. The whole
residual is evaluated again on the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.routing.columns import MATCHED
from transpiler.routing.interval_index import Interval, find_interval
from transpiler.routing.signatures import Signature, Substring, parameter, parameter_number
from transpiler.routing.substring_index import find_substring

#: The test that the automaton has matched a binding key, whose number is the parameter.
IS_MATCHED: ir.Predicate = ir.ArrayContains(parameter(0, BIGINT), (MATCHED,))


@dataclass(frozen=True, slots=True)
class MatchedKey:
    """A binding key that has to be matched wherever a residual holds, as the parameter that has its number."""

    number: int


Index = MatchedKey | Substring | Interval


def find_index(signature: Signature) -> Index | None:
    """Return what the residual requires in every row."""
    residual = signature.residual
    for term in residual.terms if isinstance(residual, ir.And) else (residual,):
        key = matched_key(term)
        if key is not None:
            return key
    return find_substring(signature) or find_interval(signature)


def matched_key(term: ir.Predicate) -> MatchedKey | None:
    """Return the binding key that a test asks for."""
    if not isinstance(term, ir.ArrayContains) or term.array != (MATCHED,):
        return None
    number = parameter_number(term.value)
    return None if number is None else MatchedKey(number)
