"""The options of a compilation: keywords at the public functions, and one record inside.

A public function takes ``**options: Unpack[SelectorOptions]``, so that type checkers know the keywords, and makes
``Options`` of them at once. Below it nothing takes ``now`` or ``missing`` by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

from transpiler.base.arguments import check_alias, check_choice, check_keywords
from transpiler.message.receiver import Receiver, ReceiverOptions

#: The result of the SQL: TRUE where the condition holds, else FALSE or NULL; never NULL; NULL for unknown.
Result = Literal["filter", "boolean", "ternary"]

#: What a name without a column means: an error, or a property that is absent from every message.
Missing = Literal["error", "null"]

_RESULTS, _MISSING = get_args(Result), get_args(Missing)


class SqlOptions(TypedDict, total=False):
    """The options of every condition in SQL."""

    result: Result
    missing: Missing
    alias: str | None


class RowOptions(ReceiverOptions, total=False):
    """The options of a selector over the rows of a table, whose result is counted."""

    missing: Missing


class DiffOptions(RowOptions, total=False):
    """The options of two conditions over the rows of a table, which are compared."""

    connection: str | None


class SelectorOptions(SqlOptions, ReceiverOptions, total=False):
    """The options of a selector in SQL."""


class FilterOptions(SelectorOptions, total=False):
    """The options of a filter set in SQL."""

    connection: str | None
    unknown: Literal["error", "ignore"]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one compilation, checked. Raises ``TranspilerError`` for a value that is none of the choices."""

    result: Result = "filter"
    missing: Missing = "error"
    alias: str | None = None
    now: int | None = None
    destination: str | None = None
    connection: str | None = None
    unknown: Literal["error", "ignore"] = "error"

    def __post_init__(self) -> None:
        check_alias(self.alias)
        check_choice("result", self.result, _RESULTS)
        check_choice("missing", self.missing, _MISSING)

    @property
    def receiver(self) -> Receiver:
        """The receiver of the messages."""
        return Receiver(self.now, self.destination)


def read_options(function: str, keywords: type, given: Mapping[str, Any]) -> Options:
    """Return the options that a call gives; ``TypeError`` for a keyword that ``function`` does not have."""
    check_keywords(function, keywords, given)
    return Options(**given)
