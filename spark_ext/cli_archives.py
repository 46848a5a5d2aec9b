"""Archives of messages as the commands read them: which layout a file shows, and what is wrong with a line of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from spark_ext.cli_inputs import Inputs
from transpiler import TranspilerError
from transpiler.cli.group import click, fail
from transpiler.cli.inputs import shown
from transpiler.cli.layouts import choose_layout
from transpiler.cli.options import to_message
from transpiler.compiler import find_layout
from transpiler.jsontext import JsonTextError, load_json
from transpiler.layouts.amqp import SECTIONS, AmqpLayout
from transpiler.layouts.amqp_0_10 import ZeroTenLayout
from transpiler.layouts.amqp_0_10_json import read_row
from transpiler.layouts.layout import ArchiveLayout
from transpiler.message.json import SECTION_NAMES
from transpiler.stores import STORES

ZERO_TEN = ZeroTenLayout()
TRACE, FLAT = "rabbitmq-trace", "flat"

#: Members that say where a message was published and where the broker put it.
_BESIDE = ("exchange", "routed_queues", "queues", "outcome")

#: The column that Spark adds for lines that are not JSON.
_CORRUPT = "_corrupt_record"


class Archive(NamedTuple):
    """Messages as a DataFrame, and the layout or the schema that says where their properties are."""

    messages: Any
    layout: Any


def check_layout(_: click.Context, __: click.Parameter, layout: str | None) -> str | None:
    """Return the name of a layout; one that there is not ends the command before Spark starts."""
    if layout is not None and layout not in (TRACE, FLAT, *_READERS, *STORES):
        find_layout(layout)
    return layout


def read_archive(
    session: Any, inputs: Inputs, layout: str | None, schema: Any = None, options: tuple[str, ...] = ()
) -> Archive:
    """Read the messages of the inputs, and end the command where some of them are none.

    ``options`` are those of the layout, ``KEY=VALUE``.
    """
    archive = _read_archive(session, inputs, layout, schema)
    if layout is None or layout in (TRACE, FLAT, "amqp", ZERO_TEN.name):
        if options:
            fail("--layout-option is an option of a layout: give --layout NAME with it")
        return archive
    from spark_ext.schemas import bound_layout

    return archive._replace(layout=bound_layout(choose_layout(layout, options, None).layout, archive.messages))


def _read_archive(session: Any, inputs: Inputs, layout: str | None, schema: Any) -> Archive:
    inputs = inputs.with_form(session)
    if layout in _READERS or inputs.form == "xml":
        with inputs.failures(session):
            name = layout or "artemis-xml"
            if name not in _READERS:
                fail(f"{shown(inputs.names[0])}: XML is read as the export of Artemis, by --layout artemis-xml")
            return Archive(_READERS[name](session, inputs.for_spark()), name)
    if inputs.form != "json" or schema is not None:
        return _table(session, inputs, layout, schema)
    first_line = _first_line(session, inputs) if layout is None else {}
    if layout == TRACE or {"routing_keys", "routed_queues"} <= first_line.keys():
        return Archive(_trace(session, inputs), None)
    if layout == ZERO_TEN.name or first_line.keys() & ZERO_TEN.schema.keys():
        # The rows of AMQP 0-10 in JSON, and the values in them, are read in Python.
        return Archive(_rows_in_python(session, inputs, ZERO_TEN), ZERO_TEN)
    if layout in (None, "amqp"):
        return Archive(_messages(session, inputs), None)
    messages = inputs.table(session)
    if _CORRUPT in messages.columns:
        wrong_line = _first_wrong(session, inputs, lambda line: isinstance(line, dict))
        fail(f"{wrong_line or inputs.names[0]}: this is no object in JSON")
    return Archive(messages, messages if layout == FLAT else layout)


def _artemis(session: Any, names: list[str]) -> Any:
    from spark_ext.readers import read_artemis_export

    return read_artemis_export(session, *names)


def _management(session: Any, names: list[str]) -> Any:
    from spark_ext.readers import read_rabbitmq_get

    return read_rabbitmq_get(session, *names)


def _lambda_activemq(session: Any, names: list[str]) -> Any:
    from spark_ext.readers import read_lambda_events

    return read_lambda_events(session, *names, broker="activemq")


def _lambda_rabbitmq(session: Any, names: list[str]) -> Any:
    from spark_ext.readers import read_lambda_events

    return read_lambda_events(session, *names, broker="rabbitmq")


#: The readers of files that a layout's name stands for; they import Spark.
_READERS: Mapping[str, Callable[[Any, list[str]], Any]] = {
    "artemis-xml": _artemis,
    "rabbitmq-get": _management,
    "aws-activemq": _lambda_activemq,
    "aws-rabbitmq": _lambda_rabbitmq,
}


def _table(session: Any, inputs: Inputs, layout: str | None, schema: Any) -> Archive:
    messages = inputs.table(session, schema)
    if layout == ZERO_TEN.name:
        absent = [name for name in ZERO_TEN.schema if name not in messages.columns]
        if absent:
            first = shown(inputs.names[0])
            fail(f"{first} has no column {' and no column '.join(absent)}, which archives of AMQP 0-10 have")
    return Archive(messages, messages if layout in (None, FLAT) else layout)


def _trace(session: Any, inputs: Inputs) -> Any:
    from spark_ext.traces import trace_messages

    trace = trace_messages(inputs.text(session))
    with inputs.failures(session):
        wrong = trace.filter("exchange IS NULL OR routed_queues IS NULL OR size(routing_keys) = 0").count()
    if wrong:
        wrong_line = _first_wrong(session, inputs, _is_entry)
        fail(
            f"{wrong_line or inputs.names[0]}: {wrong:,} lines are no entries of a tracing log, this is the first; "
            "write it with the tracing plugin, in JSON"
        )
    return trace


def _messages(session: Any, inputs: Inputs) -> Any:
    """Message JSON lines on the executors, with the columns of the members beside the sections that a line has."""
    from spark_ext.message_lines import BESIDE, CONTENT, NO_MESSAGE, PROBLEM, parse_lines

    if not inputs.for_hadoop:
        return _rows_in_python(session, inputs, AmqpLayout())
    parsed = parse_lines(inputs.text(session), _BESIDE)
    with inputs.failures(session):
        counts = parsed.selectExpr(
            f"min(CASE WHEN {PROBLEM} = '{NO_MESSAGE}' THEN file_path END) AS wrong",
            f"count(CASE WHEN {PROBLEM} = '{CONTENT}' THEN 1 END) AS content",
            *(f"count({name}) AS {name}" for name in BESIDE),
        ).collect()[0]
    if counts.wrong is not None:
        wrong = inputs.at(counts.wrong)
        for _ in _rows(session, wrong, AmqpLayout()):
            pass
        if any(_is_plain(line) for _, _, line in wrong.objects(session)):
            # Names of header fields among plain properties are read in Python.
            return _rows_in_python(session, inputs, AmqpLayout())
        # Python's reader takes NaN and repeated names, which are no JSON.
        fail(f"{shown(wrong.names[0])}: a line is not JSON: it has NaN, or an object that has a name twice")
    if counts.content:
        # The encoding of the content of a list or a map is made in Python.
        return _rows_in_python(session, inputs, AmqpLayout())
    return parsed.select(*SECTIONS, *(name for name in BESIDE if counts[name]))


def _is_plain(line: Any) -> bool:
    """Return True if a line is an object of plain properties, and no message in sections."""
    return isinstance(line, dict) and bool(line.keys() - _BESIDE) and not line.keys() & set(SECTION_NAMES)


def _rows(
    session: Any, inputs: Inputs, layout: ArchiveLayout
) -> Iterator[tuple[Mapping[str, Any], str | None, list[str] | None]]:
    """Yield the row of each line of JSON, its exchange and its recorded queues, in this process."""
    for file, number, line in inputs.objects(session):
        known = {name: value for name, value in line.items() if name not in _BESIDE} if isinstance(line, dict) else line
        if layout is ZERO_TEN and isinstance(known, dict) and known.keys() & ZERO_TEN.schema.keys():
            try:
                row: Mapping[str, Any] = read_row(known)
            except TranspilerError as error:
                fail(f"{shown(file)}:{number}: {error}")
        else:
            row = layout.row(to_message(known, file, number))
        exchange, queues = line.get("exchange"), line.get("routed_queues")
        if not isinstance(exchange, str | None):
            fail(f"{shown(file)}:{number}: exchange: expected text")
        if queues is not None and not (isinstance(queues, list) and all(isinstance(queue, str) for queue in queues)):
            fail(f"{shown(file)}:{number}: routed_queues: expected a list of texts")
        yield row, exchange, queues


def _rows_in_python(session: Any, inputs: Inputs, layout: ArchiveLayout) -> Any:
    from pyspark.sql import functions as sf

    from spark_ext.schemas import create_rows

    rows: list[Mapping[str, Any]] = []
    beside: list[tuple[int, str | None, list[str] | None]] = []
    for row, exchange, queues in _rows(session, inputs, layout):
        rows.append(row)
        beside.append((len(beside), exchange, queues))
    frame = create_rows(session, rows, layout).coalesce(1).withColumn("_row", sf.monotonically_increasing_id())
    names = session.createDataFrame(beside, "_row BIGINT, exchange STRING, routed_queues ARRAY<STRING>")
    absent = [
        name for place, name in ((1, "exchange"), (2, "routed_queues")) if all(row[place] is None for row in beside)
    ]
    return frame.join(names, "_row").drop("_row", *absent)


def _first_wrong(session: Any, inputs: Inputs, right: Callable[[Any], bool]) -> str | None:
    """Return the place of the first line that is no JSON, or whose value is not right."""
    for file, number, text in inputs.lines(session):
        try:
            if not right(load_json(text)):
                return f"{shown(file)}:{number}"
        except JsonTextError as error:
            column = "" if error.span is None else f":{error.span.start + 1}"
            return f"{shown(file)}:{number}{column}"
    return None


def _is_entry(line: Any) -> bool:
    if not isinstance(line, dict):
        return False
    return line.get("type") == "received" or {"exchange", "routed_queues", "routing_keys"} <= line.keys()


def _first_line(session: Any, inputs: Inputs) -> dict[str, Any]:
    """Return the object in the first line, which shows what the file is; an empty one if there is none."""
    if inputs.for_hadoop:
        lines = inputs.text(session)
        with inputs.failures(session):
            row = lines.filter("value RLIKE '[^ \t\r\n]'").first()
        text = "{}" if row is None else row.value
    else:
        text = next((text for _, _, text in inputs.lines(session)), "{}")
    try:
        first = load_json(text)
    except JsonTextError:
        return {}
    return first if isinstance(first, dict) else {}
