"""Reserved words, by dialect."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from transpiler.selector.dialect_rules import Extension, ReservedWords
from transpiler.selector.dialects import Dialect

#: Reserved words, in any case.
KEYWORDS = ("AND", "OR", "NOT", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE", "NULL", "TRUE", "FALSE")

#: Words that the SQL filter keeps for later, besides the reserved words in any other spelling than upper case.
UNUSABLE = frozenset("NAN INF LOWER UPPER LEFT RIGHT SUBSTRING UTC DATE EXISTS".split())

_QUERIES = frozenset(("XPATH", "XQUERY"))


@cache
def keywords(words: ReservedWords, queries: bool) -> Mapping[str, str]:
    """Return the reserved words, in the spellings that people use, with their tokens."""
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
    """Return True if the identifier must be quoted."""
    upper = name.upper()
    if upper in KEYWORDS:
        return True
    if dialect.reserved_words is ReservedWords.UPPER_CASE:
        return upper in UNUSABLE
    return dialect.has(Extension.XPATH) and upper in _QUERIES
