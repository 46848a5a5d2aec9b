"""Message JSON lines as canonical messages, natively: the same as ``Message.from_dict`` makes of them in Python.

A line is parsed as VARIANT, which keeps the type of each value: ``schema_of_variant`` tells "5" from 5, and which
members an object has. VARIANT has no negative zero and no integers beyond 64 bits, so where a line may have one of them
the text of the number decides. A line that is no message has a problem in the place of a message.

Not here: the AMQP encoding of a list or a map, which nest without a bound. A line that has the content of one has a
problem of its own, and ``create_messages`` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.schemas import MAX_MILLISECONDS, MESSAGE_SCHEMA
from transpiler.layouts.amqp import MAPS, SECTIONS
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpType, Compound, TypeClass

#: The column that says what is wrong with a line, NULL where nothing is, and its values.
PROBLEM = "_problem"
NO_MESSAGE, CONTENT = "no message", "content of a list or map"

#: Members beside the sections that archives have, with their types; any others are left out.
BESIDE = {"exchange": "STRING", "routed_queues": "ARRAY<STRING>"}

#: The fields of the struct ``V`` behind its type.
_CONTENTS = {"boolean": "BOOLEAN", "long": "BIGINT", "double": "DOUBLE", "string": "STRING", "binary": "BINARY"}
_V = f"STRUCT<type: STRING, {', '.join(f'{name}: {kind}' for name, kind in _CONTENTS.items())}>"

_UINT = (0, 2**32 - 1)

#: The bounds of integers, by their type: part 1 of the AMQP standard.
_BOUNDS: Mapping[AmqpType, tuple[int, int]] = {
    AmqpType.UBYTE: (0, 2**8 - 1),
    AmqpType.USHORT: (0, 2**16 - 1),
    AmqpType.UINT: _UINT,
    AmqpType.ULONG: (0, 2**63 - 1),
    AmqpType.BYTE: (-(2**7), 2**7 - 1),
    AmqpType.SHORT: (-(2**15), 2**15 - 1),
    AmqpType.INT: (-(2**31), 2**31 - 1),
}

_HEADER = {
    **dict.fromkeys(("durable", "first_acquirer"), "BOOLEAN"),
    **dict.fromkeys(("priority", "ttl", "delivery_count"), "BIGINT"),
}
_INTEGER_FIELDS = {"priority": (0, 255), "ttl": _UINT, "delivery_count": _UINT, "group_sequence": _UINT}
_TIMES = ("absolute_expiry_time", "creation_time")
_IDS = ("message_id", "correlation_id")
_SYMBOLS = ("content_type", "content_encoding")
_PROPERTIES = {
    **dict.fromkeys(("user_id", "to", "subject", "reply_to", *_SYMBOLS, "group_id", "reply_to_group_id"), "STRING"),
    **dict.fromkeys((*_TIMES, "group_sequence"), "BIGINT"),
}

#: Schemas of values with their type: without a value, and in front of one.
_TYPE_ONLY, _TYPE_AND = "OBJECT<type: STRING>", "OBJECT<type: STRING, value: "

#: In a pattern, the schema of an id: a text, a ulong, or an object with its type.
_ID_SCHEMA = "STRING|BIGINT|DECIMAL[(][0-9]+,0[)]|OBJECT<type: STRING(?:, value: [^<>]*+)?+>"

#: Lines in which a number may be a negative zero, or an integer beyond 64 bits.
_RARE_NUMBERS = "-0[.]0|[0-9]{19}"

#: The end of a text, in a pattern. A backslash in SQL depends on the settings of the parser, so there is none.
_END = "(?!(?s:.))"

_INTEGER_TEXT = f"^-?[0-9]++{_END}"
_DECIMAL_TEXT = f"^[+-]?(?:(?:[0-9]++[.]?[0-9]*+|[.][0-9]++)(?:[eE][+-]?[0-9]++)?|[iI]nf(?:inity)?|NaN){_END}"
_BASE64_TEXT = f"^[A-Za-z0-9+/]*+={{0,2}}{_END}"


def parse_lines(lines: DataFrame, beside: Iterable[str] = ()) -> DataFrame:
    """The messages in the column ``value`` of lines, those of blank lines left out: sections, other columns, a problem.

    ``beside`` names members that may stand beside the sections; those of ``BESIDE`` become columns. The sections of a
    line with a problem mean nothing.
    """
    allowed = tuple(beside)
    read = {name: BESIDE[name] for name in allowed if name in BESIDE}
    others = [name for name in lines.columns if name != "value"]
    # In brackets, what is behind the object on its line is an error, where Spark would leave it out. A generator is
    # computed once, however often its column is named; of a projection that would depend on the optimizer.
    parsed = "CASE WHEN is_valid_utf8(value) THEN try_parse_json(concat('[', value, ']')) END"
    entries = lines.filter("value RLIKE '[^ \t\r\n]'").selectExpr(*others, "value", f"explode(array({parsed})) AS line")
    members = entries.selectExpr(
        *others,
        "value",
        f"try_variant_get(line, '$[1]', 'variant') IS NULL AND value RLIKE '}}[ \t\r]*+{_END}' AS one_object",
        "explode(array(try_variant_get(line, '$[0]', 'map<string,variant>'))) AS members",
    )
    sections = ", ".join(f"{name} MAP<STRING, STRING>" for name in (*MAPS, "properties", "body"))
    known = f"one_object AND size(array_except(map_keys(members), {_texts((*SECTIONS, *allowed))})) = 0"
    split = members.selectExpr(
        *others,
        f"coalesce({known}, FALSE) AS known",
        f"CASE WHEN value RLIKE '{_RARE_NUMBERS}' THEN from_json(value, '{sections}') END AS texts",
        *(f"members['{name}'] AS {name}" for name in (*SECTIONS, *read)),
    )
    converted = split.selectExpr(
        *others, "known", f"explode(array({_converted(read)})) AS found", *(f"{name} AS _{name}" for name in read)
    )
    ok = " AND ".join(["known", *(f"found.{name}.ok" for name in (*SECTIONS, *read))])
    content = " OR ".join(f"found.{name}.content" for name in (*MAPS, "properties", "body"))
    problem = f"CASE WHEN NOT ({ok}) THEN '{NO_MESSAGE}' WHEN {content} THEN '{CONTENT}' END AS {PROBLEM}"
    columns = [sf.expr(f"found.{field.name}.value").cast(field.dataType) for field in MESSAGE_SCHEMA]
    return converted.select(
        *(column.alias(field.name) for column, field in zip(columns, MESSAGE_SCHEMA, strict=True)),
        *(sf.expr(f"found.{name}.value").alias(name) for name in read),
        *others,
        sf.expr(problem),
    )


def _converted(beside: Mapping[str, str]) -> str:
    """The sections and the members beside them: whether each is right, its value, and whether it has content."""
    found = {
        "header": _header(),
        "properties": _properties(),
        "body": _body(),
        **{name: _map(name) for name in MAPS},
        **{name: _beside(name, kind) for name, kind in beside.items()},
    }
    return f"named_struct({', '.join(f'{_text(name)}, {sql}' for name, sql in found.items())})"


def _section(ok: str, value: str, content: str = "FALSE") -> str:
    return f"named_struct('ok', coalesce({ok}, FALSE), 'value', {value}, 'content', coalesce({content}, FALSE))"


def _header() -> str:
    value = ", ".join(f"{_text(field.name)}, h.fields.{field.name}" for field in MESSAGE_SCHEMA["header"].dataType)
    return _let(
        "h",
        f"named_struct('schema', schema_of_variant(header), 'fields', {_struct('header', _HEADER)})",
        _section(
            f"{_absent('h.schema')} OR h.schema RLIKE '{_object_pattern(_HEADER)}' AND {_in_range('h', _HEADER)}",
            f"CASE WHEN startswith(h.schema, 'OBJECT') THEN named_struct({value}) END",
        ),
    )


def _properties() -> str:
    fields = {**dict.fromkeys(_IDS, "VARIANT"), **_PROPERTIES}
    pattern = _object_pattern({**dict.fromkeys(_IDS, _ID_SCHEMA), **_PROPERTIES})
    ids = ", ".join(
        f"named_struct('key', '{name}', 'value', p.fields.{name}, 'text', texts.properties['{name}'])" for name in _IDS
    )
    converted = {
        **{name: f"p.ids[{place}].value" for place, name in enumerate(_IDS)},
        **{
            # Of NULL and a number, least is the number.
            name: f"CASE WHEN p.fields.{name} IS NOT NULL THEN "
            f"timestamp_millis(greatest(least(p.fields.{name}, {MAX_MILLISECONDS}L), -{MAX_MILLISECONDS}L)) END"
            for name in _TIMES
        },
        "user_id": f"CASE WHEN {_is_base64('p.fields.user_id')} THEN unbase64(p.fields.user_id) END",
    }
    names = [field.name for field in MESSAGE_SCHEMA["properties"].dataType]
    value = ", ".join(f"{_text(name)}, {converted.get(name, f'p.fields.`{name}`')}" for name in names)
    types = _among((AmqpType.STRING, AmqpType.ULONG, AmqpType.UUID, AmqpType.BINARY))
    right = [
        _in_range("p", _PROPERTIES),
        *(
            f"({_absent(f'schema_of_variant(p.fields.{name})')} OR p.ids[{place}].value.type IN {types})"
            for place, name in enumerate(_IDS)
        ),
        *(f"(p.fields.{name} IS NULL OR {_is_ascii(f'p.fields.{name}')})" for name in _SYMBOLS),
        f"(p.fields.user_id IS NULL OR {_is_base64('p.fields.user_id')})",
    ]
    return _let(
        "p",
        f"named_struct('schema', schema_of_variant(properties), 'fields', {_struct('properties', fields)})",
        _let(
            "p",
            f"named_struct('schema', p.schema, 'fields', p.fields, 'ids', {_values(f'array({ids})', AmqpType.ULONG)})",
            _section(
                f"{_absent('p.schema')} OR p.schema RLIKE '{pattern}' AND {' AND '.join(right)}",
                f"CASE WHEN startswith(p.schema, 'OBJECT') THEN named_struct({value}) END",
            ),
        ),
    )


def _body() -> str:
    kinds = dict.fromkeys(("section", "data"), "STRING")
    one = "array(named_struct('key', '', 'value', b.fields.value, 'text', texts.body['value']))"
    section, data = "b.fields.section", "b.fields.data"
    # The type alone of a value that holds others is kept.
    holder = f"b.value.empty AND b.value.type IN {_among(Compound)}"
    # Elsewhere null is an absent field; as the value of that section it is AMQP's own.
    absent = f"b.schema = 'VOID' AND coalesce({section} <> 'amqp-value', TRUE)"
    value = (
        f"CASE WHEN b.schema IS NULL OR {absent} THEN NULL WHEN {holder} THEN {_union('b.value.type', {})} "
        "ELSE b.value.value END"
    )
    with_value = (
        f"b.fields.value IS NOT NULL AND size(array_except(map_keys({_get('body', 'map<string,variant>')}), "
        "array('section', 'data', 'value'))) = 0 AND "
        + " AND ".join(
            f"coalesce(schema_of_variant(try_variant_get(body, '$.{name}', 'variant')), 'VOID') IN ('VOID', 'STRING')"
            for name in kinds
        )
    )
    right = [
        f"(b.whole RLIKE '{_object_pattern(kinds)}' OR {with_value})",
        f"coalesce({section}, 'data') IN ('data', 'amqp-sequence', 'amqp-value')",
        f"({data} IS NULL OR {_is_base64(data)})",
        f"(b.schema IS NULL OR b.value.value IS NOT NULL OR b.value.content OR {holder})",
    ]
    return _let(
        "b",
        f"named_struct('whole', schema_of_variant(body), 'fields', {_struct('body', {**kinds, 'value': 'VARIANT'})})",
        _let(
            "b",
            "named_struct('whole', b.whole, 'fields', b.fields, 'schema', schema_of_variant(b.fields.value), "
            f"'value', {_values(one, AmqpType.LONG)}[0])",
            _section(
                f"{_absent('b.whole')} OR {' AND '.join(right)}",
                f"CASE WHEN startswith(b.whole, 'OBJECT') THEN named_struct('section', {section}, 'data', "
                f"CASE WHEN {_is_base64(data)} THEN unbase64({data}) END, 'value', {value}) END",
                "b.value.content",
            ),
        ),
    )


def _map(name: str) -> str:
    entries = (
        f"transform(map_entries(try_variant_get({name}, '$', 'map<string,variant>')), "
        f"e -> named_struct('key', e.key, 'value', e.value, 'text', texts.{name}[e.key]))"
    )
    return _let(
        "m",
        _values(entries, AmqpType.LONG),
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


def _values(entries: str, plain_integer: AmqpType) -> str:
    """The values of an array of structs ``key``, ``value`` and ``text``, the number's own: see ``json.read_value``.

    An array of structs: ``key``, ``type``, ``empty`` where there is no value, ``value`` as the struct ``V``, NULL where
    it is none, and ``content`` where it is that of a list or a map.
    """
    # Most values are plain, and each step of the other form has its cost.
    plain = {
        "e.schema = 'STRING'": ("string", "string", "string"),
        "e.schema = 'BIGINT'": ("long", "long", "bigint"),
        "e.schema = 'BOOLEAN'": ("boolean", "boolean", "boolean"),
        "e.text IS NULL AND (e.schema = 'DOUBLE' OR startswith(e.schema, 'DECIMAL'))": ("double", "double", "double"),
    }
    if plain_integer is not AmqpType.LONG:
        plain = dict(list(plain.items())[:1])
    cases = " ".join(
        f"WHEN {condition} THEN {_value(_text(name), _union(_text(name), {field: _get('e.value', kind)}))}"
        for condition, (name, field, kind) in plain.items()
    )
    cases = f"WHEN e.schema IS NULL THEN {_value('CAST(NULL AS STRING)', f'CAST(NULL AS {_V})', 'TRUE')} {cases}"
    schemas = (
        f"transform({entries}, e -> "
        "named_struct('key', e.key, 'value', e.value, 'text', e.text, 'schema', schema_of_variant(e.value)))"
    )
    return f"transform({schemas}, e -> CASE {cases} ELSE {_any_value(plain_integer)} END)"


def _value(type_name: str, union: str, empty: str = "FALSE", content: str = "FALSE") -> str:
    return (
        f"named_struct('key', e.key, 'type', {type_name}, 'empty', {empty}, 'value', {union}, "
        f"'content', coalesce({content}, FALSE))"
    )


def _any_value(plain_integer: AmqpType) -> str:
    """The value of a struct ``e`` with ``key``, ``value``, ``text`` and ``schema``, plain or with its type."""
    tagged = "startswith(e.schema, 'OBJECT')"
    behind = f"substr(e.schema, {len(_TYPE_AND) + 1})"
    right = (
        f"e.schema = '{_TYPE_ONLY}' OR startswith(e.schema, '{_TYPE_AND}') AND "
        f"({behind} RLIKE '^[A-Z]++(?:[(][0-9,]++[)])?+>{_END}' OR size({_get('e.value', 'map<string,variant>')}) = 2)"
    )
    plain = (
        "CASE WHEN e.schema = 'VOID' THEN 'null' WHEN e.schema = 'BOOLEAN' THEN 'boolean' "
        f"WHEN e.schema = 'STRING' THEN 'string' WHEN e.schema = 'BIGINT' THEN '{plain_integer.value}' "
        f"WHEN e.schema = 'DOUBLE' OR startswith(e.schema, 'DECIMAL') THEN "
        f"CASE WHEN coalesce(e.text RLIKE '{_INTEGER_TEXT}', FALSE) THEN {_beyond(plain_integer)} ELSE 'double' END END"
    )
    inner = (
        "named_struct('key', e.key, "
        f"'type', CASE WHEN {tagged} THEN CASE WHEN {right} THEN try_variant_get(e.value, '$.type', 'string') END "
        f"ELSE {plain} END, "
        f"'kind', regexp_extract(CASE WHEN {tagged} THEN {behind} ELSE e.schema END, '^[A-Z]*', 0), "
        f"'value', CASE WHEN {tagged} THEN try_variant_get(e.value, '$.value', 'variant') ELSE e.value END, "
        f"'text', CASE WHEN {tagged} THEN get_json_object(e.text, '$.value') ELSE e.text END)"
    )
    fields = (
        "named_struct('key', e.key, 'type', e.type, 'kind', e.kind, "
        "'empty', coalesce(e.kind IN ('', 'VOID'), FALSE), 'text', e.text, 'value', e.value, "
        f"'long', CASE WHEN e.kind = 'BIGINT' THEN {_get('e.value', 'bigint')} END, "
        f"'string', CASE WHEN e.kind = 'STRING' THEN {_get('e.value', 'string')} END, "
        "'double', CASE WHEN e.kind = 'DECIMAL' AND startswith(e.text, '-') "
        f"AND {_get('e.value', 'double')} = 0 THEN CAST('-0.0' AS DOUBLE) "
        f"WHEN e.kind IN ('BIGINT', 'DECIMAL', 'DOUBLE') THEN {_get('e.value', 'double')} END)"
    )
    union = (
        f"CASE WHEN e.empty AND e.type IN {_among(AmqpType)} THEN {_union(_text('null'), {})} "
        f"ELSE {_union('e.type', _fields())} END"
    )
    content = "e.type = 'list' AND e.kind = 'ARRAY' OR e.type = 'map' AND e.kind = 'OBJECT'"
    some = " OR ".join(f"e.value.{field} IS NOT NULL" for field in _CONTENTS)
    checked = f"CASE WHEN e.value.type = 'null' AND e.empty OR {some} THEN e.value END"
    found = _let("e", _value("e.type", union, "e.empty", content), _value("e.type", checked, "e.empty", "e.content"))
    return _let("e", inner, _let("e", fields, found))


def _beyond(plain_integer: AmqpType) -> str:
    """The type of an integer beyond 64 bits, as SQL."""
    return _text(plain_integer.value) if plain_integer is AmqpType.ULONG else "NULL"


def _integer() -> str:
    bounds = " ".join(
        f"WHEN '{found.value}' THEN e.long >= {low} AND e.long <= {high}" for found, (low, high) in _BOUNDS.items()
    )
    large = _get("e.value", "decimal(20,0)")
    types = _among(found for found in AmqpType if TYPE_CLASS.get(COERCION[found]) is TypeClass.INTEGER)
    return (
        f"CASE WHEN e.type IN {types} AND e.kind = 'BIGINT' AND CASE e.type {bounds} ELSE TRUE END THEN e.long "
        f"WHEN e.type = 'ulong' AND e.kind = 'DECIMAL' AND e.text RLIKE '{_INTEGER_TEXT}' "
        f"AND {large} > 0 AND {large} < {2**64}BD THEN CAST({large} - {2**64}BD AS BIGINT) END"
    )


def _floating() -> str:
    special = "CASE WHEN e.string IN ('NaN', 'Infinity', '-Infinity') THEN CAST(e.string AS DOUBLE) ELSE e.double END"
    narrowed = f"CAST(CAST({special} AS FLOAT) AS DOUBLE)"
    infinite = "IN (CAST('Infinity' AS DOUBLE), CAST('-Infinity' AS DOUBLE))"
    decimals = _among((AmqpType.DECIMAL32, AmqpType.DECIMAL64, AmqpType.DECIMAL128))
    return (
        f"CASE WHEN e.type = 'double' THEN {special} "
        f"WHEN e.type = 'float' AND ({special} {infinite} OR NOT {narrowed} {infinite}) THEN {narrowed} "
        f"WHEN e.type IN {decimals} AND e.string RLIKE '{_DECIMAL_TEXT}' THEN try_cast(e.string AS DOUBLE) END"
    )


def _bytes() -> str:
    plain = "replace(replace(e.string, 'urn:', ''), 'uuid:', '')"
    digits = f"replace(trim(BOTH '{{}}' FROM {plain}), '-', '')"
    holders = _among(found for found in Compound if found is not Compound.DESCRIBED)
    return (
        f"CASE WHEN e.type = 'binary' AND {_is_base64('e.string')} THEN unbase64(e.string) "
        f"WHEN e.type = 'uuid' AND {digits} RLIKE '^[0-9A-Fa-f]{{32}}{_END}' THEN unhex({digits}) "
        f"WHEN e.type IN {holders} AND e.empty THEN X'' END"
    )


def _is_ascii(text: str) -> str:
    return f"octet_length({text}) = char_length({text})"


def _is_base64(text: str) -> str:
    return f"(length({text}) % 4 = 0 AND {text} RLIKE '{_BASE64_TEXT}')"


def _fields() -> dict[str, str]:
    """The fields of the struct ``V`` behind its type, from a struct ``e`` of ``_values``."""
    return {
        "boolean": "CASE WHEN e.type = 'boolean' AND e.kind = 'BOOLEAN' "
        "THEN try_variant_get(e.value, '$', 'boolean') END",
        "long": _integer(),
        "double": _floating(),
        "string": (
            f"CASE WHEN e.type = 'string' OR e.type = 'symbol' AND {_is_ascii('e.string')} "
            "OR e.type = 'char' AND char_length(e.string) = 1 THEN e.string END"
        ),
        "binary": _bytes(),
    }


def _union(type_name: str, fields: Mapping[str, str]) -> str:
    contents = ", ".join(f"'{name}', {fields.get(name, f'CAST(NULL AS {kind})')}" for name, kind in _CONTENTS.items())
    return f"named_struct('type', {type_name}, {contents})"


def _struct(variant: str, fields: Mapping[str, str]) -> str:
    listed = ", ".join(f"`{name}`: {kind}" for name, kind in fields.items())
    return f"try_variant_get({variant}, '$', 'struct<{listed}>')"


def _object_pattern(fields: Mapping[str, str]) -> str:
    """The pattern of the schema of an object with some of the fields, each of its own type or null."""
    names = "|".join(f"{name}: (?:{kind}|VOID)" for name, kind in fields.items())
    return f"^OBJECT<(?:(?:{names})(?:, (?!>)|(?=>)))*+>{_END}"


def _in_range(struct: str, fields: Iterable[str]) -> str:
    return " AND ".join(
        f"({struct}.fields.{name} IS NULL OR {struct}.fields.{name} >= {low} AND {struct}.fields.{name} <= {high})"
        for name, (low, high) in _INTEGER_FIELDS.items()
        if name in fields
    )


def _absent(schema: str) -> str:
    return f"coalesce({schema}, 'VOID') = 'VOID'"


def _get(variant: str, kind: str) -> str:
    return f"try_variant_get({variant}, '$', '{kind}')"


def _let(name: str, value: str, body: str) -> str:
    """A body in which a name stands for a value that is computed once."""
    return f"get(transform(array({value}), {name} -> {body}), 0)"


def _texts(values: Iterable[str]) -> str:
    return f"array({', '.join(map(_text, values))})"


def _text(value: str) -> str:
    return f"'{value}'"


def _among(types: Iterable[AmqpType | Compound]) -> str:
    return f"({', '.join(_text(found.value) for found in types)})"
