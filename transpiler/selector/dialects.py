"""Dialects: which broker's rules hold, as frozen data, one instance a broker.

A dialect never brings a grammar or an evaluator of its own; it is a row of values that the one lexer, the one check,
the one evaluator and the one compiler consult.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from transpiler.diagnostics import nearest
from transpiler.errors import UnsupportedFeatureError


@dataclass(frozen=True, slots=True)
class Dialect:
    """A broker's selector language.

    Limits are this project's own for ``jms``: the standard sets none. ``max_length`` counts code points,
    ``max_nesting`` levels of the tree, ``max_terms`` operands (names and literals).
    """

    name: str
    max_length: int = 1_000_000
    max_nesting: int = 120
    max_terms: int = 50_000


#: Jakarta Messaging 3.1; where its text is silent, what most brokers do.
JMS = Dialect("jms")

DIALECTS: Mapping[str, Dialect] = MappingProxyType({dialect.name: dialect for dialect in (JMS,)})


def find_dialect(dialect: str | Dialect) -> Dialect:
    """The dialect of that name; ``UnsupportedFeatureError`` where there is none."""
    if isinstance(dialect, Dialect):
        return dialect
    found = DIALECTS.get(dialect)
    if found is None:
        near = nearest(dialect, DIALECTS)
        hint = f"did you mean {near[0]}?" if near else f"the dialects are {', '.join(DIALECTS)}"
        raise UnsupportedFeatureError.at("dialect.unknown", f"there is no dialect called {dialect!r}", hint=hint)
    return found
