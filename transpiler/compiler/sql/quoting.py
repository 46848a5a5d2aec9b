"""Quote names, texts and literals for SQL; no other module quotes.

The SQL means the same under every setting of Spark's parser, and in a dbt template, because it never contains a
backslash, a double quote, a quote inside quotes, ``${``, or text that opens Jinja. A text with few such characters is
readable, with ``char`` and ``concat``, which Spark evaluates when it plans the query; any other text is written as
hexadecimal bytes. Under Hive's setting ``spark.sql.parser.quotedRegexColumnNames``, names in backticks are patterns: a
query that contains such a name fails.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import lru_cache

from transpiler.base.times import EPOCH
from transpiler.compiler.ir.column_types import AsType, Element, Entry, Key, Path, SqlType

#: Words that Spark does not accept as names, under its default keywords or its ANSI keywords.
_RESERVED = frozenset(
    """all and any array as authorization between both by call case cast check collate collation collations
    column constraint create cross current_catalog current_database current_date current_path
    current_schema current_time current_timestamp current_user date distinct div else end escape except
    execute exists false fetch filter for foreign from full grant group having if in inner intersect
    interval into is join lateral leading left like localtime localtimestamp map minus natural not now
    null offset on only or order outer overlaps primary recursive references right rlike row select semi
    session_user some sql struct table then time timestamp timestamp_ltz timestamp_ntz to trailing true
    union unique unknown user using values variant when where with within""".split()
)
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


#: ``_QUOTES``: characters that a literal cannot contain. ``_OPENING``: pairs of characters that begin a variable of
#: Spark (``${``) or a template expression of Jinja.
_QUOTES = "'\"\\"
_OPENING = re.compile(r"\$\{|\{[{%#]")

#: Maximum number of characters in one string that are written with ``char``. A string with more of them is written in
#: hexadecimal digits. The maximum is lower for short strings: a quarter of the characters, but at least two.
_MAX_CODES = 16


def quote_text(text: str) -> str:
    """Return SQL for the string ``text`` that has the same value under every setting of Spark's parser.

    The SQL is a literal without escapes, or a function call that combines literals and ``char`` calls.
    """
    if text.isprintable() and not _OPENING.search(text) and not any(quote in text for quote in _QUOTES):
        return f"'{text}'"
    pieces: list[str] = []
    codes, start = 0, 0
    for index, character in enumerate(text):
        if character in _QUOTES or not character.isprintable():
            pieces += [f"'{text[start:index]}'"] if start < index else []
            pieces.append(f"char({ord(character)})")
            codes, start = codes + 1, index + 1
            if ord(character) > 0xFF:
                # Spark's ``char(n)`` returns the character of ``n`` modulo 256. So this text is written in hexadecimal
                # digits.
                codes = _MAX_CODES + 1
                break
        elif start < index and _OPENING.match(text, index - 1):
            pieces.append(f"'{text[start:index]}'")
            start = index
    if codes > min(_MAX_CODES, max(2, len(text) // 4)):
        return f"CAST(X'{text.encode().hex().upper()}' AS STRING)"
    pieces += [f"'{text[start:]}'"] if start < len(text) else []
    return pieces[0] if len(pieces) == 1 else f"concat({', '.join(pieces)})"


def opens_template(text: str) -> bool:
    """Return True if ``text``, written unchanged, contains something that variable substitution or Jinja replaces."""
    return _OPENING.search(text) is not None


def quote_pattern(pattern: str) -> str:
    """Return SQL for the regular expression ``pattern``, readable although it has backslashes.

    The SQL contains ``~`` for each backslash, and a call of ``replace`` that changes each ``~`` to a backslash.
    """
    spelled = pattern.replace("\\", "~")
    assert "~" not in pattern
    return f"replace({quote_text(spelled)}, '~', char(92))" if spelled != pattern else quote_text(pattern)


# Cached because all selectors over a layout read the same few names.
@lru_cache(maxsize=4_096)
def quote_name(name: str) -> str:
    """Return the SQL for the name of a column or field, in backticks if it is not a plain word."""
    if _PLAIN_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


# Cached because all selectors over a layout read the same few paths.
@lru_cache(maxsize=4_096)
def quote_path(path: Path) -> str:
    """Return the SQL for ``path``: a column, a field of a struct, the value of a map at a key, and so on."""
    text = ""
    for step in path:
        if isinstance(step, Key):
            text += f"[{quote_text(step.name)}]"
        elif isinstance(step, Entry):
            matching = f"filter({text}, h -> h.{quote_name(step.key)} = {quote_text(step.name)})"
            text = f"try_element_at({matching}, {1 if step.first else -1})"
        elif isinstance(step, Element):
            text += f"[{step.variable}]"
        elif isinstance(step, AsType):
            text = f"CAST({text} AS {_quote_type(step.type)})"
        elif _OPENING.search(step):
            return _quote_as_text(path)
        else:
            text += f".{quote_name(step)}" if text else quote_name(step)
    return text


def _quote_type(spark_type: SqlType) -> str:
    if isinstance(spark_type, str):
        return spark_type
    kind, *parts = spark_type
    if kind == "STRUCT":
        inside = [f"{quote_name(name)}: {_quote_type(inner)}" for name, inner in parts]
    else:
        inside = [_quote_type(inner) for inner in parts]
    return f"{kind}<{', '.join(inside)}>"


def _quote_as_text(path: Path) -> str:
    """Return the SQL for a ``path`` with a name that contains ``${`` or Jinja's delimiters.

    Spark's variable substitution, or a program that expands Jinja, would replace parts of such a name.
    """
    spelled = ".".join("`" + step.replace("`", "``") + "`" for step in path if isinstance(step, str))
    return f"IDENTIFIER({quote_text(spelled)})"


def decimal_literal(unscaled: int, scale: int) -> str:
    """Return the DECIMAL literal for ``unscaled`` divided by 10 to the power of ``scale``."""
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale > 0 else digits + "0" * -scale
    # Without the suffix ``BD``, Spark would parse a DECIMAL without a fraction as an integer, which can overflow.
    return ("-" if unscaled < 0 else "") + text + "BD"


def wall_clock_literal(microseconds: int) -> str:
    """Return the TIMESTAMP_NTZ literal for ``microseconds`` since the epoch."""
    try:
        moment = EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return f"timestampadd(MICROSECOND, {microseconds}, TIMESTAMP_NTZ'1970-01-01 00:00:00')"
    return f"TIMESTAMP_NTZ'{moment.replace(tzinfo=None).isoformat(' ')}'"
