"""Prose under keys that usually contain selectors: in files of translations, documentation and program messages.

In such a file, a text that does not parse and has no operator is prose. In any other file, the same text is treated as
a selector with a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import PurePath

from transpiler.base.documents.jsontext import JSON_TOKEN
from transpiler.base.errors import TranspilerError
from transpiler.language.selector.parsing import parse_selector
from transpiler.tools.lint.embedded.selector_patterns import has_operator
from transpiler.tools.lint.embedded.selector_text import FoundSelector, InFile

_FILES = frozenset({".properties", ".json", ".yaml", ".yml", ".xml"})
#: ``_WORDS`` are words in names of files and directories with texts for people. ``_LANGUAGE`` matches the end of a
#: translation's file name.
_WORDS = frozenset(
    "message messages string strings label labels text texts i18n l10n lang locale locales translation translations"
    " errors help bundle nls doc docs toc".split()
)
_LANGUAGE = re.compile(r"(?:^|[._-])[a-z]{2}(?:[_-][A-Z]{2})?$")
#: The beginning of the XML documentation files that .NET compilers write.
_DOCUMENTATION = re.compile(r"<doc\b[^>]*>\s*<(?:assembly|members)\b")
_VALUE = re.compile(r"^\s*(?:-\s+)?[\w.\[\]-]+\s*[=:]\s*(?P<value>[^\s#].*)$", re.MULTILINE)


def without_prose(selectors: Iterable[InFile], text: str, name: str) -> Iterator[InFile]:
    """Yield ``selectors``, without sentences for people if the file ``name`` is a translation or documentation.

    In such a file, a text that looks like a condition is often a sentence.
    """
    is_of_texts: bool | None = None
    for one in selectors:
        if isinstance(one, FoundSelector) and PurePath(name).suffix.lower() in _FILES and _is_prose(one.mapped.text):
            if is_of_texts is None:
                is_of_texts = _is_of_texts(text, name)
            if is_of_texts:
                continue
        yield one


def _is_prose(text: str) -> bool:
    if has_operator(text):
        return False
    try:
        parse_selector(text)
    except TranspilerError:
        return True
    return False


def _is_of_texts(text: str, name: str) -> bool:
    path = PurePath(name)
    words = {word for part in (*path.parts[:-1], path.stem) for word in re.split(r"[^a-z0-9]+", part.lower())}
    if words & _WORDS or _LANGUAGE.search(path.stem) or _DOCUMENTATION.search(text):
        return True
    values = list(_values(text, path.suffix.lower()))
    return 2 * sum(len(value.split()) > 2 and not has_operator(value) for value in values) > len(values) > 1


def _values(text: str, suffix: str) -> Iterator[str]:
    """Yield the string values of ``text``, a JSON, YAML or properties file, found by a fast approximate search.

    Nothing is yielded for XML. ``suffix`` is the file name extension.
    """
    if suffix == ".json":
        for token, following in pairwise([*JSON_TOKEN.finditer(text), None]):
            if token is not None and token[0][0] == '"' and (following is None or following[0] != ":"):
                yield token[0][1:-1]
    elif suffix != ".xml":
        yield from (match["value"] for match in _VALUE.finditer(text))
