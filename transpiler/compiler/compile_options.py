"""The options of a compilation: keyword arguments of the public functions, and one internal record.

A public function declares ``**options: Unpack[SelectorOptions]``, so that type checkers know the keywords, and at once
converts them to ``Options``. Internal functions receive that record, never a single option such as ``now``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

from transpiler.base.arguments import check_alias, check_choice, check_keywords
from transpiler.message.receiver import Receiver, ReceiverOptions

#: The form of the SQL's result. ``"filter"``: TRUE if the condition holds, otherwise FALSE or NULL. ``"boolean"``: TRUE
#: or FALSE, never NULL. ``"ternary"``: TRUE, FALSE, or NULL for unknown.
Result = Literal["filter", "boolean", "ternary"]

#: The handling of a name that has no column: an error, or (``"null"``) a property that every message lacks.
Missing = Literal["error", "null"]

_RESULTS, _MISSING = get_args(Result), get_args(Missing)


class SqlOptions(TypedDict, total=False):
    """The options that every function that compiles a condition to SQL accepts."""

    result: Result
    missing: Missing
    alias: str | None


class RowOptions(ReceiverOptions, total=False):
    """The options of a function that counts the results of a selector over the rows of a table."""

    missing: Missing


class DiffOptions(RowOptions, total=False):
    """The options of a function that compares the results of two conditions over the rows of a table."""

    connection: str | None


class SelectorOptions(SqlOptions, ReceiverOptions, total=False):
    """The options of a function that compiles a selector to SQL."""


class FilterOptions(SelectorOptions, total=False):
    """The options of a function that compiles a filter set to SQL."""

    connection: str | None
    unknown: Literal["error", "ignore"]


@dataclass(frozen=True, slots=True)
class Options:
    """The checked options of one compilation. The constructor raises ``TranspilerError`` for an invalid value."""

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
        """The receiver that ``now`` and ``destination`` describe."""
        return Receiver(self.now, self.destination)


def read_options(function: str, keywords: type, given: Mapping[str, Any]) -> Options:
    """Return the keyword arguments ``given`` in a call of ``function`` as checked options.

    ``keywords`` is the ``TypedDict`` of the options of ``function``. Any other keyword raises ``TypeError``.
    """
    check_keywords(function, keywords, given)
    return Options(**given)
