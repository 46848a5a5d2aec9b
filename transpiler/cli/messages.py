"""The reader of messages for the commands: files or standard input, with the commands' options and error texts.

``tools.message_files`` recognises the form of a file and converts its records to messages.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import partial

from transpiler import TranspilerError
from transpiler.cli.group import click, fail
from transpiler.cli.inputs import check_input, input_lines
from transpiler.cli.layouts import ChosenLayout
from transpiler.tools.message_files.file_lines import Lines
from transpiler.tools.message_files.read_files import read_records
from transpiler.tools.message_files.read_message import ReadMessage
from transpiler.tools.message_files.record_errors import Errors
from transpiler.tools.message_files.record_forms import RecordForm

keep_going_option = click.option(
    "--keep-going", is_flag=True, help="Tell of bad records and leave them out; the exit code is 2 then."
)


class CommandErrors(Errors):
    """The handling of errors in records: the first error ends the command.

    With ``keep_going``, all errors are reported, and their records are skipped.
    """

    def __init__(self, keep_going: bool = False) -> None:
        super().__init__(_write_error if keep_going else None)

    def finish(self) -> None:
        """End the command with exit code 2 if any record had an error. Called at the end, after all output."""
        if self.count:
            fail(f"{self.count:,} bad {'record was' if self.count == 1 else 'records were'} left out")


def _write_error(error: TranspilerError) -> None:
    click.echo(str(error), err=True)


def read_messages(
    files: Iterable[str],
    layout: ChosenLayout | None = None,
    errors: Errors | None = None,
    form: RecordForm | None = None,
    lines: Lines | None = None,
    *,
    progress: bool = False,
) -> Iterator[ReadMessage]:
    """Yield the messages of ``files``. Deliveries in a tracing log are skipped, because they are not publications.

    ``form`` is "json" or "csv" if the options name the form, else None. ``lines`` opens a file and yields its numbered
    lines. With ``progress`` a terminal shows how much has been read; use this if the command prints nothing meanwhile.
    """
    chosen = layout or ChosenLayout()
    if lines is None:
        lines = partial(input_lines, progress=progress)
        files = list(files)
        for file in files:
            check_input(file)
    yield from read_records(files, chosen.rows, chosen.types, errors or CommandErrors(), form, lines, _note)


def _note(text: str) -> None:
    click.echo(f"note: {text}", err=True)


def compact(text: str) -> str:
    """Return the JSON ``text`` on one line. This is safe, because strings in JSON contain no line ends."""
    return " ".join(line.strip() for line in io.StringIO(text)) if "\n" in text else text
