"""Selectors in Jupyter notebooks: in the code of each cell, and in its shell commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from transpiler.base.documents.jsontext import JSON_TOKEN, JsonTextError, load_json
from transpiler.tools.lint.embedded.code_text import find_in_code
from transpiler.tools.lint.embedded.code_tokens import FAMILIES
from transpiler.tools.lint.embedded.data_text import in_json, json_text
from transpiler.tools.lint.embedded.selector_text import InFile, MappedText, UnreadableError, joined, within
from transpiler.tools.lint.embedded.shell_text import find_in_shell

#: The file name extension by which the code of a notebook is read, for the language of its kernel. R is read like
#: Python, because their comments and string literals are similar.
_SUFFIXES = {"python": ".py", "scala": ".scala", "java": ".java", "kotlin": ".kt", "groovy": ".groovy", "r": ".py"}
#: The number of open brackets around the members of a cell: those of the notebook, its list of cells, and the cell.
_CELL = 3
_COMMAND = re.compile(r"^[ \t]*!([^\n]*)", re.MULTILINE)
_CELL_OF_SHELL = re.compile(r"\s*%%(?:sh|bash|script)\b")


def find_in_notebook(text: str) -> Iterator[InFile]:
    """Yield the selectors of the notebook ``text``; raise ``UnreadableError`` if it is not JSON."""
    try:
        notebook = load_json(text, most=None)
    except JsonTextError as error:
        raise UnreadableError(error.message, None if error.span is None else error.span.start) from None
    family = FAMILIES[_SUFFIXES.get(_language(notebook), ".py")]
    for source in _sources(text):
        if _CELL_OF_SHELL.match(source.text):
            yield from within(find_in_shell(source.text), source, in_json)
            continue
        code = source.text
        for command in _COMMAND.finditer(code):
            yield from within(find_in_shell(command[1]), source.part(*command.span(1)), in_json)
        # Replace notebook commands, such as ``%pip``, by blanks, so that the offsets of the code stay the same.
        code = _COMMAND.sub(lambda match: " " * len(match[0]), code)
        yield from within(find_in_code(code, family), source, in_json)


def _language(notebook: Any) -> str:
    metadata = notebook.get("metadata") if isinstance(notebook, Mapping) else None
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        part = metadata.get(key) if isinstance(metadata, Mapping) else None
        if isinstance(part, Mapping) and isinstance(part.get(name), str):
            return str(part[name]).lower()
    return "python"


def _sources(text: str) -> Iterator[MappedText]:
    """Yield the source of each code cell, which the notebook stores as a string or as a list of lines."""
    tokens = list(JSON_TOKEN.finditer(text))
    level, is_code = 0, False
    sources: list[MappedText] = []
    lines: list[MappedText] | None = None
    key: str | None = None
    for token, following in pairwise([*tokens, None]):
        assert token is not None
        mark = token[0]
        if lines is not None:
            if mark[0] == '"':
                lines.append(json_text(token))
            elif mark == "]":
                sources.append(joined(lines))
                lines = None
        elif mark in ("{", "["):
            if key == "source" and mark == "[":
                lines = []
            else:
                level += 1
                if mark == "{" and level == _CELL:
                    is_code, sources = False, []
        elif mark in ("}", "]"):
            if mark == "}" and level == _CELL and is_code:
                yield from sources
            level -= 1
        elif mark[0] == '"' and following is not None and following[0] == ":":
            key = mark[1:-1]
            continue
        elif mark[0] == '"' and key == "source" and level == _CELL:
            sources.append(json_text(token))
        elif mark[0] == '"' and key == "cell_type" and level == _CELL:
            is_code = mark == '"code"'
        if mark not in (":", ","):
            key = None
