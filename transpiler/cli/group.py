"""The command group of both programs, which starts and ends every command in the same way.

Arguments and standard streams are in UTF-8, whatever the locale is. A command ends with one of the exit codes of
``EXIT_CODES``. An exception that it raises becomes an error text on standard error, never a traceback. So commands call
``fail`` for an error that they detect, and let all other exceptions pass.

``transpiler.cli.inputs`` opens inputs. Commands write text for people with ``say``, and data with ``click.echo``.
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

#: The exit codes of a program and their meanings, for its help. Exit code 1 means something else for each command.
EXIT_CODES = {
    0: "done",
    1: "a finding, a difference, no match or a failed case, as the command's help says",
    2: "an error, printed on standard error",
    130: "interrupted",
    141: "the reader of the output went away, as head does",
}

#: The exit codes after SIGINT (Control-C) and SIGPIPE (the reader closed the pipe): 128 plus the number of the signal.
_INTERRUPTED, _PIPE_CLOSED = 130, 141

_DEBUG = "SELECTOR_SQL_TRACEBACK"


class CommandError(click.ClickException):
    """Error for a command that cannot be carried out. The message is shown to the user unchanged."""

    exit_code = 2


def fail(message: str) -> NoReturn:
    """End the command with the error text ``message`` and exit code 2."""
    raise CommandError(message)


class Program(click.Group):
    """The group of all commands of a program.

    If a command raises an error, the program prints an error text and exits with a code of ``EXIT_CODES``.
    """

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command ``cmd_name``; its options with choices accept upper and lower case."""
        command = super().get_command(ctx, cmd_name)
        for parameter in command.params if command is not None else ():
            if isinstance(parameter.type, click.Choice):
                parameter.type.case_sensitive = False
        return command

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the section "Exit codes" of the help."""
        write_exit_codes(formatter, EXIT_CODES)

    def main(
        self,
        args: Any = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program and exit the process with a code of ``EXIT_CODES``.

        If ``standalone_mode`` is False, return to the caller, and let exceptions pass.
        """
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, **extra)
        try:
            _prepare_streams()
            # On Windows, leave the arguments to click: Python decodes them correctly there, and click expands wildcards
            # only if ``args`` is None.
            words = _arguments() if args is None and os.name == "posix" else args
            status = super().main(words, prog_name, complete_var, False, **extra)
            code = status if isinstance(status, int) else 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 2
        except BaseException as error:
            code = self._end(error)
        sys.exit(_flushed(code))

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the arguments. The options ``--help`` and ``--version`` print their text here.

        Colours are off if NO_COLOR is set or the terminal is dumb.
        """
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            kwargs["color"] = False
        with _kept_from_click():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command of ``ctx``, and let its exceptions pass through click unchanged."""
        with _kept_from_click():
            return super().invoke(ctx)

    def describe(self, error: BaseException) -> str | None:  # noqa: ARG002
        """Return the text to print for an exception that only a subclass's commands can raise; None for any other.

        Subclasses override it, for instance for exceptions of Spark.
        """
        return None

    def _end(self, error: BaseException) -> int:
        """Report ``error`` on standard error and return the exit code."""
        if isinstance(error, _KeptError):
            assert error.__cause__ is not None
            error = error.__cause__
        if isinstance(error, KeyboardInterrupt | click.Abort):
            _write_error("interrupted")
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
        _write_error(self.describe(error) or _text(error))
        return 2


class _KeptError(Exception):
    """A wrapper around an exception, so that click, which handles some exceptions itself, lets it pass.

    ``__cause__`` is the wrapped exception.
    """


@contextmanager
def _kept_from_click() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, EOFError, BrokenPipeError) as error:
        raise _KeptError from error


def write_exit_codes(formatter: click.HelpFormatter, exits: Mapping[int, str]) -> None:
    """Write the section "Exit codes" of a help text."""
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code), exits[code]) for code in sorted(exits)])


def say(text: str, *, err: bool = False) -> None:
    """Write ``text`` for a person to read.

    Control characters are replaced, because the text may quote the user's input.
    """
    click.echo(printable(text), err=err)


def say_data(text: str) -> None:
    """Write ``text`` for a program to read, unchanged. Only on a terminal are control characters replaced."""
    click.echo(printable(text) if sys.stdout.isatty() else text)


def command_error_text(error: TranspilerError) -> str:
    """Return the text of ``error`` with its hints changed to the spelling of the command line's options."""
    if isinstance(error, RecordError):
        text = error.text
        for hint in (diagnostic.hint for diagnostic in error.diagnostics if diagnostic.hint):
            text = text.replace(hint, spelled(hint))
        return text
    return "\n".join(for_command(diagnostic).render() for diagnostic in error.diagnostics)


def _text(error: BaseException) -> str:
    """Return the text to print for the exception ``error``; on one line, unless it is an exception of this project."""
    match error:
        case CommandError():
            return error.message
        case TranspilerError():
            return command_error_text(error)
        case OSError():
            file_name = error.filename if error.filename is not None else "standard output"
            if isinstance(file_name, bytes):
                file_name = os.fsdecode(file_name)
            return one_line(f"{file_name}: {error.strerror or error}")
        case UnicodeError():
            return one_line(f"the text is not Unicode: {error}")
        case MemoryError():
            return "out of memory"
        case RecursionError():
            return "the input is nested too deeply"
        case _:
            known = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return one_line(f"internal error: {known}") + f" (with {_DEBUG}=1 in the environment: its traceback)"


def _write_error(text: str) -> None:
    """Write the error text; if standard error cannot be written, the exit code is the only sign of the error."""
    try:
        say(text, err=True)
    except (OSError, ValueError):
        _abandon(sys.stderr)


def _arguments() -> list[str]:
    """Return the arguments of the process, decoded as UTF-8 under any locale.

    Python decodes them under the locale: with ``LC_ALL=C`` and without UTF-8 mode, ``é`` would become two surrogates.
    """
    words = []
    for number, word in enumerate(sys.argv[1:], 1):
        try:
            words.append(os.fsencode(word).decode("utf-8"))
        except UnicodeError:
            fail(one_line(f"argument {number} is not UTF-8: {word!a}"))
    return words


def _prepare_streams() -> None:
    """Make the standard streams write UTF-8, and open the null device in place of closed streams.

    Otherwise, a file opened later could get the descriptor of a closed standard stream.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        # Open the null device for reading only. Then a write to an output that was closed on purpose still fails.
        while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
            pass
        os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    elif isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # With PYTHONUNBUFFERED, standard output has no buffer. If a pipe then accepts only a part of a text, Python
        # drops the rest, so add a buffer.
        sys.stdout = open(sys.stdout.fileno(), "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A lone surrogate, which JSON can contain, is written as its escape in JSON.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _flushed(code: int) -> int:
    """Flush standard output; return ``code``, or the exit code of the error if that fails.

    Without this, Python flushes standard output only at exit, when an error cannot change the exit code any more.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _PIPE_CLOSED
    except OSError as error:
        # A command that ends with code 2 has already printed an error, so do not add another.
        if code != 2:
            _write_error(_text(error))
        code = 2
    else:
        return code
    _abandon(sys.stdout)
    return code


def _abandon(stream: TextIO) -> None:
    """Redirect ``stream`` to the null device, so that Python's flush at exit cannot fail."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
