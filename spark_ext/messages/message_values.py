"""SQL that converts the values of message JSON to the struct ``V``: plain values, and values with their AMQP type.

``message.json.read_value`` defines the valid values. Each value is a VARIANT, and ``schema_of_variant`` returns its
type. Inside a lambda, Spark computes an expression as often as it is written, but the value of a parameter only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from transpiler.message.types import CLASS_OF, INTEGER_RANGES, AmqpType, Compound, TypeClass

#: The fields of the tagged union ``V`` except ``type``, with their Spark types.
_CONTENTS = {"boolean": "BOOLEAN", "long": "BIGINT", "double": "DOUBLE", "string": "STRING", "binary": "BINARY"}
_V = f"STRUCT<type: STRING, {', '.join(f'{name}: {kind}' for name, kind in _CONTENTS.items())}>"

#: SQL for a tagged union ``V`` that is NULL.
NO_VALUE = f"CAST(NULL AS {_V})"

#: The minimum and maximum of an unsigned 32-bit integer.
UINT = INTEGER_RANGES[AmqpType.UINT]

_LONG = INTEGER_RANGES[AmqpType.LONG]

#: The minimum and maximum of each integer type with a smaller range than BIGINT.
_BOUNDS: Mapping[AmqpType, tuple[int, int]] = {
    kind: (low, min(high, _LONG[1])) for kind, (low, high) in INTEGER_RANGES.items() if (low, high) != _LONG
}

#: ``_TYPE_ONLY``: the VARIANT schema of an AMQP type without a value. ``_TYPE_AND``: the beginning of the VARIANT
#: schema of a value with its AMQP type.
_TYPE_ONLY, _TYPE_AND = "OBJECT<type: STRING>", "OBJECT<type: STRING, value: "

#: A regular expression for the end of the text. It has no backslash, because the meaning of a backslash in SQL depends
#: on the settings of the parser.
END = "(?!(?s:.))"

_INTEGER_TEXT = f"^-?[0-9]++{END}"
_DECIMAL_TEXT = f"^[+-]?(?:(?:[0-9]++[.]?[0-9]*+|[.][0-9]++)(?:[eE][+-]?[0-9]++)?|[iI]nf(?:inity)?|NaN){END}"
_BASE64_TEXT = f"^[A-Za-z0-9+/]*+={{0,2}}{END}"


def entry(key: str, value: str, text: str, plain_integer: AmqpType = AmqpType.LONG) -> str:
    """Return SQL for an entry of ``union_values``: a key, its value, and the value's text, from which numbers are read.

    An integer without an AMQP type has the type ``plain_integer``.
    """
    return f"named_struct('key', {key}, 'value', {value}, 'text', {text}, 'integer', {quoted(plain_integer.value)})"


def union_values(entries: str) -> str:
    """Return SQL that converts an array of entries, by the rules of ``json.read_value``. Use it once: it is long.

    The result is an array of structs: ``key``, ``type``, ``empty`` (TRUE without a value), ``value`` (a tagged union
    ``V``, NULL if the value is invalid), and ``content`` (TRUE if the value is the content of a list or a map).
    """
    # Most values are plain, so these cases skip the steps that a value with an AMQP type needs.
    plain = {
        "e.schema = 'STRING'": ("string", "string", "string"),
        "e.schema = 'BIGINT' AND e.integer = 'long'": ("long", "long", "bigint"),
        "e.schema = 'BOOLEAN'": ("boolean", "boolean", "boolean"),
        "e.text IS NULL AND (e.schema = 'DOUBLE' OR startswith(e.schema, 'DECIMAL'))": ("double", "double", "double"),
    }
    cases = " ".join(
        f"WHEN {condition} THEN {_value(quoted(name), union(quoted(name), {field: extract('e.value', kind)}))}"
        for condition, (name, field, kind) in plain.items()
    )
    cases = f"WHEN e.schema IS NULL THEN {_value('CAST(NULL AS STRING)', NO_VALUE, 'TRUE')} {cases}"
    schemas = (
        f"transform({entries}, e -> "
        "named_struct('key', e.key, 'value', e.value, 'text', e.text, 'integer', e.integer, "
        "'schema', schema_of_variant(e.value)))"
    )
    return f"transform({schemas}, e -> CASE {cases} ELSE {_any_value()} END)"


def _value(type_name: str, union: str, empty: str = "FALSE", content: str = "FALSE") -> str:
    return (
        f"named_struct('key', e.key, 'type', {type_name}, 'empty', {empty}, 'value', {union}, "
        f"'content', coalesce({content}, FALSE))"
    )


def _any_value() -> str:
    """Return SQL for the value of the entry ``e`` of message JSON: a plain value, or an object with an AMQP type.

    ``e.schema`` is the schema of the value's VARIANT.
    """
    tagged = "startswith(e.schema, 'OBJECT')"
    behind = f"substr(e.schema, {len(_TYPE_AND) + 1})"
    members = extract("e.value", "map<string,variant>")
    right = (
        f"e.schema = '{_TYPE_ONLY}' OR startswith(e.schema, '{_TYPE_AND}') AND "
        f"({behind} RLIKE '^[A-Z]++(?:[(][0-9,]++[)])?+>{END}' OR size({members}) = 2)"
    )
    plain = (
        "CASE WHEN e.schema = 'VOID' THEN 'null' WHEN e.schema = 'BOOLEAN' THEN 'boolean' "
        f"WHEN e.schema = 'STRING' THEN 'string' WHEN e.schema = 'BIGINT' THEN e.integer "
        f"WHEN e.schema = 'DOUBLE' OR startswith(e.schema, 'DECIMAL') THEN "
        f"CASE WHEN NOT coalesce(e.text RLIKE '{_INTEGER_TEXT}', FALSE) THEN 'double' "
        # This integer is outside the range of BIGINT.
        "WHEN e.integer = 'ulong' THEN e.integer END END"
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
        f"'long', CASE WHEN e.kind = 'BIGINT' THEN {extract('e.value', 'bigint')} END, "
        f"'string', CASE WHEN e.kind = 'STRING' THEN {extract('e.value', 'string')} END, "
        "'double', CASE WHEN e.kind = 'DECIMAL' AND startswith(e.text, '-') "
        f"AND {extract('e.value', 'double')} = 0 THEN CAST('-0.0' AS DOUBLE) "
        f"WHEN e.kind IN ('BIGINT', 'DECIMAL', 'DOUBLE') THEN {extract('e.value', 'double')} END)"
    )
    converted = (
        f"CASE WHEN e.empty AND e.type IN {among(AmqpType)} THEN {union(quoted('null'), {})} "
        f"ELSE {union('e.type', _fields())} END"
    )
    content = "e.type = 'list' AND e.kind = 'ARRAY' OR e.type = 'map' AND e.kind = 'OBJECT'"
    some = " OR ".join(f"e.value.{field} IS NOT NULL" for field in _CONTENTS)
    checked = f"CASE WHEN e.value.type = 'null' AND e.empty OR {some} THEN e.value END"
    value = let("e", _value("e.type", converted, "e.empty", content), _value("e.type", checked, "e.empty", "e.content"))
    return let("e", inner, let("e", fields, value))


def _integer() -> str:
    bounds = " ".join(
        f"WHEN '{kind.value}' THEN e.long >= {low} AND e.long <= {high}" for kind, (low, high) in _BOUNDS.items()
    )
    large = extract("e.value", "decimal(20,0)")
    types = among(kind for kind in AmqpType if CLASS_OF.get(kind) is TypeClass.INTEGER)
    return (
        f"CASE WHEN e.type IN {types} AND e.kind = 'BIGINT' AND CASE e.type {bounds} ELSE TRUE END THEN e.long "
        f"WHEN e.type = 'ulong' AND e.kind = 'DECIMAL' AND e.text RLIKE '{_INTEGER_TEXT}' "
        f"AND {large} > 0 AND {large} < {2**64}BD THEN CAST({large} - {2**64}BD AS BIGINT) END"
    )


def _floating() -> str:
    special = "CASE WHEN e.string IN ('NaN', 'Infinity', '-Infinity') THEN CAST(e.string AS DOUBLE) ELSE e.double END"
    narrowed = f"CAST(CAST({special} AS FLOAT) AS DOUBLE)"
    decimals = among((AmqpType.DECIMAL32, AmqpType.DECIMAL64, AmqpType.DECIMAL128))
    return (
        f"CASE WHEN e.type = 'double' THEN {special} "
        f"WHEN e.type = 'float' THEN {narrowed} "
        f"WHEN e.type IN {decimals} AND e.string RLIKE '{_DECIMAL_TEXT}' THEN try_cast(e.string AS DOUBLE) END"
    )


def _bytes() -> str:
    plain = "replace(replace(e.string, 'urn:', ''), 'uuid:', '')"
    digits = f"replace(trim(BOTH '{{}}' FROM {plain}), '-', '')"
    holders = among(kind for kind in Compound if kind is not Compound.DESCRIBED)
    return (
        f"CASE WHEN e.type = 'binary' AND {is_base64('e.string')} THEN unbase64(e.string) "
        f"WHEN e.type = 'uuid' AND {digits} RLIKE '^[0-9A-Fa-f]{{32}}{END}' THEN unhex({digits}) "
        f"WHEN e.type IN {holders} AND e.empty THEN X'' END"
    )


def is_ascii(text: str) -> str:
    """Return SQL that is TRUE if ``text`` consists of ASCII characters."""
    return f"octet_length({text}) = char_length({text})"


def is_base64(text: str) -> str:
    """Return SQL that is TRUE if ``text`` is valid base64 with padding."""
    return f"(length({text}) % 4 = 0 AND {text} RLIKE '{_BASE64_TEXT}')"


def _fields() -> dict[str, str]:
    """Return the SQL of each field of a tagged union ``V`` except ``type``, for the value in the struct ``e``.

    ``e`` is described in ``_any_value``.
    """
    return {
        "boolean": "CASE WHEN e.type = 'boolean' AND e.kind = 'BOOLEAN' "
        "THEN try_variant_get(e.value, '$', 'boolean') END",
        "long": _integer(),
        "double": _floating(),
        "string": (
            f"CASE WHEN e.type = 'string' OR e.type = 'symbol' AND {is_ascii('e.string')} "
            "OR e.type = 'char' AND char_length(e.string) = 1 THEN e.string END"
        ),
        "binary": _bytes(),
    }


def union(type_name: str, fields: Mapping[str, str]) -> str:
    """Return SQL for a tagged union ``V`` with the type ``type_name`` and ``fields``; all other fields are NULL."""
    contents = ", ".join(f"'{name}', {fields.get(name, f'CAST(NULL AS {kind})')}" for name, kind in _CONTENTS.items())
    return f"named_struct('type', {type_name}, {contents})"


def extract(variant: str, kind: str) -> str:
    """Return SQL that casts ``variant`` to the Spark type ``kind``; NULL if the cast is not possible."""
    return f"try_variant_get({variant}, '$', '{kind}')"


def let(name: str, value: str, body: str) -> str:
    """Return SQL for ``body``, in which ``name`` is a variable with the value ``value``, computed once."""
    return f"get(transform(array({value}), {name} -> {body}), 0)"


def text_array(values: Iterable[str]) -> str:
    """Return SQL for an array of the texts ``values``."""
    return f"array({', '.join(map(quoted, values))})"


def quoted(value: str) -> str:
    """Return ``value`` as a SQL string literal; it must need no escapes, as names in this project do."""
    return f"'{value}'"


def among(types: Iterable[AmqpType | Compound]) -> str:
    """Return the names of ``types`` as the list of a SQL IN."""
    return f"({', '.join(quoted(kind.value) for kind in types)})"
