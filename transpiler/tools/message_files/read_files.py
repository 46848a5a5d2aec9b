"""The entry points for reading messages from files, for the library and all commands."""

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
from transpiler.tools.message_files.record_reader import RecordReader, _ignore

#: The hint on how to read messages that are not in a local file.
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
    """Yield the messages of a file, in any format that the commands read.

    The first record identifies the format:

    - JSON, with one object on each line, objects on several lines, or an array
    - CSV with a header
    - RabbitMQ's tracing log as JSON or text
    - the XML of ``artemis data exp``, or the output of ``activemq browse``
    - answers of Jolokia, of RabbitMQ's management API, and of Broker-J's REST API

    A file whose name ends with .gz is decompressed. An object is a row of ``layout`` if that is given; otherwise it is
    recognized as message JSON, plain properties, or an entry of a log. Deliveries in a log are skipped, because nobody
    published them.

    Args:
        path: The name of the file.
        layout: The layout of the records, or a schema; None if the records are not rows of a layout.
        form: ``"json"`` or ``"csv"``; None to recognize the format.
        on_error: A function that is called with the error of each record that is not a message; the record is then
            skipped. None to raise the error.

    Raises:
        DecodeError: A record is not a message; the text of the error begins with file, line and column.
        OSError: The file cannot be read.
    """
    name = str(local_path("path", path, _OTHER_FILES))
    rows = None if layout is None else find_layout(layout)
    return read_records([name], rows, {} if rows is None else _types(layout), Errors(on_error), form)


def _types(layout: LayoutLike | None) -> Mapping[str, Any]:
    """Return the column types by name if ``layout`` is a schema, to convert CSV cells; else an empty mapping."""
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
    note: Callable[[str], object] = _ignore,
) -> Iterator[ReadMessage]:
    """Yield the messages of ``files``. Deliveries in a tracing log are skipped.

    ``rows``, ``types`` and ``note`` are explained at ``RecordReader``, ``form`` and ``opened`` at ``records``.
    ``errors`` handles the errors of records.
    """
    reader = RecordReader(rows, types, note)
    for file in files:
        for record in records(file, form, errors, opened):
            found = errors.attempt(reader.read, record)
            if found is not None:
                yield found
    reader.finish()
