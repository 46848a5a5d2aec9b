"""The dialects by name, and their reserved words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import OptionFix, nearest
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.language.selector.dialect import JMS as JMS
from transpiler.language.selector.dialect import Dialect as Dialect
from transpiler.language.selector.dialect_rules import Extension, ReservedWords


class _Dialects(Mapping[str, Dialect]):
    """A mapping of names to dialects. The dialects of brokers are imported when one of them is first accessed."""

    def __getitem__(self, name: str) -> Dialect:
        return JMS if name == JMS.name else _brokers()[name]

    def __iter__(self) -> Iterator[str]:
        yield JMS.name
        yield from _brokers()

    def __len__(self) -> int:
        return 1 + len(_brokers())


@cache
def _brokers() -> Mapping[str, Dialect]:
    # Imported on first use: most selectors are in the dialect ``jms`` and do not need the dialects of brokers.
    from transpiler.language.selector.broker_dialects import BROKERS

    return BROKERS


DIALECTS: Mapping[str, Dialect] = _Dialects()


def find_dialect(dialect: str | Dialect) -> Dialect:
    """Return the dialect named ``dialect``.

    Args:
        dialect: The name, or a ``Dialect``, which is returned unchanged.

    Raises:
        UnsupportedFeatureError: There is no dialect of that name.
    """
    if isinstance(dialect, Dialect):
        return dialect
    if not isinstance(dialect, str):
        raise unexpected("dialect", "a dialect's name, or a Dialect", dialect)
    record = DIALECTS.get(dialect)
    if record is None:
        near = nearest(dialect, DIALECTS)
        hint = f"did you mean {near[0]}?" if near else f"the dialects are {', '.join(DIALECTS)}"
        fix = OptionFix("dialect", repr(near[0])) if near else None
        raise UnsupportedFeatureError.at(
            "dialect.unknown", f"there is no dialect called {dialect!r}", hint=hint, fix=fix
        )
    return record


def dialects_with(extension: Extension) -> str:
    """Return the names of the dialects that have the construct ``extension``, as text for a hint."""
    # Omit artemis-core, because it always has the same constructs as artemis.
    names = [dialect.name for dialect in DIALECTS.values() if dialect.has(extension) and dialect.name != "artemis-core"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


#: The reserved words of the standard, in upper case.
KEYWORDS = ("AND", "OR", "NOT", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE", "NULL", "TRUE", "FALSE")

#: Words that RabbitMQ's SQL filter reserves for future use, in upper case. An identifier may not be such a word in any
#: case.
UNUSABLE = frozenset("NAN INF LOWER UPPER LEFT RIGHT SUBSTRING UTC DATE EXISTS".split())

_QUERIES = frozenset(("XPATH", "XQUERY"))


@cache
def keywords(words: ReservedWords, queries: bool) -> Mapping[str, str]:
    """Map the usual spellings of the reserved words (``AND``, ``and``, ``And``) to their token types.

    If ``queries`` is True, XPATH and XQUERY are included.
    """
    reserved = set(KEYWORDS)
    if words is ReservedWords.ANY_CASE_WITHOUT_NULL:
        reserved -= {"NULL", "IS"}
    elif words is ReservedWords.UPPER_CASE:
        return {word: word for word in reserved - {"BETWEEN"}}
    spellings = {spelling: word for word in reserved for spelling in (word, word.lower(), word.capitalize())}
    if queries:
        spellings |= dict.fromkeys(("XPATH", "xpath", "XQUERY", "xquery"), "QUERY")
    return spellings


def is_reserved(name: str, dialect: Dialect) -> bool:
    """Return True if ``name`` is a reserved word of ``dialect``. A property of this name must then be quoted."""
    upper = name.upper()
    if upper in KEYWORDS:
        return True
    if dialect.reserved_words is ReservedWords.UPPER_CASE:
        return upper in UNUSABLE
    return dialect.has(Extension.XPATH) and upper in _QUERIES
