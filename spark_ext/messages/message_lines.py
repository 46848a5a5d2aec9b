"""Conversion of message JSON lines to canonical messages in SQL, with the results of ``Message.from_dict`` in Python.

A line is parsed as VARIANT, which keeps the type of each value: ``schema_of_variant`` distinguishes "5" from 5, and
lists the members of an object. VARIANT has neither negative zero nor integers beyond 64 bits, so if a line may contain
such a number, the text of the number decides. A line that is not a message has a problem instead of a message.

Not here: the AMQP encoding of the content of lists and maps, which can nest to any depth. A line with such content has
the problem ``CONTENT``, and ``create_messages`` can read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.messages.generated_methods import codegen_barrier
from spark_ext.messages.message_values import (
    END,
    UINT,
    among,
    entry,
    extract,
    is_ascii,
    is_base64,
    let,
    quoted,
    text_array,
    union,
    union_values,
)
from spark_ext.messages.schemas import MAX_MILLISECONDS, MESSAGE_SCHEMA
from transpiler.compiler.layouts.columns import MAPS, SECTIONS, STRUCTS
from transpiler.message.types import AmqpType, Compound

#: ``PROBLEM``: the column with the reason why a line was not converted; NULL if it was. The reasons are ``NO_MESSAGE``,
#: and ``CONTENT`` for the content of a list or a map, which only Python can encode.
PROBLEM = "_problem"
NO_MESSAGE, CONTENT = "no message", "content of a list or map"

#: Members of a message in an archive that are outside the AMQP sections, with the types of their columns. Any other
#: member outside the sections is ignored.
BESIDE = {
    **dict.fromkeys(("exchange", "routing_type", "routing_key"), "STRING"),
    **dict.fromkeys(("routing_keys", "routed_queues"), "ARRAY<STRING>"),
}

_HEADER = {
    **dict.fromkeys(("durable", "first_acquirer"), "BOOLEAN"),
    **dict.fromkeys(("priority", "ttl", "delivery_count"), "BIGINT"),
}
_INTEGER_FIELDS = {"priority": (0, 255), "ttl": UINT, "delivery_count": UINT, "group_sequence": UINT}
_TIMES = ("absolute_expiry_time", "creation_time")
_IDS = ("message_id", "correlation_id")
_SYMBOLS = ("content_type", "content_encoding")
_PROPERTIES = {
    **dict.fromkeys(("user_id", "to", "subject", "reply_to", *_SYMBOLS, "group_id", "reply_to_group_id"), "STRING"),
    **dict.fromkeys((*_TIMES, "group_sequence"), "BIGINT"),
}

#: A regular expression for the schema of an id in VARIANT: a text, a ulong, or an object with its type.
_ID_SCHEMA = "STRING|BIGINT|DECIMAL[(][0-9]+,0[)]|OBJECT<type: STRING(?:, value: [^<>]*+)?+>"

#: A regular expression for lines that may contain a negative zero or an integer beyond 64 bits.
_RARE_NUMBERS = "-0[.]0|[0-9]{19}"


def parse_lines(lines: DataFrame, beside: Iterable[str] = ()) -> DataFrame:
    """Parse the messages in the column ``value`` of ``lines``; blank lines are left out.

    The result has the sections, the other columns of ``lines``, and the column ``PROBLEM``. ``beside`` names the
    members that are allowed outside the sections; those in ``BESIDE`` become columns. If a line has a problem, its
    sections are meaningless.
    """
    allowed = tuple(beside)
    read = {name: BESIDE[name] for name in allowed if name in BESIDE}
    others = [name for name in lines.columns if name != "value"]
    # Spark would ignore text after the object on the line; inside brackets such text is an error. ``explode`` makes
    # Spark compute the array once. In a projection, its optimizer might copy the expression to each use of the column.
    parsed = "CASE WHEN is_valid_utf8(value) THEN try_parse_json(concat('[', value, ']')) END"
    arrays = lines.filter("value RLIKE '[^ \t\r\n]'").selectExpr(*others, "value", f"explode(array({parsed})) AS _line")
    members = arrays.selectExpr(
        *others,
        "value",
        f"try_variant_get(_line, '$[1]', 'variant') IS NULL AND value RLIKE '}}[ \t\r]*+{END}' AS _one_object",
        "explode(array(try_variant_get(_line, '$[0]', 'map<string,variant>'))) AS _members",
    )
    sections = ", ".join(f"{name} MAP<STRING, STRING>" for name in (*MAPS, "properties", "body"))
    known = f"_one_object AND size(array_except(map_keys(_members), {text_array((*SECTIONS, *allowed))})) = 0"
    split = members.selectExpr(
        *others,
        f"coalesce({known}, FALSE) AS _known",
        f"CASE WHEN value RLIKE '{_RARE_NUMBERS}' THEN from_json(value, '{sections}') END AS _texts",
        *(f"_members['{name}'] AS {name}" for name in (*SECTIONS, *read)),
    )
    # All values are converted by one expression, because the SQL of a conversion is long. Generated code for it would
    # be one method that HotSpot does not compile, so Spark interprets the expression instead.
    listed = ", ".join(f"coalesce(_entries.{name}, array())" for name in (*MAPS, "others"))
    found = let("_entries", _entries(), let("_values", union_values(f"concat({listed})"), _converted(read)))
    converted = split.selectExpr(*others, "_known", f"explode({codegen_barrier(f'array({found})')}) AS _found")
    ok = " AND ".join(["_known", *(f"_found.{name}.ok" for name in (*SECTIONS, *read))])
    content = " OR ".join(f"_found.{name}.content" for name in (*MAPS, "properties", "body"))
    problem = f"CASE WHEN NOT ({ok}) THEN '{NO_MESSAGE}' WHEN {content} THEN '{CONTENT}' END AS {PROBLEM}"
    columns = [sf.expr(f"_found.{field.name}.value").cast(field.dataType) for field in MESSAGE_SCHEMA]
    return converted.select(
        *(column.alias(field.name) for column, field in zip(columns, MESSAGE_SCHEMA, strict=True)),
        *(sf.expr(f"_found.{name}.value").alias(name) for name in read),
        *others,
        sf.expr(problem),
    )


def _converted(beside: Mapping[str, str]) -> str:
    """Return SQL for a struct with a field for each section of a message and for each member ``beside`` the sections.

    Each field is itself a struct: ``value``; ``ok``, TRUE if the section is valid; and ``content``, TRUE if the section
    contains a list or a map with content, which the SQL cannot convert.
    """
    columns = {
        "header": _header(),
        "properties": _properties(),
        "body": _body(),
        **{name: _map(name) for name in MAPS},
        **{name: _beside(name, kind) for name, kind in beside.items()},
    }
    return f"named_struct({', '.join(f'{quoted(name)}, {sql}' for name, sql in columns.items())})"


def _entries() -> str:
    """Return SQL for a struct with the unconverted values of a message, as arrays of entries for ``union_values``.

    It has one field for each section that is a map; NULL if the section is not a map in this message. The last field,
    ``others``, contains the message id, the correlation id and the value of the body.
    """
    maps = {
        name: f"transform(map_entries({extract(name, 'map<string,variant>')}), "
        f"e -> {entry('e.key', 'e.value', f'_texts.{name}[e.key]')})"
        for name in MAPS
    }
    fields = {name: f"{_properties_fields()}.{name}" for name in _IDS}
    ids = [
        entry(
            quoted(name),
            f"CASE WHEN NOT is_variant_null({field}) THEN {field} END",
            f"_texts.properties['{name}']",
            AmqpType.ULONG,
        )
        for name, field in fields.items()
    ]
    body = entry("''", f"{_body_fields()}.value", "_texts.body['value']")
    entries = {**maps, "others": f"array({', '.join((*ids, body))})"}
    return f"named_struct({', '.join(f'{quoted(name)}, {sql}' for name, sql in entries.items())})"


def _section(ok: str, value: str, content: str = "FALSE") -> str:
    return f"named_struct('ok', coalesce({ok}, FALSE), 'value', {value}, 'content', coalesce({content}, FALSE))"


def _header() -> str:
    value = ", ".join(f"{quoted(name)}, h.fields.{name}" for name in STRUCTS["header"])
    return let(
        "h",
        f"named_struct('schema', schema_of_variant(header), 'fields', {_struct('header', _HEADER)})",
        _section(
            f"{_absent('h.schema')} OR h.schema RLIKE '{_object_pattern(_HEADER)}' AND {_in_range('h', _HEADER)}",
            f"CASE WHEN startswith(h.schema, 'OBJECT') THEN named_struct({value}) END",
        ),
    )


def _properties() -> str:
    pattern = _object_pattern({**dict.fromkeys(_IDS, _ID_SCHEMA), **_PROPERTIES})
    # The last elements of ``_values`` are the ids and then the value of the body, so count from the end.
    ids = {name: f"element_at(_values, {index - len(_IDS) - 1}).value" for index, name in enumerate(_IDS)}
    converted = {
        **ids,
        **{
            # ``least`` ignores a NULL if its other argument is a number, so without the CASE an absent time would
            # become the maximum.
            name: f"CASE WHEN p.fields.{name} IS NOT NULL THEN "
            f"timestamp_millis(greatest(least(p.fields.{name}, {MAX_MILLISECONDS}L), -{MAX_MILLISECONDS}L)) END"
            for name in _TIMES
        },
        "user_id": f"CASE WHEN {is_base64('p.fields.user_id')} THEN unbase64(p.fields.user_id) END",
    }
    value = ", ".join(f"{quoted(name)}, {converted.get(name, f'p.fields.`{name}`')}" for name in STRUCTS["properties"])
    types = among((AmqpType.STRING, AmqpType.ULONG, AmqpType.UUID, AmqpType.BINARY))
    right = [
        _in_range("p", _PROPERTIES),
        *(
            f"({_absent(f'schema_of_variant(p.fields.{name})')} OR {value}.type IN {types})"
            for name, value in ids.items()
        ),
        *(f"(p.fields.{name} IS NULL OR {is_ascii(f'p.fields.{name}')})" for name in _SYMBOLS),
        f"(p.fields.user_id IS NULL OR {is_base64('p.fields.user_id')})",
    ]
    return let(
        "p",
        f"named_struct('schema', schema_of_variant(properties), 'fields', {_properties_fields()})",
        _section(
            f"{_absent('p.schema')} OR p.schema RLIKE '{pattern}' AND {' AND '.join(right)}",
            f"CASE WHEN startswith(p.schema, 'OBJECT') THEN named_struct({value}) END",
        ),
    )


def _body() -> str:
    kinds = dict.fromkeys(("section", "data"), "STRING")
    section, data = "b.fields.section", "b.fields.data"
    # If the body is a compound value such as a list, keep only its AMQP type. The SQL cannot encode the content.
    holder = f"b.value.empty AND b.value.type IN {among(Compound)}"
    # In an amqp-value section, null is a value of AMQP; otherwise null means that the field is absent.
    absent = f"b.schema = 'VOID' AND coalesce({section} <> 'amqp-value', TRUE)"
    value = (
        f"CASE WHEN b.schema IS NULL OR {absent} THEN NULL WHEN {holder} THEN {union('b.value.type', {})} "
        "ELSE b.value.value END"
    )
    with_value = (
        f"b.fields.value IS NOT NULL AND size(array_except(map_keys({extract('body', 'map<string,variant>')}), "
        "array('section', 'data', 'value'))) = 0 AND "
        + " AND ".join(
            f"coalesce(schema_of_variant(try_variant_get(body, '$.{name}', 'variant')), 'VOID') IN ('VOID', 'STRING')"
            for name in kinds
        )
    )
    right = [
        f"(b.whole RLIKE '{_object_pattern(kinds)}' OR {with_value})",
        f"coalesce({section}, 'data') IN ('data', 'amqp-sequence', 'amqp-value')",
        f"({data} IS NULL OR {is_base64(data)})",
        f"(b.schema IS NULL OR b.value.value IS NOT NULL OR b.value.content OR {holder})",
    ]
    return let(
        "b",
        f"named_struct('whole', schema_of_variant(body), 'fields', {_body_fields()})",
        let(
            "b",
            "named_struct('whole', b.whole, 'fields', b.fields, 'schema', schema_of_variant(b.fields.value), "
            "'value', element_at(_values, -1))",
            _section(
                f"{_absent('b.whole')} OR {' AND '.join(right)}",
                f"CASE WHEN startswith(b.whole, 'OBJECT') THEN named_struct('section', {section}, 'data', "
                f"CASE WHEN {is_base64(data)} THEN unbase64({data}) END, 'value', {value}) END",
                "b.value.content",
            ),
        ),
    )


def _properties_fields() -> str:
    return _struct("properties", {**dict.fromkeys(_IDS, "VARIANT"), **_PROPERTIES})


def _body_fields() -> str:
    return _struct("body", {"section": "STRING", "data": "STRING", "value": "VARIANT"})


def _map(name: str) -> str:
    # Count a NULL map as 0 elements: Spark's ``size`` returns NULL or -1 for it, depending on a setting.
    before = "".join(f" + greatest(size(_entries.{other}), 0)" for other in MAPS[: MAPS.index(name)])
    return let(
        "m",
        f"CASE WHEN _entries.{name} IS NOT NULL THEN slice(_values, 1{before}, size(_entries.{name})) END",
        _section(
            f"{name} IS NULL OR is_variant_null({name}) OR "
            "m IS NOT NULL AND NOT exists(m, e -> e.value IS NULL AND NOT e.content)",
            "map_from_entries(transform(m, e -> named_struct('key', e.key, 'value', e.value)))",
            "exists(m, e -> e.content)",
        ),
    )


def _beside(name: str, kind: str) -> str:
    value = f"try_variant_get({name}, '$', '{kind.lower()}')"
    schema = f"schema_of_variant({name})"
    if kind == "STRING":
        return _section(f"{_absent(schema)} OR {schema} = 'STRING'", value)
    texts = f"{schema} IN ('ARRAY<STRING>', 'ARRAY<VOID>') AND NOT exists({value}, queue -> queue IS NULL)"
    return _section(f"{_absent(schema)} OR {texts}", value)


def _struct(variant: str, fields: Mapping[str, str]) -> str:
    listed = ", ".join(f"`{name}`: {kind}" for name, kind in fields.items())
    return f"try_variant_get({variant}, '$', 'struct<{listed}>')"


def _object_pattern(fields: Mapping[str, str]) -> str:
    """Return a regular expression for the schema of an object with any of ``fields``, each of its type or null."""
    names = "|".join(f"{name}: (?:{kind}|VOID)" for name, kind in fields.items())
    return f"^OBJECT<(?:(?:{names})(?:, (?!>)|(?=>)))*+>{END}"


def _in_range(struct: str, fields: Iterable[str]) -> str:
    return " AND ".join(
        f"({struct}.fields.{name} IS NULL OR {struct}.fields.{name} >= {low} AND {struct}.fields.{name} <= {high})"
        for name, (low, high) in _INTEGER_FIELDS.items()
        if name in fields
    )


def _absent(schema: str) -> str:
    return f"coalesce({schema}, 'VOID') = 'VOID'"
