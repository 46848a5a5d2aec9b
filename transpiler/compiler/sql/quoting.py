"""The only place that quotes: names, texts and the literals that need more than their digits.

The text means the same under every setting of Spark's parser, and as a template of dbt: no backslash, no double quote,
no quote inside of quotes, no ``${`` and nothing that opens Jinja ever reaches it. A text with few such characters is
readable all the same, by ``char`` and ``concat``, which Spark computes when it plans the query; any other is its bytes
in hexadecimal. ``spark.sql.parser.quotedRegexColumnNames``, of Hive, makes patterns of names in backticks: under it a
query with one fails.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import lru_cache

from transpiler.base.times import EPOCH
from transpiler.compiler.ir.column_types import AsType, Element, Entry, Key, Path, SqlType

#: Words that Spark reads as something else than a name, under its default or its ANSI keywords.
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


#: Characters that a literal cannot have, and pairs of characters that open a variable or Jinja.
_QUOTES = "'\"\\"
_OPENING = re.compile(r"\$\{|\{[{%#]")

#: Characters written by ``char`` in one text at most: a quarter of them, or two, and not more than so many.
_MAX_CODES = 16


def quote_text(text: str) -> str:
    """Return a string that means the same by every setting of the parser, as an operand of any operator."""
    if text.isprintable() and not _OPENING.search(text) and not any(quote in text for quote in _QUOTES):
        return f"'{text}'"
    pieces: list[str] = []
    codes, start = 0, 0
    for place, character in enumerate(text):
        if character in _QUOTES or not character.isprintable():
            pieces += [f"'{text[start:place]}'"] if start < place else []
            pieces.append(f"char({ord(character)})")
            codes, start = codes + 1, place + 1
            if ord(character) > 0xFF:
                # Spark takes the last byte of a larger code.
                codes = _MAX_CODES + 1
                break
        elif start < place and _OPENING.match(text, place - 1):
            pieces.append(f"'{text[start:place]}'")
            start = place
    if codes > min(_MAX_CODES, max(2, len(text) // 4)):
        return f"CAST(X'{text.encode().hex().upper()}' AS STRING)"
    pieces += [f"'{text[start:]}'"] if start < len(text) else []
    return pieces[0] if len(pieces) == 1 else f"concat({', '.join(pieces)})"


def opens_template(text: str) -> bool:
    """Return True if variable substitution, or Jinja, would read a part of a text that is written as it is."""
    return _OPENING.search(text) is not None


def quote_pattern(pattern: str) -> str:
    """Return the SQL of a constant regular expression, readable: a tilde is written for each backslash."""
    spelled = pattern.replace("\\", "~")
    assert "~" not in pattern
    return f"replace({quote_text(spelled)}, '~', char(92))" if spelled != pattern else quote_text(pattern)


# The columns and fields of a layout are few, and every selector reads some of them.
@lru_cache(maxsize=4_096)
def quote_name(name: str) -> str:
    """Quote the name of a column or a field, in backticks where it is not a plain word."""
    if _PLAIN_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


# As few as the names, mostly.
@lru_cache(maxsize=4_096)
def quote_path(path: Path) -> str:
    """Quote a column, a field of a struct or the value of a map at a key."""
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
    """Quote a path with a name that variable substitution, or Jinja, would touch."""
    spelled = ".".join("`" + step.replace("`", "``") + "`" for step in path if isinstance(step, str))
    return f"IDENTIFIER({quote_text(spelled)})"


def decimal_literal(unscaled: int, scale: int) -> str:
    """Return a DECIMAL literal by its unscaled number."""
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale > 0 else digits + "0" * -scale
    # The suffix keeps a whole number from being read as an integer, and a long one from overflowing.
    return ("-" if unscaled < 0 else "") + text + "BD"


def wall_clock_literal(microseconds: int) -> str:
    """Return a TIMESTAMP_NTZ literal by its microseconds since the epoch."""
    try:
        moment = EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return f"timestampadd(MICROSECOND, {microseconds}, TIMESTAMP_NTZ'1970-01-01 00:00:00')"
    return f"TIMESTAMP_NTZ'{moment.replace(tzinfo=None).isoformat(' ')}'"
