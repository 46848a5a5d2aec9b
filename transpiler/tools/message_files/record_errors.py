"""Errors of records, with their places, and whether one of them ends the reading."""

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
    """A record that cannot be read; the text of the error begins with its file, line and column."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(diagnostics or [Diagnostic("message.record", "error", text)])
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, tuple[Diagnostic, ...]]]:  # type: ignore[override]
        return type(self), (self.text, self.diagnostics)


class Errors:
    """The handling of records that cannot be read: each is given to a function and left out, or the first is raised."""

    def __init__(self, tell: Callable[[RecordError], object] | None = None) -> None:
        self._tell = tell
        self.count = 0

    @contextmanager
    def told(self) -> Iterator[None]:
        """Tell an error, and go on, where the caller does so."""
        try:
            yield
        except RecordError as error:
            self.add(error)

    def add(self, error: RecordError) -> None:
        """Tell an error, or raise it where the caller does not go on."""
        if self._tell is None:
            raise error
        self.count += 1
        self._tell(error)

    @property
    def goes_on(self) -> bool:
        """Return True if records that cannot be read are left out."""
        return self._tell is not None

    def attempt(self, read: Callable[_Given, _Value], *given: _Given.args, **named: _Given.kwargs) -> _Value | None:
        """Call a function; return its result, or None where its error was reported and the record is left out."""
        with self.told():
            return read(*given, **named)
        return None


def place_of(file: str, line: int, column: int | None = None) -> str:
    """Return a place as errors name it."""
    return f"{one_line(file)}:{line}" + (f":{column}" if column is not None else "")


def refuse(place: str, why: str) -> NoReturn:
    """Raise the error of a record at a place."""
    raise RecordError(f"{place}: {why}")


def at_place(place: str, error: TranspilerError, hint: str = "") -> RecordError:
    """Return an error with the place that it lacks, and with a hint behind it."""
    return RecordError(f"{place}: {error}{hint}", error.diagnostics)


def load_record(text: str, file: str, line: int | None = None) -> Any:
    """Return the value of a JSON text; its errors have file, line and column. ``line`` is that of the text itself."""
    try:
        return load_json(text)
    except JsonTextError as error:
        place = error.place(text) if line is None else f":{line}"
        if line is not None and error.span is not None:
            place += f":{error.span.start + 1}"
        refuse(f"{one_line(file)}{place}", error.message)
