"""Errors of records with their locations, and the decision whether an error ends the reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, ParamSpec, TypeVar

from transpiler.base.diagnostics import Diagnostic, one_line
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.errors import DecodeError, TranspilerError

_Value = TypeVar("_Value")
_Given = ParamSpec("_Given")


class RecordError(DecodeError):
    """The error of a record that cannot be read; its text begins with file, line and column."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(diagnostics or [Diagnostic("message.record", "error", text)])
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, tuple[Diagnostic, ...]]]:  # type: ignore[override]
        return type(self), (self.text, self.diagnostics)


class Errors:
    """A handler of errors in records.

    If ``report`` is given, it is called with each error, and the record is skipped. If it is None, the first error is
    raised.
    """

    def __init__(self, report: Callable[[RecordError], object] | None = None) -> None:
        self._report = report
        self.count = 0

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Return a context manager that passes a ``RecordError`` raised inside it to ``add``."""
        try:
            yield
        except RecordError as error:
            self.add(error)

    def add(self, error: RecordError) -> None:
        """Report ``error`` and count it; if errors are not reported, raise it."""
        if self._report is None:
            raise error
        self.count += 1
        self._report(error)

    @property
    def goes_on(self) -> bool:
        """True if records that cannot be read are skipped."""
        return self._report is not None

    def attempt(self, read: Callable[_Given, _Value], *given: _Given.args, **named: _Given.kwargs) -> _Value | None:
        """Return the result of ``read(*given, **named)``; None if its error was reported and the record is skipped."""
        with self.reported():
            return read(*given, **named)
        return None


def location_of(file: str, line: int, column: int | None = None) -> str:
    """Return a location in the form for errors: ``file:line`` or ``file:line:column``."""
    return f"{one_line(file)}:{line}" + (f":{column}" if column is not None else "")


def refuse(location: str, why: str) -> NoReturn:
    """Raise a ``RecordError`` with the location ``location`` and the reason ``why``."""
    raise RecordError(f"{location}: {why}")


def at_location(location: str, error: TranspilerError, hint: str = "") -> RecordError:
    """Return ``error`` as a ``RecordError`` with the location ``location`` before its text, and ``hint`` after it."""
    return RecordError(f"{location}: {error}{hint}", error.diagnostics)


def load_record(text: str, file: str, line: int | None = None) -> Any:
    """Return the value of the JSON ``text``; raise ``RecordError`` with the location if it is not JSON.

    ``line`` is the line of the file on which ``text`` begins; None if ``text`` is the whole file.
    """
    try:
        return load_json(text)
    except JsonTextError as error:
        index = error.location(text) if line is None else f":{line}"
        if line is not None and error.span is not None:
            index += f":{error.span.start + 1}"
        refuse(f"{one_line(file)}{index}", error.message)
