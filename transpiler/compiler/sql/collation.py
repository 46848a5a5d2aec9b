"""The collation of an emitted text.

A string literal, a cast to STRING and the result of most functions that convert a value to text have the default
collation of the view, schema or session in which the SQL is used. A selector compares texts by bytes. So the emitter
adds ``COLLATE UTF8_BINARY`` to the test of a text, unless the text has the collation of a column. The layouts have
already cast columns with another collation (``layouts.collations``).
"""

from __future__ import annotations

import re
from functools import lru_cache

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import SparkType

#: The collation by which texts are equal only if their bytes are equal.
BY_BYTES = "UTF8_BINARY"

#: The functions whose result has Spark's default collation. The result of any other function has the collation of the
#: column that is its argument.
_CASTS = frozenset((ir.Function.JAVA_TEXT, ir.Function.OCTETS, ir.Function.TRY_CAST))

_TEST = re.compile(r"rlike|regexp|startswith|contains|substring_index|[=>] '", re.IGNORECASE)


def has_collation(value: ir.Value) -> bool:
    """Return True if a test of ``value`` has the same result under every default collation of Spark.

    That is the case if ``value`` is not a text, or is computed from a column, whose own collation then applies. It is
    also the case for the name of a VARIANT's type, because these names do not differ only in case.
    """
    if value.type.kind is not SparkType.STRING or isinstance(value, ir.Column):
        return True
    match value:
        case ir.Apply(function=ir.Function.BY_BYTES | ir.Function.VARIANT_TYPE):
            return True
        case ir.Apply(function=function, arguments=arguments) if function not in _CASTS:
            return any(_is_text(argument) and has_collation(argument) for argument in arguments)
        case ir.When(value=inner):
            return has_collation(inner)
        case _:
            return False


def _is_text(value: ir.Value) -> bool:
    return value.type.kind in (SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR)


@lru_cache(maxsize=256)
def tests_texts(function: ir.Function) -> bool:
    """Return True if the SQL of ``function`` compares or searches its arguments."""
    return _TEST.search(function.sql) is not None
