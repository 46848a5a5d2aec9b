"""Patterns of calls and assignments in which source code keeps selectors, as text and as data.

In ``createConsumer(_, $)`` the ``$`` is the selector, ``_`` any argument but a literal of text, ``*`` any argument, and
``...`` any number of them; what stands behind the ``$`` is not looked at, but for ``_``. ``a(b = $)`` is an argument or
a member with a name, anywhere within the brackets; ``'x'`` is that literal. ``a().b($)`` is a call behind one of ``a``,
``a.b($)`` one of a member of ``a``. ``a = $`` is an assignment, a member or a named argument of any call. Names are
compared without case and underscores, ``*`` in one stands for any characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_CALL = re.compile(r"(?:(?P<before>\w+)(?P<called>\(\))?\.)?(?P<name>[\w*]+)\((?P<arguments>.*)\)")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a pattern, with its name where it has one."""

    text: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CodePattern:
    """A call in which one argument is a selector; without a name of the call, a name to which one is assigned."""

    name: re.Pattern[str] | None
    arguments: tuple[Argument, ...]
    #: The call or the member before the point.
    before: str | None = None

    @property
    def key(self) -> str | None:
        """The name of the selector's argument."""
        return next(argument.name for argument in self.arguments if argument.text == "$")

    @property
    def literals(self) -> frozenset[str]:
        """Texts that the call has to have."""
        return frozenset(
            squeezed(argument.text.strip("'")) for argument in self.arguments if argument.text.startswith("'")
        )


@cache
def read_pattern(pattern: str) -> CodePattern:
    """Return a pattern as data."""
    call = _CALL.fullmatch(pattern)
    if call is None:
        name, _, selector = pattern.partition(" = ")
        assert selector == "$", pattern
        return CodePattern(None, (Argument("$", squeezed(name)),))
    arguments = []
    for part in call["arguments"].split(", "):
        name, equals, text = part.rpartition(" = ")
        arguments.append(Argument(text, squeezed(name) if equals else None))
    named = re.compile(squeezed(call["name"]).replace("*", ".*"))
    before = None if call["before"] is None else squeezed(call["before"]) + (call["called"] or "")
    return CodePattern(named, tuple(arguments), before)


@cache
def squeezed(name: str) -> str:
    """Return a name as names are compared: ``MESSAGE_SELECTOR`` is ``messageSelector``."""
    return name.lower().replace("_", "").replace("-", "")
