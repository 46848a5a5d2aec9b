"""The patterns of places of source code (``selector_places``), read.

In a pattern ``createConsumer(_, $)`` the ``$`` is the selector, ``_`` any argument but one that begins with a literal
of text (beside one, and in a call of a function by its name alone, the selector has an operator), ``*`` any argument,
and ``...`` any number of them; what stands behind the ``$`` is not looked at, but for ``_``. ``a(..., $, ...)`` is the
first argument that is a condition, or unknown and called a selector. ``!`` is a flag, in the place where another
function of the same name takes the selector: it is that where it is a text, or may be one beside a ``$`` that is none.
``a(b = $)`` is an argument or a member with a name, anywhere within the brackets; ``'x'`` is that literal. ``a().b($)``
is a call behind one of ``a``, ``a.b($)`` one of a member of ``a``. ``a = $`` is an assignment, a member or a named
argument of any call. ``def a(b = $)`` is a call of a function that is declared with a parameter of that name,
``def a(..., $)`` the first condition in one of a declared function. Names are compared without case and underscores,
``*`` in one stands for any characters.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from transpiler.tools.lint.embedded.selector_places import PLACES, Place

_CALL = re.compile(r"(?P<own>def )?(?:(?P<before>\w+)(?P<called>\(\))?\.)?(?P<name>[\w*]+)\((?P<arguments>.*)\)")
#: Names whose patterns are kept, over all files.
_MAX_NAMES = 50_000


class CodePattern(NamedTuple):
    """A call in which one argument is a selector; without a name of the call, a name to which one is assigned.

    ``key`` is the name of the selector's argument, ``before`` the call or the member before the point.
    """

    name: re.Pattern[str] | None
    key: str | None
    arguments: tuple[str, ...] = ()
    #: Texts that the call has to have.
    literals: frozenset[str] = frozenset()
    before: str | None = None
    #: True for calls of functions that the file declares.
    is_own: bool = False

    @property
    def is_any(self) -> bool:
        """True for a pattern of calls of every name."""
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
    """Return the pattern of a name in which ``*`` stands for any characters."""
    return re.compile(squeezed(name).replace("*", ".*"))


@cache
def patterns() -> tuple[tuple[CodePattern, Place], ...]:
    """Return the patterns of the places of source code."""
    return tuple((_read_pattern(place.pattern), place) for place in PLACES if place.language == "code")


@lru_cache(_MAX_NAMES)
def of_assignment(name: str) -> tuple[Place, ...]:
    """Return the places of assignments to a name."""
    return tuple(
        place for own, place in patterns() if own.name is None and own.key and wildcards(own.key).fullmatch(name)
    )


@lru_cache(_MAX_NAMES)
def of_call(name: str) -> tuple[tuple[CodePattern, Place], ...]:
    """Return the patterns of calls of a name."""
    calls = [(own, place) for own, place in patterns() if own.name is not None and not own.is_own]
    return tuple(one for one in calls if one[0].name is not None and one[0].name.fullmatch(name))


@lru_cache(_MAX_NAMES)
def squeezed(name: str) -> str:
    """Return a name as names are compared: ``MESSAGE_SELECTOR`` is ``messageSelector``."""
    return name.lower().replace("_", "").replace("-", "")
