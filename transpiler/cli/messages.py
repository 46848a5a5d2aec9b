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
    """The reaction to records with errors: the first error ends the command.

    If ``keep_going`` is True, every error is reported instead, and its record is skipped.
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
    """Yield the messages in ``files``. In a tracing log, deliveries to consumers are skipped; only publications count.

    ``form`` is "json" or "csv" if an option names the format of the files, else None. ``lines`` is the function that
    opens a file and yields its lines with their numbers. If ``progress`` is True, a terminal shows how much has been
    read; this is for commands that print nothing meanwhile.
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
