"""Checks of the arguments of public functions: a mistake is answered with what was expected and what to write.

An unknown choice is a ``TranspilerError``; a value of another type is a ``TypeError``, since no text of a user made it.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from transpiler.base.diagnostics import OptionFix, nearest, one_line
from transpiler.base.errors import TranspilerError


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise ``TranspilerError`` with the nearest choice for a value that is none of them."""
    listed = tuple(choices)
    if value in listed:
        return
    near = nearest(value, listed) if isinstance(value, str) else []
    shown = f"{', '.join(listed[:-1])} or {listed[-1]}" if len(listed) > 1 else listed[0]
    hint, fix = (f"did you mean {near[0]!r}?", OptionFix(name, repr(near[0]))) if near else (None, None)
    raise TranspilerError.at("argument.choice", f"{name} is {shown}, not {value!r}", hint=hint, fix=fix)


P = ParamSpec("P")
R = TypeVar("R")


def renamed(old: str, new: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function accept the keyword ``old`` for its parameter ``new``, with a ``DeprecationWarning``."""

    def accept(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def renamed_function(*arguments: P.args, **keywords: P.kwargs) -> R:
            if old in keywords:
                text = f"{function.__name__}: write {new}= in place of {old}=, which ends with this version"
                warnings.warn(text, DeprecationWarning, stacklevel=2)
                keywords[new] = keywords.pop(old)
            return function(*arguments, **keywords)

        return renamed_function

    return accept


def check_keywords(function: str, keywords: type, given: Iterable[str]) -> None:
    """Raise ``TypeError`` for a keyword of a call that is no key of the TypedDict ``keywords``."""
    known = keywords.__annotations__
    for name in given:
        if name not in known:
            near = nearest(name, known)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def check_alias(alias: object) -> None:
    """Raise ``TypeError`` for a table's name that is no text, ``TranspilerError`` for an empty one."""
    if alias is not None and not isinstance(alias, str):
        raise unexpected("alias", "the name of a table in the query", alias)
    if alias == "":
        raise TranspilerError.at(
            "argument.alias", "alias is empty", hint="perhaps name the table as the query does, or leave it out"
        )


def unexpected(name: str, expected: str, value: object, hint: str | None = None) -> TypeError:
    """Return the error of an argument that has another type than expected."""
    kind = "None" if value is None else f"a value of type {type(value).__name__}"
    return TypeError(f"{name}: expected {expected}, found {kind}{'' if hint is None else f' ({hint})'}")


def check_count(name: str, value: object, things: str) -> None:
    """Raise ``TypeError`` for what is no number of some things, and ``ValueError`` for a negative one."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise unexpected(name, f"a number of {things}", value)
    if value < 0:
        raise ValueError(f"{name} is a number of {things} from 0, not {value}")


#: The beginning of a URI; a letter alone is a drive.
_URI = re.compile("[A-Za-z][A-Za-z0-9+.-]+:/")

#: The end of the scheme in a ``Path`` of a URI, which has lost a slash.
_SLASH = re.compile("(?<=[A-Za-z0-9+.-]{2}):/(?!/)")

#: The error of a URI of another place.
ELSEWHERE = "is on no file system of this machine"

#: Characters of an argument in an error.
_SHOWN = 40


def local_path(name: str, value: object, others: str) -> Path:
    """Return the path of a file on this machine, which ``file:`` may stand before.

    ``TypeError`` for what is no name of a file, as a text that begins with a brace, and ``TranspilerError`` for a URI
    of another place; ``others`` is the way to read that.
    """
    if not isinstance(value, str | Path):
        raise unexpected(name, "a file's name", value)
    text = str(value)
    if isinstance(value, str) and (text.lstrip()[:1] in ("{", "[", "<") or "\n" in text):
        shown = f"{text.strip()[:_SHOWN]}…".replace("\n", " ")
        raise TypeError(f"{name}: expected a file's name, found a text: {shown} ({others})")
    name = text if isinstance(value, str) else _SLASH.sub("://", text)
    path = local_file(name)
    if path is None:
        raise TranspilerError.at("argument.uri", f"{one_line(name)} {ELSEWHERE}", hint=others)
    return Path(path)


def has_scheme(name: str) -> bool:
    """Return True for a URI; a file of such a name is none."""
    return _URI.match(name) is not None and not os.path.exists(name)


def local_file(name: str) -> str | None:
    """Return the name of a file on this machine, which ``file:`` may stand before; None for a URI of another place."""
    if not has_scheme(name):
        return name
    scheme, path = re.split(":/+", name, maxsplit=1)
    if scheme.lower() != "file":
        return None
    from urllib.parse import unquote

    return "/" + unquote(path)
