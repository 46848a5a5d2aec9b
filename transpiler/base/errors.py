"""Every error that this library raises on purpose: one class for each phase. Each error carries its diagnostics."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from functools import wraps
from traceback import walk_tb
from typing import ParamSpec, Self, TypeVar

from transpiler.base.diagnostics import Diagnostic, Remedy
from transpiler.base.source import Source, Span

#: The packages of this library, whose stack frames are removed from the traceback of a user's mistake.
_LIBRARY = frozenset({"transpiler", "spark_ext"})

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class TranspilerError(ValueError):
    """Error about a text or value that the user supplied. ``diagnostics[0].span`` is the location of the mistake."""

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
        """Return an error with one diagnostic."""
        return cls([Diagnostic(code, "error", message, source, span, hint, fix)])

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows instead of the stack: the calling line, and the diagnostics."""
        called = ""
        for frame, number in walk_tb(self.__traceback__):
            if str(frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARY:
                break
            called = f"line {number}: {linecache.getline(frame.f_code.co_filename, number).strip()}"
        return [type(self).__name__, *([called] if called else []), *str(self).splitlines()]

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Diagnostic, ...]]]:
        # Pickle would keep only the arguments of the exception, which is the rendered text, so pass the diagnostics.
        return type(self), (self.diagnostics,)


class SelectorSyntaxError(TranspilerError):
    """Error for a text that does not follow the grammar of the selector language."""


class SelectorTypeError(TranspilerError):
    """Error for a selector in which an operator has an operand of a type that the operator never accepts."""


class UnsupportedFeatureError(TranspilerError):
    """Error for a valid text that uses a feature of another dialect or a later version, or exceeds a stated limit."""


class LayoutError(TranspilerError):
    """Error for a name that no column or key contains, or for a column whose type does not fit its header field."""


class DecodeError(TranspilerError):
    """Error for JSON or AMQP bytes that cannot be decoded as a message or a filter set."""


class TopologyError(TranspilerError):
    """Error for a topology that cannot be read, or whose exchanges, queues and bindings contradict each other."""


def in_few_frames(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Return ``function`` with a wrapper that shortens the tracebacks of user errors.

    The stack frames inside this library are removed from each ``TranspilerError`` that it raises.
    """

    @wraps(function)
    def called(*arguments: _Parameters.args, **keywords: _Parameters.kwargs) -> _Result:
        try:
            return function(*arguments, **keywords)
        except TranspilerError as error:
            raise error.with_traceback(None) from None

    return called
