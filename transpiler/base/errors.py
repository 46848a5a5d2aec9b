"""Every error that this library raises on purpose: one class a phase, each carrying its diagnostics."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from functools import wraps
from traceback import walk_tb
from typing import ParamSpec, Self, TypeVar

from transpiler.base.diagnostics import Diagnostic, Remedy
from transpiler.base.source import Source, Span

#: The packages whose frames say nothing to whoever handed in a wrong text.
_LIBRARY = frozenset({"transpiler", "spark_ext"})

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class TranspilerError(ValueError):
    """Something that the user handed in cannot be used; ``diagnostics[0].span`` is where it went wrong."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(diagnostic.render() for diagnostic in self.diagnostics))

    @classmethod
    def at(
        cls,
        code: str,
        message: str,
        source: Source | None = None,
        span: Span | None = None,
        hint: str | None = None,
        fix: Remedy | None = None,
    ) -> Self:
        """An error with one diagnostic."""
        return cls([Diagnostic(code, "error", message, source, span, hint, fix)])

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows instead of the stack: the line that called the library, and the diagnostics."""
        called = ""
        for frame, number in walk_tb(self.__traceback__):
            if str(frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARY:
                break
            called = f"line {number}: {linecache.getline(frame.f_code.co_filename, number).strip()}"
        return [type(self).__name__, *([called] if called else []), *str(self).splitlines()]

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Diagnostic, ...]]]:
        # Exceptions pickle through their arguments, and ours is the text; executors and pools need the data.
        return type(self), (self.diagnostics,)


class SelectorSyntaxError(TranspilerError):
    """The text is not a sentence of the selector language."""


class SelectorTypeError(TranspilerError):
    """The text reads well, but an operator has an operand that it can never take."""


class UnsupportedFeatureError(TranspilerError):
    """Understood, and not available here: another dialect, a later version, or beyond a stated limit."""


class LayoutError(TranspilerError):
    """A name has no place in the DataFrame, or a column has a type that no message field has."""


class DecodeError(TranspilerError):
    """A message or a filter set, as JSON or as AMQP bytes, does not decode."""


class TopologyError(TranspilerError):
    """Exchanges, queues and bindings that do not fit together."""


def in_few_frames(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Let the errors of this library that a function raises have the frames of its callers only."""

    @wraps(function)
    def called(*arguments: _Parameters.args, **keywords: _Parameters.kwargs) -> _Result:
        try:
            return function(*arguments, **keywords)
        except TranspilerError as error:
            raise error.with_traceback(None) from None

    return called
