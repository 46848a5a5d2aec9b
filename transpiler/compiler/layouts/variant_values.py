"""Typed alternatives for a value in a VARIANT, or in JSON text that is parsed to a VARIANT.

The SQL tests the type of the VARIANT first, because Spark's casts would convert the string '2600' to a number. JSON's
integers are BIGINT in a VARIANT, or DECIMAL beyond 64 bits; its fractions are DECIMAL, or DOUBLE with an exponent.
"""

from __future__ import annotations

import re

from transpiler.base.comparison import Comparison
from transpiler.base.errors import LayoutError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, STRING, TIMESTAMP, VARIANT, ColumnType
from transpiler.compiler.layouts.stored import Stored, StoredValue, stored_alternatives
from transpiler.message.types import AmqpType, Compound

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def variant_path(*keys: str) -> str:
    """Return the path of the value at ``keys`` in a VARIANT, such as ``$.a["b c"]``.

    Raise ``LayoutError`` for a key with both kinds of quotes, which no path can contain.
    """
    path = "$"
    for key in keys:
        if _PLAIN_KEY.fullmatch(key):
            path += f".{key}"
        elif '"' not in key:
            path += f'["{key}"]'
        elif "'" not in key:
            path += f"['{key}']"
        else:
            message = f"no path into a VARIANT can name the key {key}, which contains both single and double quotes"
            raise LayoutError.at("layout.variant-key", message)
    return path


def variant_get(variant: ir.Value, path: str, column_type: ColumnType) -> ir.Value:
    """Return the value in ``variant`` at ``path``, cast to ``column_type``; NULL if it cannot be cast."""
    function = ir.Function.VARIANT_AT if column_type == VARIANT else ir.Function.VARIANT_GET
    return ir.Apply(function, (variant, ir.constant(path)), column_type)


def stored_in_variant(variant: ir.Value, path: str) -> Stored:
    """Return what ``variant`` contains at ``path``: one alternative for each type that the value can have.

    JSON's null is treated as a null. An object or array is a value that equals nothing.
    """
    whole = variant if path == "$" else variant_get(variant, path, VARIANT)
    type_name = ir.Apply(ir.Function.VARIANT_TYPE, (whole,), STRING)

    def has_type(name: str) -> ir.Predicate:
        return ir.Compare(Comparison.EQ, type_name, ir.constant(name))

    def cast(column_type: ColumnType) -> ir.Value:
        return ir.Apply(ir.Function.CAST_VARIANT, (whole,), column_type)

    def value(amqp: AmqpType, column_type: ColumnType, guard: ir.Predicate) -> StoredValue:
        return StoredValue((amqp,), cast(column_type), guard)

    def begins(*names: str) -> ir.Predicate:
        # Compare only the first three letters: the name of a type can have parameters, as DECIMAL(5,2), ARRAY<BIGINT>
        # and OBJECT<a: STRING>.
        first = ir.Apply(ir.Function.LEFT, (type_name, ir.constant(3)), STRING)
        return ir.In(first, tuple(ir.constant(name[:3]) for name in names))

    values = [
        StoredValue((AmqpType.STRING,), variant_get(variant, path, STRING), has_type("STRING")),
        value(AmqpType.LONG, BIGINT, has_type("BIGINT")),
        value(AmqpType.DOUBLE, DOUBLE, begins("DECIMAL", "DOUBLE", "FLOAT")),
        value(AmqpType.BOOLEAN, BOOLEAN, has_type("BOOLEAN")),
    ]
    number = begins("BIGINT", "DECIMAL", "DOUBLE", "FLOAT")
    if ir.is_parsed_json(variant):
        # ``number`` guards a cast to DOUBLE. In JSON, only numbers, strings and booleans can be cast, so it is enough
        # to exclude STRING and BOOLEAN.
        number = ir.In(type_name, (ir.constant("STRING"), ir.constant("BOOLEAN")), negated=True)
        values[2] = value(AmqpType.DOUBLE, DOUBLE, begins("DECIMAL", "DOUBLE"))
    else:
        time = ir.Apply(ir.Function.MILLISECONDS, (cast(TIMESTAMP),), BIGINT)
        values += [
            value(AmqpType.BINARY, BINARY, has_type("BINARY")),
            StoredValue((AmqpType.TIMESTAMP,), time, has_type("TIMESTAMP")),
        ]
    values += [
        StoredValue((Compound.MAP,), ir.Constant(b"", BINARY), begins("OBJECT")),
        StoredValue((Compound.LIST,), ir.Constant(b"", BINARY), begins("ARRAY")),
    ]
    null = has_type("VOID")
    return stored_alternatives(
        values,
        present=ir.Compare(Comparison.NE, type_name, ir.constant("VOID")),
        absent=ir.any_of(ir.IsNull(whole), null),
        key_absent=ir.IsNull(whole),
        number=StoredValue((AmqpType.DOUBLE,), cast(DOUBLE), number),
    )


def parsed_json(text: ir.Value) -> ir.Value:
    """Return ``text`` parsed as JSON to a VARIANT; NULL if it is not valid JSON."""
    return ir.Apply(ir.Function.PARSE_JSON, (text,), VARIANT)
