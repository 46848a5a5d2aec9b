"""The answers of functions below the public interface that the commands and the functions on Spark call.

The answers of the public functions do not show what these functions return: the columns of a layout for the sender's
subject, the columns of the exchange and routing key, the JMS class of a message, the columns of the names that bindings
read, rows for messages, and answers of a running broker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from tests.golden.layouts import described_layout
from transpiler import Layout, Message, TranspilerError, find_dialect
from transpiler.base.source import Source
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.columns import SUBJECT
from transpiler.compiler.layouts.json_rows import check_columns, message_from_json, message_from_json_row
from transpiler.compiler.layouts.publication import (
    documented,
    header_hints,
    names_exchange,
    names_key,
    with_lowercase_publication_columns,
)
from transpiler.compiler.layouts.rows import row_columns
from transpiler.compiler.layouts.schemas import parse_schema
from transpiler.compiler.layouts.sent import SentLayout
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.stored import Stored
from transpiler.compiler.lowering.jms_type_sql import destination_choices, message_choices
from transpiler.compiler.presets import find_layout
from transpiler.compiler.sql.emitter import emit_choice
from transpiler.message.header_fields import PROPERTIES, MessageField
from transpiler.message.jms_types import DESTINATION, REPLY_TO
from transpiler.routing.asked_names import asked_names
from transpiler.routing.explain import explain_plan
from transpiler.routing.found_values import found_values, places_of, tests_of
from transpiler.routing.plan import build_plan
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict
from transpiler.topology.files import parse_definitions
from transpiler.topology.graph import all_ways, narrow
from transpiler.topology.importers.running_answers import read_answers
from transpiler.topology.model import Topology
from transpiler.topology.publishing import relay_target

Show = Callable[[Topology], Any]


def call(name: str, arguments: Iterable[Any], options: Mapping[str, Any], shown: Show) -> Any:
    """Return the result of the function ``name`` of this module, or its error; ``shown`` shows a topology as JSON."""
    functions: Mapping[str, Callable[..., Any]] = {
        "jms_types": jms_types,
        "asked": asked,
        "sent": sent,
        "published": published,
        "written": written,
        "schema": schema,
        "layout": layout_facts,
        "decoded": decoded,
        "displays": displays,
        "plan_facts": plan_facts,
        "topology_facts": topology_facts,
        "running": partial(running, shown=shown),
        "definitions": partial(definitions, shown=shown),
    }
    return _answer(lambda: functions[name](*arguments, **options))


def layout_of(described: Any) -> Layout:
    """Return the layout that ``described`` specifies, also if it is a name or a schema."""
    layout = described_layout(described)
    return find_layout(layout) if isinstance(layout, str) else layout


def jms_types(described: Any) -> list[str]:
    """Return the SQL of the JMS class of a message, and of the kinds of its two destinations."""
    layout = layout_of(described)
    return [
        emit_choice(message_choices(layout), "Message"),
        emit_choice(destination_choices(layout, DESTINATION), None),
        emit_choice(destination_choices(layout, REPLY_TO), "queue"),
    ]


def asked(described: Any, topology: Mapping[str, Any], conditions: str = "binding") -> Any:
    """Return the columns of the names that the bindings read, with numbers of rows, as JSON, text and HTML."""
    read = topology_from_dict(topology)
    names = asked_names(read)
    asked_for = {name: (each.bindings, each.identifier) for name, each in names.items()}
    places = places_of(asked_for, layout_of(described), find_dialect(read.rules.dialect))
    tests = tests_of(places)
    counts = [(number * 7) % 5 * 300 for number, _ in enumerate(tests)]
    found = found_values(places, 1_200, counts, conditions, keys=100, names=len(names) + 2)
    first = {name: each.first for name, each in names.items()}
    return [first, tests, found.to_dict(), str(found), found._repr_html_()]


def sent(described: Any, schema: str | None, rows: Iterable[Any]) -> Any:
    """Return the columns of a layout for senders that set the subject, and the messages that it reads."""
    layout = SentLayout(layout_of(described))
    layout = layout if schema is None else layout.over(parse_schema(schema))
    fields = [MessageField("properties", "subject"), MessageField("application_properties", SUBJECT)]
    fields += [MessageField("properties", "to"), MessageField("application_properties", "color")]
    stored = [_stored(lambda field=field: layout.field(field)) for field in fields]
    known = [layout.has_field(field) for field in fields]
    return [layout.name, stored, known, layout.names(), layout.has_ambiguities(), _messages(layout, rows)]


def published(described: Any, schema: str | None, rows: Iterable[Any]) -> Any:
    """Return the exchange and routing key of each row, and the hints for a table without columns for them."""
    layout = None if described is None else layout_of(described)
    if schema is not None and layout is not None:
        layout = layout.over(parse_schema(schema))
    found = []
    for row in rows:
        columns = with_lowercase_publication_columns(row_columns(row), layout)
        asked_for = None if layout is None else names_key(columns, layout)
        own = _answer(lambda columns=columns: list(documented(columns, layout)))
        found.append([dict(columns), own, names_exchange(columns, layout), asked_for])
    if layout is None:
        return found
    known = None if schema is None else parse_schema(schema)
    return [found, *([str(hint) for hint in header_hints(each, layout, known)] for each in ("exchange", "routing-key"))]


def written(described: Any, messages: Iterable[Any]) -> list[Any]:
    """Return each message as a row of the canonical schema, with the promoted properties of the layout."""
    layout = layout_of(described)
    assert isinstance(layout, AmqpLayout)
    return [_answer(lambda each=each: repr(layout.row(Message.from_dict(each)))) for each in messages]


def running(answers: Iterable[list[str]], declared: Mapping[str, Any], shown: Show) -> Any:
    """Return the content of the answers of a running broker, and the topology in which they replace a declared one."""
    found = read_answers([Source(text, name) for name, text in answers])
    if found is None:
        return None
    topology = _answer(lambda: shown(parse_topology(**declared, running=found))) if declared else None
    return [repr(found), found.notes, topology]


def definitions(texts: Iterable[list[str]], options: Mapping[str, Any], shown: Show) -> Any:
    """Return the topology of several files of RabbitMQ's definitions."""
    return shown(parse_definitions([Source(text, name) for name, text in texts], "dir", **options))


def layout_facts(described: Any, names: Iterable[str], rows: Iterable[Any]) -> Any:
    """Return what a layout knows about ``names``, its text, and the keys of each row that are not UTF-8."""
    layout = layout_of(described)
    known = layout.known_schema()
    facts = [
        [
            name,
            _stored(lambda name=name: layout.property(name)),
            _stored(lambda name=name: layout.named_header(name)),
            [str(each.hint) for each in layout.offers(MessageField(PROPERTIES, name))],
            repr(layout.declaration(name, "number")),
        ]
        for name in names
    ]
    undecodable = [
        _answer(lambda row=row: sorted(layout.undecodable(row))) for row in rows if isinstance(layout, StoreLayout)
    ]
    return [repr(layout), layout.name, layout.names(), known is not None, facts, undecodable]


def decoded(described: Any, values: Iterable[Any]) -> list[Any]:
    """Return the message in each value in JSON: a message, a row of the layout, or an entry of a tracing log."""
    if described is None:
        return [_answer(lambda value=value: message_from_json(value).to_dict()) for value in values]
    layout = layout_of(described)

    def read(value: Any) -> Any:
        check_columns(value, layout)
        return message_from_json_row(value, layout).to_dict()

    return [_answer(lambda value=value: read(value)) for value in values]


def displays(topology: Mapping[str, Any], described: Any = "amqp") -> list[str]:
    """Return the texts and the HTML of a topology and of the report about its plan."""
    read = topology_from_dict(topology)
    report = explain_plan(read, build_plan(read, layout_of(described), "null"))
    return [repr(read), read._repr_html_(), repr(report), report._repr_html_(), str(report)]


def plan_facts(topology: Mapping[str, Any], described: Any = "amqp") -> Any:
    """Return what the functions on Spark ask a plan: which columns it reads, and how its deliveries are combined."""
    plan = build_plan(topology_from_dict(topology), layout_of(described), "null")
    asked = [plan.delivers, plan.by_key, plan.words, sorted(plan.columns), plan.distinct, repr(plan.grams)]
    return asked, [[table.flat, len(table.deliveries), repr(table.index)] for table in plan.tables]


def topology_facts(topology: Mapping[str, Any], targets: Iterable[str], around: Iterable[str], distance: int) -> Any:
    """Return the ways through a topology, the targets of the anonymous relay, and the parts around each name."""
    read = topology_from_dict(topology)
    ways = [*(repr(each) for each in read.onward), *(repr(each) for each in all_ways(read))]
    relayed = [_answer(lambda to=to: repr(relay_target(read, to))) for to in targets]
    parts = [
        _answer(lambda name=name, how=how, more=more: topology_to_dict(narrow(read, **{how: [name]}, **more)))
        for name in around
        for how, more in (("exchanges", {}), ("queues", {}), ("around", {"distance": distance}))
    ]
    return ways, relayed, parts


def schema(text: str) -> Any:
    """Return the schema in ``text`` as JSON."""
    return parse_schema(text)


def _messages(layout: Layout, rows: Iterable[Any]) -> list[Any]:
    return [_answer(lambda row=row: layout.message(row).to_dict()) for row in rows]


def _stored(find: Callable[[], Stored | None]) -> Any:
    try:
        return repr(find())
    except TranspilerError as error:
        return str(error)


def _answer(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except (TranspilerError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
