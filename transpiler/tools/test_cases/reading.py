"""Search for files of test cases in directories, by their names, and reading of the cases in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from transpiler.base.documents.located_values import Node, Origin, json_documents
from transpiler.base.documents.yaml_text import yaml_documents
from transpiler.base.errors import DecodeError, TranspilerError
from transpiler.base.local_files import read_file
from transpiler.base.source import Source
from transpiler.compiler.layouts.json_rows import message_from_json, message_from_json_row
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.presets import find_layout
from transpiler.language.selector.dialects import DIALECTS
from transpiler.message.message import Message


class CaseFileError(TranspilerError):
    """Raised if a file of test cases cannot be read; the span is the position of the mistake."""


Expectation = Literal["matches", "does not match", "unknown"]
_EXPECTATIONS: tuple[Expectation, ...] = get_args(Expectation)

#: The endings of the names of files with test cases, for the search in directories and for pytest.
PATTERNS = (".selectors.yaml", ".selectors.yml", ".selectors.json")
_SKIPPED = ("__pycache__", "node_modules", "venv", "build", "dist")

_SETTINGS = ("dialect", "selector", "now", "destination")
_DOCUMENT = (*_SETTINGS, "layout", "messages", "cases")
_CASE = ("name", "message", "expect", *_SETTINGS)


@dataclass(frozen=True, slots=True)
class Case:
    """A test case: a selector, a message, a dialect, and the expected result.

    - ``file`` and ``line``, counted from 1, are the location of the case.
    - ``written`` is the message as JSON.
    - ``id`` is the name of the case, followed by the dialect in brackets if the case is for several dialects.
    - ``now`` and ``destination`` are the consumer's time and address; None if the file does not set them.
    """

    id: str
    file: str
    line: int
    selector: str
    dialect: str
    message: Message = field(repr=False)
    written: str
    expected: Expectation
    now: int | None = None
    destination: str | None = None


def find_files(directory: str | Path, skipped: Callable[[OSError], object] | None = None) -> Iterator[Path]:
    """Yield the files of test cases in ``directory`` and its subdirectories, except hidden and generated directories.

    ``skipped`` is called with the error of each directory that cannot be read; None to ignore these errors.
    """
    for root, directories, files in os.walk(directory, onerror=skipped):
        directories[:] = sorted(name for name in directories if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            if name.endswith(PATTERNS):
                yield Path(root, name)


def read_cases(path: str | Path, text: str | None = None) -> tuple[Case, ...]:
    """Read the test cases of the file ``path``, or of its content ``text`` if given; ``.json`` is JSON, else YAML.

    Raises ``CaseFileError`` with line and column, and ``OSError`` if the file cannot be read.
    """
    name = str(path)
    if text is None:
        try:
            text = read_file(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError as error:
            raise CaseFileError.at(
                "cases.text", f"{name} is not valid UTF-8: the byte at offset {error.start} cannot be decoded"
            ) from None
    origin = Origin(Source(text, name), CaseFileError, "cases")
    documents = json_documents(origin) if name.endswith(".json") else yaml_documents(origin)
    messages: dict[str, Node] = {}
    return tuple(case for document in documents for case in _document(document, messages))


def _document(document: Node, messages: dict[str, Node]) -> Iterator[Case]:
    members = document.members("a document", _DOCUMENT)
    # Read all values of the document, so that a word that YAML does not read as people expect (such as ``no``) raises
    # its error even if no case uses it.
    document.plain()
    if (named := members.get("messages")) is not None:
        if not isinstance(named.value, Mapping):
            named.refuse("type", f"messages is a mapping of names to messages, found {named.kind}")
        # Named messages can be used in all later documents of the file.
        messages |= named.value
    layout = None if "layout" not in members else _layout(members["layout"])
    cases = members.get("cases")
    if cases is None:
        if "messages" not in members:
            document.refuse("cases", "this document has no cases", "add cases: with a list of them")
        return
    if not isinstance(cases.value, tuple):
        cases.refuse("type", f"cases is a list, found {cases.kind}", "begin each case with - name: …")
    for number, case in enumerate(cases.value, 1):
        yield from _case(case, number, members, messages, layout)


def _layout(node: Node) -> Layout:
    try:
        return find_layout(node.text("layout"))
    except CaseFileError:
        raise
    except TranspilerError as error:
        finding = error.diagnostics[0]
        node.refuse("layout", finding.message, finding.hint)


def _case(
    case: Node, number: int, document: Mapping[str, Node], messages: Mapping[str, Node], layout: Layout | None
) -> Iterator[Case]:
    own = case.members("a case", _CASE)
    for key in ("message", "expect"):
        if key not in own:
            case.refuse("key", f"this case has no {key}", f"add {key}: to it")
    both = {**{key: document[key] for key in _SETTINGS if key in document}, **own}
    if "selector" not in both:
        case.refuse("key", "this case has no selector", "add selector: to it, or to the document for all cases")
    name = own["name"].text("name") if "name" in own else f"case {number}"
    message, written = _message(own["message"], messages, layout)
    expected = _expected(own["expect"], own, document)
    line, _ = case.source.position(case.span.start)
    for dialect, expectation in expected.items():
        yield Case(
            f"{name}[{dialect}]" if len(expected) > 1 else name,
            case.source.name,
            line,
            both["selector"].text("selector"),
            dialect,
            message,
            written,
            expectation,
            both["now"].integer("now") if "now" in both else None,
            both["destination"].text("destination") if "destination" in both else None,
        )


def _expected(node: Node, own: Mapping[str, Node], document: Mapping[str, Node]) -> dict[str, Expectation]:
    """Return the expected result for each dialect of a case.

    ``node`` is one result for all dialects, or a mapping from dialect to result. The keys of the mapping must be the
    dialects that the case (``own``) or its document names, if it names any.
    """
    dialect_node = own.get("dialect", document.get("dialect"))
    dialects = None if dialect_node is None else _dialects(dialect_node)
    if not isinstance(node.value, Mapping):
        return dict.fromkeys(dialects or ("jms",), node.choice("expect", _EXPECTATIONS))
    by_dialect = {}
    for name, expectation in node.value.items():
        node.key(name).choice("a dialect", DIALECTS)
        if dialects is not None and name not in dialects:
            node.key(name).refuse(
                "dialect", f"{name} is not among the dialects of this case, which are {', '.join(dialects)}"
            )
        by_dialect[name] = expectation.choice("expect", _EXPECTATIONS)
    absent = [name for name in dialects or () if name not in by_dialect]
    if absent or not by_dialect:
        node.refuse("expect", f"expect says nothing for {absent[0] if absent else 'any dialect'}")
    return by_dialect


def _dialects(node: Node) -> tuple[str, ...]:
    items = node.value if isinstance(node.value, tuple) else (node,)
    if not items:
        node.refuse("dialect", "this list has no dialect")
    return tuple(dict.fromkeys(item.choice("a dialect", DIALECTS) for item in items))


def _message(node: Node, messages: Mapping[str, Node], layout: Layout | None) -> tuple[Message, str]:
    """Return the message of ``node`` and its JSON. If ``node`` is a text, it is the name of one of ``messages``."""
    if isinstance(node.value, str):
        if not messages:
            node.refuse("message", "no messages have names here", "write the message itself: {color: red}")
        node = messages[node.choice("a message's name", messages)]
    if not isinstance(node.value, Mapping):
        node.refuse("type", f"a message is a mapping, or the name of one, found {node.kind}")
    plain = node.plain()
    try:
        message = message_from_json(plain) if layout is None else message_from_json_row(plain, layout)
    except DecodeError as error:
        finding = error.diagnostics[0]
        # The message of this error begins with the path of the wrong member, such as ``properties.subject``. Report the
        # error at the location of that member, not of the whole message.
        where = node.value.get(finding.message.partition(":")[0].partition(".")[0], node)
        where.refuse("message", finding.message, finding.hint)
    return message, json.dumps(plain, ensure_ascii=False)
