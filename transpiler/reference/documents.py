"""XML documents as trees for XPath and XQuery. A text that ``message.documents`` rejects has no tree.

As in Spark's parser and data model, names are not bound to namespaces, namespace declarations are not attributes, and
text that is divided only by CDATA sections is one text node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal
from xml.parsers import expat

from transpiler.message import documents

_FORBIDDEN = re.compile(documents.FORBIDDEN)
_DOCUMENT = re.compile(documents.DOCUMENT, re.ASCII)
_NAME = re.compile(documents.NAME, re.ASCII)
_NOT_IN_NAMES = re.compile(documents.NOT_IN_TAGS, re.ASCII)


@dataclass(slots=True, eq=False)
class Node:
    """A node of XPath's data model. ``value`` is the text of a text node or of an attribute; else it is empty."""

    kind: Literal["document", "element", "attribute", "text", "other"]
    parent: Node | None = None
    #: The name with its prefix; empty for a node that is not an element or attribute.
    name: str = ""
    value: str = ""
    attributes: list[Node] = field(default_factory=list)
    content: list[Node] = field(default_factory=list)

    @property
    def local_name(self) -> str:
        """The name without its prefix, with which paths compare."""
        return self.name.rpartition(":")[2]

    def all_below(self) -> Iterator[Node]:
        """Yield this node and all nodes below it in document order, without recursion, because documents are deep."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left.extend(reversed(node.content))

    @property
    def text(self) -> str:
        """The string value of the node, as XPath defines it."""
        if self.kind in ("text", "attribute"):
            return self.value
        return "".join(node.value for node in self.all_below() if node.kind == "text")


class _NoDocumentError(Exception):
    """Error for a document with a name that is not allowed, or that exceeds a limit."""


def read_document(text: str) -> Node | None:
    """Parse ``text`` as an XML document and return the document node, the root of its tree.

    Return None if ``text`` is not a well-formed XML document that the evaluator accepts.
    """
    if _FORBIDDEN.search(text) or not _DOCUMENT.search(text):
        return None
    builder = _Builder()
    try:
        builder.parser.Parse(text.encode(), True)
    except (expat.ExpatError, UnicodeEncodeError, _NoDocumentError):
        return None
    return builder.document


class _Builder:
    def __init__(self) -> None:
        self.document = Node("document")
        self._open = [self.document]
        self.parser = parser = expat.ParserCreate("UTF-8")
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = lambda _: self._open.pop()
        parser.CharacterDataHandler = self._characters
        # In XPath's data model, a comment or processing instruction separates the text before it from the text after
        # it.
        parser.CommentHandler = parser.ProcessingInstructionHandler = self._other

    def _start(self, name: str, attributes: list[str]) -> None:
        names = attributes[::2]
        if len(self._open) > documents.MAX_LEVELS or len(names) > documents.MAX_ATTRIBUTES:
            raise _NoDocumentError
        if not all(map(_is_name, (name, *names))):
            raise _NoDocumentError
        element = Node("element", self._open[-1], name)
        for key, value in zip(names, attributes[1::2], strict=True):
            if key.partition(":")[0] != "xmlns":
                element.attributes.append(Node("attribute", element, key, value))
        self._open[-1].content.append(element)
        self._open.append(element)

    def _characters(self, data: str) -> None:
        inside = self._open[-1]
        if inside.content and inside.content[-1].kind == "text":
            inside.content[-1].value += data
        else:
            inside.content.append(Node("text", inside, value=data))

    def _other(self, *_: str) -> None:
        self._open[-1].content.append(Node("other", self._open[-1]))


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and _NOT_IN_NAMES.search(name) is None
