"""The command group of both programs: one way for every command to begin and to end.

A command begins with arguments and standard streams in UTF-8, whatever the locale says. It ends with one of the exit
codes of ``EXIT_CODES``; an exception that leaves it becomes an error text on standard error, never a traceback. So
the commands themselves raise: ``fail`` for what they find out, and anything else for what they meet.
Inputs are opened by ``transpiler.cli.inputs``; standard output is written with ``say`` where people read it, and with
``click.echo`` where it is data.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from transpiler import TranspilerError
from transpiler.base.diagnostics import one_line, printable
from transpiler.tools.command_spelling import for_command, spelled
from transpiler.tools.message_files.record_errors import RecordError

if TYPE_CHECKING:
    import click as click
else:
    try:
        import click
    except ImportError:
        _HINT = "pip install click rich"
        print(f"error: the commands need click: {_HINT}", file=sys.stderr)
        sys.exit(2)

#: The exit codes of a program, at the end of its help; a command's own help says what its 1 is.
EXIT_CODES = {
    0: "done",
    1: "a finding, a difference, no match or a failed case, as the command's help says",
    2: "an error, told on standard error",
    130: "interrupted",
    141: "the reader of the output went away, as head does",
}

#: 128 and the number of the signal, as a shell reports a process that ended by SIGINT or SIGPIPE.
_INTERRUPTED, _PIPE_CLOSED = 130, 141

_DEBUG = "SELECTOR_SQL_TRACEBACK"


class CommandError(click.ClickException):
    """A command cannot be carried out; the message is for the user as it is."""

    exit_code = 2


def fail(message: str) -> NoReturn:
    """End the command with an error text and exit code 2."""
    raise CommandError(message)


class Program(click.Group):
    """A group of commands that end with an error text and an exit code of ``EXIT_CODES``."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, whose choices may be written in any case."""
        command = super().get_command(ctx, cmd_name)
        for parameter in command.params if command is not None else ():
            if isinstance(parameter.type, click.Choice):
                parameter.type.case_sensitive = False
        return command

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the section Exit codes."""
        write_exit_codes(formatter, EXIT_CODES)

    def main(
        self,
        args: Any = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program and exit; without ``standalone_mode`` exceptions are the caller's."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, **extra)
        try:
            _prepare_streams()
            # On Windows the arguments are Unicode, and click expands their wildcards.
            words = _arguments() if args is None and os.name == "posix" else args
            status = super().main(words, prog_name, complete_var, False, **extra)
            code = status if isinstance(status, int) else 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 2
        except BaseException as error:
            code = self._end(error)
        sys.exit(_flushed(code))

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the arguments; ``--help`` and ``--version`` print here. click colours no file and no pipe."""
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            kwargs["color"] = False
        with _kept_from_click():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _kept_from_click():
            return super().invoke(ctx)

    def describe(self, error: BaseException) -> str | None:  # noqa: ARG002
        """Return the text for an exception of a library that only this program uses, or None."""
        return None

    def _end(self, error: BaseException) -> int:
        """Report an exception on standard error and return the exit code."""
        if isinstance(error, _KeptError):
            assert error.__cause__ is not None
            error = error.__cause__
        if isinstance(error, KeyboardInterrupt | click.Abort):
            _tell("interrupted")
            return _INTERRUPTED
        if isinstance(error, BrokenPipeError):
            _abandon(sys.stdout)
            return _PIPE_CLOSED
        if isinstance(error, click.ClickException) and not isinstance(error, CommandError):
            try:
                error.show()
            except OSError:
                _abandon(sys.stderr)
            return error.exit_code
        if os.environ.get(_DEBUG) and not isinstance(error, CommandError | TranspilerError):
            raise error
        _tell(self.describe(error) or _text(error))
        return 2


class _KeptError(Exception):
    """An exception, its cause, that click would end the process for in a way of its own."""


@contextmanager
def _kept_from_click() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, EOFError, BrokenPipeError) as error:
        raise _KeptError from error


def write_exit_codes(formatter: click.HelpFormatter, exits: Mapping[int, str]) -> None:
    """Write the section Exit codes of a help."""
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code), exits[code]) for code in sorted(exits)])


def say(text: str, *, err: bool = False) -> None:
    """Write what a person reads: names and texts of somebody's input do nothing to the terminal."""
    click.echo(printable(text), err=err)


def say_data(text: str) -> None:
    """Write a text that a program may read, unchanged but for what a person's terminal would obey."""
    click.echo(printable(text) if sys.stdout.isatty() else text)


def told(error: TranspilerError) -> str:
    """Return the text of an error; options and layouts that a hint proposes are as the command line spells them."""
    if isinstance(error, RecordError):
        text = error.text
        for hint in (diagnostic.hint for diagnostic in error.diagnostics if diagnostic.hint):
            text = text.replace(hint, spelled(hint))
        return text
    return "\n".join(for_command(diagnostic).render() for diagnostic in error.diagnostics)


def _text(error: BaseException) -> str:
    """Return the error text of an exception; only those of this project may have several lines."""
    match error:
        case CommandError():
            return error.message
        case TranspilerError():
            return told(error)
        case OSError():
            place = error.filename if error.filename is not None else "standard output"
            if isinstance(place, bytes):
                place = os.fsdecode(place)
            return one_line(f"{place}: {error.strerror or error}")
        case UnicodeError():
            return one_line(f"the text is not Unicode: {error}")
        case MemoryError():
            return "out of memory"
        case RecursionError():
            return "the input is nested too deeply"
        case _:
            known = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return one_line(f"internal error: {known}") + f" (with {_DEBUG}=1 in the environment: its traceback)"


def _tell(text: str) -> None:
    """Write an error text; where even standard error cannot be written, the exit code has to do."""
    try:
        say(text, err=True)
    except (OSError, ValueError):
        _abandon(sys.stderr)


def _arguments() -> list[str]:
    """Return the arguments of the process, decoded from UTF-8.

    Python decodes them by the locale: under ``LC_ALL=C`` without UTF-8 mode ``é`` becomes two surrogates.
    """
    words = []
    for number, word in enumerate(sys.argv[1:], 1):
        try:
            words.append(os.fsencode(word).decode("utf-8"))
        except UnicodeError:
            fail(one_line(f"argument {number} is not UTF-8: {word!a}"))
    return words


def _prepare_streams() -> None:
    """Make the standard streams write UTF-8, and keep closed ones from being taken for files that are opened later."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        # Nothing can be written to a descriptor that is open for reading: a closed output stays an error.
        while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
            pass
        os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    elif isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # Unbuffered (PYTHONUNBUFFERED), Python takes a text that a pipe has accepted a part of for written.
        sys.stdout = open(sys.stdout.fileno(), "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A lone surrogate, which JSON can say, becomes JSON's own escape for it.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _flushed(code: int) -> int:
    """Write what standard output still holds; Python would do that at its exit, where an error is only a noise."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _PIPE_CLOSED
    except OSError as error:
        # The command has ended with an error already where it could not write either.
        if code != 2:
            _tell(_text(error))
        code = 2
    else:
        return code
    _abandon(sys.stdout)
    return code


def _abandon(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, so that Python does not try to write it once more at its exit."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
