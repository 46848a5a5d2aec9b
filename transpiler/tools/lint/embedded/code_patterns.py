"""Parser for the patterns in ``selector_patterns`` that locate selectors in source code.

In the pattern ``createConsumer(_, $)``, ``$`` is the selector, ``_`` any argument that does not begin with a string
literal, ``*`` any argument, and ``...`` any number of arguments. If the argument at ``_`` does begin with a string
literal, or if the function is called by its name alone, the selector must have an operator. Arguments after ``$`` are
not examined, except ``_``. ``a(..., $, ...)`` finds the first argument that is a condition, or that is unknown and
named like a selector. ``!`` is a flag at the position where another function of the same name has the selector: that
argument is the selector if it is a string, or if it may be one and the argument at ``$`` is not. ``a(b = $)`` finds an
argument or member with this name anywhere inside the brackets; ``'x'`` requires this literal. ``a().b($)`` is a call
after a call of ``a``, and ``a.b($)`` a call of a member of ``a``. ``a = $`` is an assignment, a member, or a named
argument of any call. ``def a(b = $)`` finds calls of a function that is declared with a parameter of this name, and
``def a(..., $)`` the first condition in a call of a declared function. Names are compared without case and underscores,
and ``*`` in a name matches any characters.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from transpiler.tools.lint.embedded.selector_patterns import SELECTOR_PATTERNS, SelectorPattern

_CALL = re.compile(r"(?P<own>def )?(?:(?P<before>\w+)(?P<called>\(\))?\.)?(?P<name>[\w*]+)\((?P<arguments>.*)\)")
#: Maximum number of names of calls and assignments for which the matching code patterns are cached.
_MAX_NAMES = 50_000


class CodePattern(NamedTuple):
    """A pattern of source code that contains a selector: a call with the name ``name``, or an assignment to ``key``.

    ``name`` is None for an assignment. ``key`` is the name of the selector's argument, None if the argument has no
    name. ``before`` is the name of the enclosing call (with ``()``) or of the object before the dot; None if anything
    may be before.
    """

    name: re.Pattern[str] | None
    key: str | None
    arguments: tuple[str, ...] = ()
    #: String literals that must be among the call's arguments.
    literals: frozenset[str] = frozenset()
    before: str | None = None
    #: True if the pattern is a call of a function that the checked files themselves declare.
    is_own: bool = False

    @property
    def is_any(self) -> bool:
        """True if the code pattern matches calls of functions with any name."""
        return self.name is not None and self.name.pattern == ".*"


@cache
def _read_pattern(pattern: str) -> CodePattern:
    call = _CALL.fullmatch(pattern)
    if call is None:
        return CodePattern(None, squeezed(pattern.removesuffix(" = $")))
    named = [argument.rpartition(" = ") for argument in call["arguments"].split(", ")]
    key = next(squeezed(name) for name, _, text in named if text == "$")
    texts = tuple(text for _, _, text in named)
    literals = frozenset(squeezed(text.strip("'")) for text in texts if text.startswith("'"))
    before = None if call["before"] is None else squeezed(call["before"]) + (call["called"] or "")
    name = wildcards(call["name"])
    return CodePattern(name, key or None, texts, literals, before, call["own"] is not None)


@cache
def wildcards(name: str) -> re.Pattern[str]:
    """Return the regular expression for ``name``, in which ``*`` matches any characters."""
    return re.compile(squeezed(name).replace("*", ".*"))


@cache
def patterns() -> tuple[tuple[CodePattern, SelectorPattern], ...]:
    """Return the code patterns by which selectors are found, each with its record in ``SELECTOR_PATTERNS``."""
    return tuple((_read_pattern(record.pattern), record) for record in SELECTOR_PATTERNS if record.language == "code")


@lru_cache(_MAX_NAMES)
def of_assignment(name: str) -> tuple[SelectorPattern, ...]:
    """Return the records of ``SELECTOR_PATTERNS`` whose pattern matches an assignment to ``name``."""
    return tuple(
        record for own, record in patterns() if own.name is None and own.key and wildcards(own.key).fullmatch(name)
    )


@lru_cache(_MAX_NAMES)
def of_call(name: str) -> tuple[tuple[CodePattern, SelectorPattern], ...]:
    """Return the code patterns that match a call of ``name``, each with its record in ``SELECTOR_PATTERNS``."""
    calls = [(own, record) for own, record in patterns() if own.name is not None and not own.is_own]
    return tuple(one for one in calls if one[0].name is not None and one[0].name.fullmatch(name))


@lru_cache(_MAX_NAMES)
def squeezed(name: str) -> str:
    """Return ``name`` in lower case without separators, so that ``MESSAGE_SELECTOR`` equals ``messageSelector``."""
    return name.lower().replace("_", "").replace("-", "")
