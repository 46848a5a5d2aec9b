"""Messages as the commands read them: files and standard input, by the options, with errors told as commands do.

What a file is, and which message a record is, is ``tools.message_files``.
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
    """Records that cannot be read: the first ends the command, unless it goes on."""

    def __init__(self, keep_going: bool = False) -> None:
        super().__init__(_tell if keep_going else None)

    def finish(self) -> None:
        """End the command with exit code 2 if there was an error; the last thing that a command says."""
        if self.count:
            fail(f"{self.count:,} bad {'record was' if self.count == 1 else 'records were'} left out")


def _tell(error: TranspilerError) -> None:
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
    """Yield the messages of files; deliveries in a tracing log, which nobody published, are passed over.

    ``form`` is json or csv where the options say so, and ``lines`` opens a file. With ``progress`` a terminal shows how
    much has been read, where nothing else is written to it.
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
    """Return a JSON text on one line; strings have no line ends in JSON."""
    return " ".join(line.strip() for line in io.StringIO(text)) if "\n" in text else text
