"""The result of the compiler: SQL text with the warnings that came up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from transpiler.base.diagnostics import Diagnostic, shortened

if TYPE_CHECKING:
    from transpiler.language.filters.sets import FilterSet
    from transpiler.language.selector.ast import Expression

#: Characters of SQL in a ``repr``.
MAX_REPR = 100

Trace = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Transpiled:
    """Spark SQL text, which ``str`` returns, the warnings that came up, and the SQL after each phase.

    The text is one operand, in parentheses where it needs them: ``f"NOT {transpiled} AND day = '2026-11-25'"``.
    ``in_effect`` are the filters of a filter set that the SQL stands for: what a peer would echo.
    """

    sql: str
    found: tuple[Diagnostic, ...] = ()
    in_effect: FilterSet | None = None
    #: Makes the trace, which few ask for.
    retrace: Callable[[], Trace] = field(default=tuple, compare=False)
    #: The checked selector, and what finds more to warn of in it than its compilation ``found``.
    tree: Expression | None = field(default=None, compare=False)
    advise: Callable[[], tuple[Diagnostic, ...]] | None = field(default=None, compare=False)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The warnings that came up."""
        return self.found if self.advise is None else self.advise()

    @property
    def trace(self) -> Trace:
        """The name of each phase and the SQL after it."""
        return self.retrace()

    def __reduce__(self) -> tuple[Callable[..., Transpiled], tuple[object, ...]]:
        # What is computed when it is asked for is computed before the object leaves its process.
        trace, diagnostics = partial(tuple, self.trace), partial(tuple, self.diagnostics)
        return Transpiled, (self.sql, self.found, self.in_effect, trace, self.tree, diagnostics)

    def __str__(self) -> str:
        return self.sql

    def __repr__(self) -> str:
        warned = len(self.diagnostics)
        return f"Transpiled({shortened(self.sql, MAX_REPR)!r}{f', warnings: {warned}' if warned else ''})"

    def _repr_html_(self) -> str:
        # For notebooks alone.
        from transpiler.base import html

        return html.code(self.sql) + "".join(html.code(finding.render()) for finding in self.diagnostics)
