"""Archives of messages for the commands: find the layout of a file, and report lines that cannot be decoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import wraps
from itertools import islice
from typing import Any, NamedTuple

from spark_ext.cli.inputs import Inputs, find_inputs, input_format_option, read_schema
from spark_ext.cli.jobs import schema_option, session_options, start_session
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.cli.group import click, fail
from transpiler.cli.inputs import shown
from transpiler.cli.layouts import ChosenLayout, choose_layout, header_options, layout_option
from transpiler.cli.messages import CommandErrors, keep_going_option, read_messages
from transpiler.cli.options import LAYOUT
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.amqp_0_10 import ZeroTenLayout
from transpiler.compiler.layouts.columns import SECTIONS
from transpiler.compiler.layouts.json_rows import BESIDE, read_row
from transpiler.compiler.layouts.layout import ArchiveLayout
from transpiler.compiler.presets import find_layout
from transpiler.compiler.sql import emit_filter, quote_name, quote_text
from transpiler.compiler.stores import STORES, preset
from transpiler.compiler.stores.own import csv as csv_layout
from transpiler.compiler.stores.own import expected_cells
from transpiler.message.rabbitmq_trace import is_entry
from transpiler.tools.message_files.record import Record
from transpiler.tools.message_files.record_errors import Errors, RecordError, load_record
from transpiler.tools.message_files.record_forms import RecordForm, records
from transpiler.topology.model import Topology

ZERO_TEN = ZeroTenLayout()
TRACE, FLAT = "rabbitmq-trace", "flat"

#: The column of a tracing log with the virtual host of each message.
VHOST = "vhost"

#: The column that Spark adds for lines that are not valid JSON.
_CORRUPT = "_corrupt_record"


class Archive(NamedTuple):
    """Messages as a DataFrame, and their layout: a layout, the name of a layout, or a DataFrame with its columns.

    If ``layout`` is None, it is inferred from the columns of ``messages``.
    """

    messages: Any
    layout: Any

    def of_virtual_host(self, topology: Topology) -> tuple[Archive, Counter[str]]:
        """Return the messages of the topology's virtual host, and the counts of messages of other virtual hosts.

        All messages are kept if the topology's file or the messages name no virtual host.
        """
        own, layout = topology.vhost, getattr(self.layout, "name", self.layout)
        if own is None or layout not in (None, TRACE) or VHOST not in self.messages.columns:
            return self, Counter()
        others = f"{VHOST} <> {quote_text(own)}"
        counted = self.messages.filter(others).groupBy(VHOST).count().collect()
        kept = self._replace(messages=self.messages.filter(f"NOT coalesce({others}, false)"))
        return (kept, Counter(dict(counted))) if counted else (self, Counter())


class ArchiveJob(NamedTuple):
    """The input files of a command, the options for reading them, and the Spark session."""

    session: Any
    inputs: Inputs
    layout: str | None
    schema: Any
    layout_options: tuple[str, ...]
    errors: CommandErrors

    def read(self) -> Archive:
        """Read the messages. If a record is not a message, end the command, except with --keep-going."""
        return read_archive(self.session, self.inputs, self.layout, self.schema, self.layout_options, self.errors)


#: A function from the INPUT arguments to the job: it finds the files, and starts the Spark session.
StartJob = Callable[[tuple[str, ...]], ArchiveJob]


def archive_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the command-line options for reading messages and for the Spark session to ``command``.

    Instead of these options, the command receives the function ``start_job``. If a file does not exist, ``start_job``
    ends the command before Spark starts, because starting takes seconds.
    """

    @wraps(command)
    def with_job(
        input_format: str | None,
        layout: str | None,
        layout_option: tuple[str, ...],
        schema: str | None,
        master: str,
        packages: str | None,
        keep_going: bool,
        **others: Any,
    ) -> Any:
        errors, started = CommandErrors(keep_going), list[ArchiveJob]()

        def start_job(files: tuple[str, ...]) -> ArchiveJob:
            inputs, types = find_inputs(files, input_format), read_schema(schema)
            session = start_session(master, packages)
            started.append(ArchiveJob(session, inputs, layout, types, layout_option, errors))
            return started[0]

        try:
            command(start_job=start_job, **others)
        except SystemExit:
            errors.finish()
            raise
        except Exception as error:
            if started and "MALFORMED_CSV_RECORD" in str(error):
                # Spark's error has no line number, so let Python's reader report the record.
                _report_bad_records(started[0].session, started[0].inputs, CommandErrors())
            raise
        errors.finish()

    decorated: Callable[..., Any] = session_options(with_job)
    help_text = "A layout's name: rabbitmq-trace (RabbitMQ's tracing log), amqp, kafka-headers, …  [default: what the "
    named = click.option("--layout", type=LAYOUT, callback=check_layout, help=help_text + "files show]")
    for decorate in (keep_going_option, schema_option, layout_option, named, input_format_option):
        decorated = decorate(decorated)
    return decorated


def check_layout(_: click.Context, __: click.Parameter, layout: str | None) -> str | None:
    """Return the name ``layout``; end the command, before Spark starts, if there is no such layout."""
    if layout is not None and layout not in (TRACE, FLAT, *_EXPORTS, *STORES):
        find_layout(layout)
    return layout


def read_archive(
    session: Any,
    inputs: Inputs,
    layout: str | None,
    schema: Any,
    options: tuple[str, ...],
    errors: CommandErrors,
) -> Archive:
    """Read the messages of the inputs; ``errors`` handles records that are not messages.

    ``options`` are the values of --layout-option, in the form ``KEY=VALUE``.
    """
    archive = _read_archive(session, inputs, layout, schema, errors)
    if layout is None or layout in (TRACE, FLAT, "amqp", ZERO_TEN.name):
        if options and archive.layout is not archive.messages:
            fail("--layout-option sets an option of a layout, but no layout is given: add --layout NAME")
        if not options:
            return archive
        from spark_ext.messages.schemas import schema_layout

        return archive._replace(layout=schema_layout(archive.messages, headers=header_options(options)))
    from spark_ext.messages.schemas import message_columns

    chosen = choose_layout(layout, options, None).layout
    return archive._replace(layout=message_columns(archive.messages, chosen).layout)


def _read_archive(session: Any, inputs: Inputs, layout: str | None, schema: Any, errors: CommandErrors) -> Archive:
    inputs = inputs.with_form(session)
    if errors.goes_on:
        lines = inputs.form == "json" and layout not in _EXPORTS
        rows = inputs.form == "csv" and layout in (None, FLAT)
        if not (lines or rows) or schema is not None:
            fail(
                "--keep-going skips only lines of JSON and rows of flat CSV that are read "
                "without --schema: Spark reads other files as a whole"
            )
        if inputs.form == "csv":
            # Spark's reader would reject the whole file if a row is incomplete.
            return _rows_in_python(session, inputs, AmqpLayout(), errors)
    if layout in _EXPORTS or inputs.form == "xml":
        with inputs.failures(session):
            name = layout or "artemis-xml"
            if name not in _EXPORTS:
                fail(f"{shown(inputs.names[0])}: XML is read only as an export of Artemis: add --layout artemis-xml")
            return Archive(_read_export(session, inputs.for_spark(), name), name)
    if inputs.form != "json" or schema is not None:
        return _table(session, inputs, layout, schema)
    text = _first_text(session, inputs)
    first = _object(text) if layout is None else {}
    if (layout == TRACE and text[:1] == "{") or is_entry(first):
        return Archive(_trace(session, inputs, errors), None)
    if layout == ZERO_TEN.name or first.keys() & ZERO_TEN.schema.keys():
        # Only the reader in Python converts the typed values in rows of AMQP 0-10 in JSON.
        return _rows_in_python(session, inputs, ZERO_TEN, errors)
    if layout in (None, "amqp", TRACE) and text[:1] not in ("{", ""):
        # Spark reads JSON line by line, so read a file whose records are not one line each in Python.
        return _rows_in_python(session, inputs, AmqpLayout(), errors)
    if layout in (None, "amqp"):
        return _messages(session, inputs, errors)
    messages = inputs.table(session)
    if _CORRUPT in messages.columns:
        opened = inputs.opened(session)
        for record in (one for file in inputs.files() for one in records(file, "json", errors, opened)):
            errors.attempt(_check_object, record)
        # Cache the rows, because Spark rejects a query that reads only ``_CORRUPT`` from a file.
        messages = messages.cache().filter(f"{_CORRUPT} IS NULL").drop(_CORRUPT)
    return Archive(messages, messages if layout == FLAT else layout)


def _check_object(record: Record) -> None:
    if not isinstance(load_record(record.text, record.file, record.line), dict):
        raise RecordError(f"{record.location}: this is not a JSON object")


#: The layouts whose files have their own reader.
_EXPORTS = ("artemis-xml", "rabbitmq-get", "aws-activemq", "aws-rabbitmq")


def _read_export(session: Any, names: list[str], layout: str) -> Any:
    from spark_ext.messages import readers

    match layout:
        case "artemis-xml":
            return readers.read_artemis_export(session, *names)
        case "rabbitmq-get":
            return readers.read_rabbitmq_get(session, *names)
        case "aws-activemq":
            return readers.read_lambda_events(session, *names, broker="activemq")
        case _:
            return readers.read_lambda_events(session, *names, broker="rabbitmq")


def _table(session: Any, inputs: Inputs, layout: str | None, schema: Any) -> Archive:
    if inputs.form == "csv":
        # Spark accepts any header and renames duplicate columns, so let Python's reader check the header first.
        for file in islice(inputs.files(), 1):
            next(records(file, "csv", Errors(), inputs.opened(session)), None)
    messages = inputs.table(session, schema)
    if layout == ZERO_TEN.name:
        absent = [name for name in ZERO_TEN.schema if name not in messages.columns]
        if absent:
            first = shown(inputs.names[0])
            fail(f"{first} has no column {' and no column '.join(absent)}, which archives of AMQP 0-10 have")
    if inputs.form == "csv" and schema is None and layout in (None, FLAT):
        return _cells(session, inputs, messages)
    return Archive(messages, messages if layout in (None, FLAT) else layout)


def _cells(session: Any, inputs: Inputs, messages: Any) -> Archive:
    """Return the CSV rows ``messages`` with the layout that ``selector-sql match`` uses for CSV.

    End the command if a header field has an invalid value.
    """
    layout = csv_layout(messages.columns)
    wrong = [
        f"({quote_name(name)} IS NOT NULL AND NOT coalesce({emit_filter(stored.present)}, false))"
        for name in expected_cells(layout)
        if (stored := layout.headers[name].stored()) is not None
    ]
    if wrong:
        with inputs.failures(session):
            found = messages.filter(" OR ".join(wrong)).limit(1).count()
        if found:
            # Python's reader reports the line and the cell.
            _report_bad_records(session, inputs, CommandErrors())
            fail(f"{shown(inputs.names[0])}: some cells are not values of {', '.join(expected_cells(layout))}")
    return Archive(messages, layout)


def _report_bad_records(session: Any, inputs: Inputs, errors: Errors, chosen: ChosenLayout | None = None) -> int:
    """Read ``inputs`` again in Python, only to report each bad record with its line to ``errors``; return their number.

    ``chosen`` is the layout of the rows; None if the records are messages.
    """
    before = errors.count
    for _ in read_messages(inputs.files(), chosen, errors, _record_form(inputs), inputs.opened(session)):
        pass
    return errors.count - before


def _record_form(inputs: Inputs) -> RecordForm | None:
    return "csv" if inputs.form == "csv" else None


def _trace(session: Any, inputs: Inputs, errors: CommandErrors) -> Any:
    from spark_ext.messages.traces import trace_messages

    trace = trace_messages(inputs.text(session))
    is_wrong = "coalesce(exchange IS NULL OR routed_queues IS NULL OR size(routing_keys) = 0, false)"
    with inputs.failures(session):
        wrong = trace.filter(is_wrong).count()
    if not wrong:
        return trace
    if _report_bad_records(session, inputs, errors, ChosenLayout(rows=preset(TRACE, {}))) != wrong:
        fail(f"{shown(inputs.names[0])}: {wrong:,} lines are not entries of a tracing log")
    return trace.filter(f"NOT {is_wrong}")


def _messages(session: Any, inputs: Inputs, errors: CommandErrors) -> Archive:
    """Parse message JSON lines on the executors.

    Members outside the AMQP sections, such as ``exchange``, become columns if some line has them.
    """
    from spark_ext.messages.message_lines import BESIDE as COLUMNS
    from spark_ext.messages.message_lines import CONTENT, NO_MESSAGE, PROBLEM, parse_lines

    if not inputs.for_hadoop:
        return _rows_in_python(session, inputs, AmqpLayout(), errors)
    parsed = parse_lines(inputs.text(session), BESIDE)
    with inputs.failures(session):
        counts = parsed.selectExpr(
            f"min(CASE WHEN {PROBLEM} = '{NO_MESSAGE}' THEN file_path END) AS wrong",
            f"count(CASE WHEN {PROBLEM} = '{NO_MESSAGE}' THEN 1 END) AS wrong_lines",
            f"count(CASE WHEN {PROBLEM} = '{CONTENT}' THEN 1 END) AS content",
            *(f"count({name}) AS {name}" for name in COLUMNS),
        ).collect()[0]
    wrong = counts.wrong
    if wrong is not None and not errors.goes_on:
        # Read only the file with the invalid line first, to report the line by its number.
        _report_bad_records(session, inputs.at(wrong), errors)
    elif wrong is not None:
        bad: list[RecordError] = []
        _report_bad_records(session, inputs, Errors(bad.append))
        if len(bad) == counts.wrong_lines and not counts.content:
            for error in bad:
                errors.add(error)
            parsed, wrong = parsed.filter(f"{PROBLEM} IS NULL"), None
    if wrong is not None or counts.content:
        # SQL cannot convert JSON lines of plain properties without sections, and cannot encode what lists and maps
        # contain. So the archive is read in Python.
        return _rows_in_python(session, inputs, AmqpLayout(), errors)
    return Archive(parsed.select(*SECTIONS, *(name for name in COLUMNS if counts[name])), None)


def _rows_in_python(session: Any, inputs: Inputs, layout: ArchiveLayout, errors: CommandErrors) -> Archive:
    """Read the messages in Python. Return them as rows of ``layout``, or if all values are text, as text columns."""
    from pyspark.sql import functions as sf

    from spark_ext.messages.schemas import create_rows

    rows: list[Mapping[str, Any]] = []
    beside: list[tuple[Any, ...]] = []
    cells: list[Mapping[str, Any]] = []
    for read in read_messages(inputs.files(), None, errors, _record_form(inputs), inputs.opened(session)):
        if read.record.cells is not None:
            cells.append(read.record.cells)
        if cells and len(cells) <= len(rows):
            fail(
                f"{read.place}: some messages store properties as text, but others "
                "store typed properties: give files of one form"
            )
        own = read.value.keys() & ZERO_TEN.schema.keys() if layout is ZERO_TEN else ()
        rows.append(read_row({name: read.value[name] for name in own}) if own else layout.row(read.message))
        sent = read.sent()
        beside.append((len(beside), *sent, read.recorded("routed_queues"), read.vhost))
    if cells:
        return _texts(session, cells)
    frame = create_rows(session, rows, layout).coalesce(1).withColumn("_row", sf.monotonically_increasing_id())
    texts = "ARRAY<STRING>"
    columns = {"exchange": "STRING", "routing_keys": texts, "routing_type": "STRING", "routed_queues": texts}
    columns[VHOST] = "STRING"
    kinds = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    names = session.createDataFrame(beside, f"_row BIGINT, {kinds}")
    absent = [name for index, name in enumerate(columns, 1) if all(row[index] is None for row in beside)]
    return Archive(frame.join(names, "_row").drop("_row", *absent), layout if layout is ZERO_TEN else None)


def _texts(session: Any, cells: list[Mapping[str, Any]]) -> Archive:
    """Return messages whose values are all text as a DataFrame of strings with the layout for CSV.

    In this layout, the selector decides how a string is read: as a number if it compares the string with a number.
    """
    names = list(dict.fromkeys(name for each in cells for name in each))
    rows = [tuple(each.get(name) for name in names) for each in cells]
    kinds = ", ".join(f"{quote_name(name)} STRING" for name in names)
    return Archive(session.createDataFrame(rows, kinds), csv_layout(names))


def _first_text(session: Any, inputs: Inputs) -> str:
    """Return the first line that is not blank, to recognise the form of the file; "" if there is no such line."""
    if not inputs.for_hadoop:
        return next((text.strip() for _, _, text in inputs.lines(session)), "")
    lines = inputs.text(session)
    with inputs.failures(session):
        row = lines.filter("value RLIKE '[^ \t\r\n]'").first()
    return "" if row is None else str(row.value).strip()


def _object(text: str) -> dict[str, Any]:
    try:
        first = load_json(text)
    except JsonTextError:
        return {}
    return first if isinstance(first, dict) else {}
