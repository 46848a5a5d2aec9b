"""Checks of the arguments of public functions. Their errors state what was expected and what to write instead.

An unknown choice raises ``TranspilerError``. A value of the wrong type raises ``TypeError``, because only a caller's
code, never a user's text, can pass it.
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
    """Raise ``TranspilerError`` with a hint on the most similar choice if ``value`` is not among ``choices``."""
    listed = tuple(choices)
    if value in listed:
        return
    near = nearest(value, listed) if isinstance(value, str) else []
    shown = f"{', '.join(listed[:-1])} or {listed[-1]}" if len(listed) > 1 else listed[0]
    hint, fix = (f"did you mean {near[0]!r}?", OptionFix(name, repr(near[0]))) if near else (None, None)
    raise TranspilerError.at("argument.choice", f"{name} must be {shown}, not {value!r}", hint=hint, fix=fix)


P = ParamSpec("P")
R = TypeVar("R")


def renamed(old: str, new: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for a function whose parameter ``old`` was renamed to ``new``.

    Callers can still pass the argument as ``old``, with a ``DeprecationWarning``.
    """

    def accept(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def renamed_function(*arguments: P.args, **keywords: P.kwargs) -> R:
            if old in keywords:
                text = (
                    f"{function.__name__}: the argument {old}= will be removed in the next version; use {new}= instead"
                )
                warnings.warn(text, DeprecationWarning, stacklevel=2)
                keywords[new] = keywords.pop(old)
            return function(*arguments, **keywords)

        return renamed_function

    return accept


def check_keywords(function: str, keywords: type, given: Iterable[str]) -> None:
    """Raise ``TypeError`` if ``given`` contains a keyword that is not a key of the TypedDict ``keywords``.

    ``function`` is the name of the called function in the error.
    """
    known = keywords.__annotations__
    for name in given:
        if name not in known:
            near = nearest(name, known)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def check_alias(alias: object) -> None:
    """Raise ``TypeError`` if ``alias`` is neither a string nor None, and ``TranspilerError`` if it is empty."""
    if alias is not None and not isinstance(alias, str):
        raise unexpected("alias", "the name of a table in the query", alias)
    if alias == "":
        raise TranspilerError.at(
            "argument.alias",
            "alias is empty",
            hint="perhaps pass the alias that the query gives to the table, or omit alias",
        )


def unexpected(name: str, expected: str, value: object, hint: str | None = None) -> TypeError:
    """Return the ``TypeError`` for the argument ``name``: its ``value`` does not have the ``expected`` type."""
    kind = "None" if value is None else f"a value of type {type(value).__name__}"
    return TypeError(f"{name}: expected {expected}, found {kind}{'' if hint is None else f' ({hint})'}")


def check_count(name: str, value: object, things: str) -> None:
    """Raise ``TypeError`` if ``value``, a number of ``things``, is not an integer; ``ValueError`` if it is negative."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise unexpected(name, f"a number of {things}", value)
    if value < 0:
        raise ValueError(f"{name} must be a number of {things} that is 0 or more, not {value}")


#: Pattern of the beginning of a URI. Its scheme has at least two letters, because ``C:/`` is a drive of Windows.
_URI = re.compile("[A-Za-z][A-Za-z0-9+.-]+:/")

#: Matches the end of the scheme in a URI that was passed as a ``Path``, which turns ``://`` into ``:/``.
_SLASH = re.compile("(?<=[A-Za-z0-9+.-]{2}):/(?!/)")

#: Maximum length of an argument that an error message quotes, in characters.
_MAX_QUOTED = 40


def local_path(name: str, value: object, others: str) -> Path:
    """Return the local path that the argument ``value`` names, as a path or as a ``file:`` URI.

    Raise ``TypeError`` if ``value`` cannot be a file's name, for instance because it is JSON text. Raise
    ``TranspilerError`` for a URI of another scheme. ``name`` is the parameter's name in errors, and ``others`` the hint
    how to pass such input instead.
    """
    if not isinstance(value, str | Path):
        raise unexpected(name, "a file's name", value)
    text = str(value)
    if isinstance(value, str) and (text.lstrip()[:1] in ("{", "[", "<") or "\n" in text):
        shown = f"{text.strip()[:_MAX_QUOTED]}…".replace("\n", " ")
        raise TypeError(f"{name}: expected a file's name, found a text: {shown} ({others})")
    name = text if isinstance(value, str) else _SLASH.sub("://", text)
    path = local_file(name)
    if path is None:
        raise TranspilerError.at("argument.uri", f"{one_line(name)} does not name a local file", hint=others)
    return Path(path)


def has_scheme(name: str) -> bool:
    """Return True if ``name`` begins with the scheme of a URI, and no file has this name."""
    return _URI.match(name) is not None and not os.path.exists(name)


def local_file(name: str) -> str | None:
    """Return the path of the local file ``name``, a path or a ``file:`` URI; None for a URI of another scheme."""
    if not has_scheme(name):
        return name
    scheme, path = re.split(":/+", name, maxsplit=1)
    if scheme.lower() != "file":
        return None
    from urllib.parse import unquote

    return "/" + unquote(path)
