"""The messages of files: what the library and all commands call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from transpiler.base.arguments import local_path
from transpiler.base.errors import DecodeError
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.presets import LayoutLike, find_layout
from transpiler.tools.message_files.file_lines import Lines, file_lines
from transpiler.tools.message_files.read_message import ReadMessage
from transpiler.tools.message_files.record_errors import Errors
from transpiler.tools.message_files.record_forms import RecordForm, records
from transpiler.tools.message_files.record_reader import RecordReader, _untold

#: The way to read messages that are in no local file.
_OTHER_FILES = (
    "spark_ext.read_messages reads what Spark does; a message in a text is Message.from_dict(json.loads(text))"
)


def read(
    path: str | Path,
    layout: LayoutLike | None = None,
    *,
    form: RecordForm | None = None,
    on_error: Callable[[DecodeError], object] | None = None,
) -> Iterator[ReadMessage]:
    """Yield the messages of a file, in any form that the commands read; without a layout, each object shows what it is.

    The first record shows the form: JSON, one object a line or on several, or an array of some; CSV with a header;
    RabbitMQ's tracing log, as JSON or text; the XML of ``artemis data exp``; what ``activemq browse`` prints; answers
    of Jolokia, of RabbitMQ's management API and of Broker-J's. A file whose name ends in .gz is decompressed. An object
    is message JSON, plain properties, an entry of a log, or a row of ``layout``. Deliveries in a log, which nobody
    published, are skipped.

    Args:
        path: The file's name.
        layout: The layout whose rows the records are, or a schema.
        form: ``"json"`` or ``"csv"``; None for what the file shows.
        on_error: A function that is called with the error of each record that is no message, which is then left out;
            None to raise it.

    Raises:
        DecodeError: A record is no message; the text begins with file, line and column.
        OSError: The file cannot be read.
    """
    name = str(local_path("path", path, _OTHER_FILES))
    rows = None if layout is None else find_layout(layout)
    return read_records([name], rows, {} if rows is None else _types(layout), Errors(on_error), form)


def _types(layout: LayoutLike | None) -> Mapping[str, Any]:
    """Return the types of the columns of a layout that a schema shows, for CSV."""
    from transpiler.compiler.layouts.layout import is_layout
    from transpiler.compiler.layouts.schemas import schema_in

    if layout is None or is_layout(layout) or (isinstance(layout, str) and layout.replace("-", "").isidentifier()):
        return {}
    return {field["name"]: field["type"] for field in schema_in(layout)["fields"]}


def read_records(
    files: Iterable[str],
    rows: Layout | None,
    types: Mapping[str, Any],
    errors: Errors,
    form: RecordForm | None = None,
    opened: Lines = file_lines,
    note: Callable[[str], object] = _untold,
) -> Iterator[ReadMessage]:
    """Yield the messages of files that ``opened`` opens; deliveries in a tracing log are passed over."""
    reader = RecordReader(rows, types, note)
    for file in files:
        for record in records(file, form, errors, opened):
            found = errors.attempt(reader.read, record)
            if found is not None:
                yield found
    reader.finish()
