"""The result of the compiler: SQL text and the warnings about the compiled condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from transpiler.base.diagnostics import Diagnostic, shortened

if TYPE_CHECKING:
    from transpiler.language.filters.sets import FilterSet
    from transpiler.language.selector.ast import Expression

#: Maximum length of the SQL in a ``repr``, in characters.
MAX_REPR = 100

Trace = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Transpiled:
    """A compiled condition: its Spark SQL, which ``str`` returns, its warnings, and the SQL after each phase.

    The SQL is one operand, in parentheses if it needs them: ``f"NOT {transpiled} AND day = '2026-11-25'"``.
    ``in_effect`` is the filter set that the SQL applies, which a peer would echo; None if no filter set was compiled.
    """

    sql: str
    found: tuple[Diagnostic, ...] = ()
    in_effect: FilterSet | None = None
    #: Computes ``trace`` when it is read. The function has no arguments.
    retrace: Callable[[], Trace] = field(default=tuple, compare=False)
    #: The checked selector; None if a filter or an address was compiled.
    tree: Expression | None = field(default=None, compare=False)
    #: Computes ``diagnostics`` when they are read: the warnings ``found`` while compiling, and those of ``check``. If
    #: None, ``diagnostics`` returns only ``found``.
    advise: Callable[[], tuple[Diagnostic, ...]] | None = field(default=None, compare=False)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The warnings about the condition."""
        return self.found if self.advise is None else self.advise()

    @property
    def trace(self) -> Trace:
        """The name of each phase and the SQL after it."""
        return self.retrace()

    def __reduce__(self) -> tuple[Callable[..., Transpiled], tuple[object, ...]]:
        # ``retrace`` and ``advise`` cannot be pickled, so the pickle contains their results instead.
        trace, diagnostics = partial(tuple, self.trace), partial(tuple, self.diagnostics)
        return Transpiled, (self.sql, self.found, self.in_effect, trace, self.tree, diagnostics)

    def __str__(self) -> str:
        return self.sql

    def __repr__(self) -> str:
        warned = len(self.diagnostics)
        return f"Transpiled({shortened(self.sql, MAX_REPR)!r}{f', warnings: {warned}' if warned else ''})"

    def _repr_html_(self) -> str:
        # Imported in the function to save start-up time: only notebooks need it.
        from transpiler.base import html

        return html.code(self.sql) + "".join(html.code(finding.render()) for finding in self.diagnostics)
