"""Selectors in XML: the configurations of Artemis and ActiveMQ, deployment descriptors, Spring's contexts.

Expat says where an element begins and ends; the text between is decoded here, so that each character has its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from transpiler.lint.embedded.keys import dialect_of, is_complete
from transpiler.lint.embedded.mapped_text import MappedText, decoded, joined, plain
from transpiler.lint.embedded.selector_text import FoundSelector, UnreadableError

_ATTRIBUTE = re.compile(r"""\s(?P<name>[^\s=/>"']+)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""")
_REFERENCE = re.compile(
    r"&(?:#x(?P<hex>[0-9a-fA-F]+)|#(?P<decimal>[0-9]+)|(?P<name>lt|gt|amp|quot|apos));|<!--.*?-->", re.DOTALL
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
#: Elements of Artemis that hold ``<filter string="…"/>``. Other tools have elements of that name too.
_FILTERED = frozenset({"queue", "divert", "bridge", "connector-service", "federation"})
#: Elements that hold a name and a value in elements of their own: deployment descriptors of EJB.
_NAME, _VALUE = "activation-config-property-name", "activation-config-property-value"


@dataclass(slots=True)
class _Element:
    """An open element: its name without prefix, the end of its start tag, and its attributes."""

    name: str
    content: int
    attributes: Mapping[str, MappedText]
    #: True once it has an element inside.
    has_children: bool = False
    #: The text of the last element called ``_NAME``, and of the attribute ``name`` of a Spring property.
    property_name: str = ""


@dataclass(slots=True)
class _Reader:
    text: str
    parser: expat.XMLParserType
    dialect: str | None = None
    offsets: _ByteOffsets = field(init=False)
    opened: list[_Element] = field(default_factory=list)
    selectors: list[FoundSelector] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.offsets = _ByteOffsets(self.text)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        local, begin = name.rpartition(":")[2], self.offsets.characters(self.parser.CurrentByteIndex)
        if not self.opened:
            self.dialect = _dialect(local, attributes)
        behind = _end_of_tag(self.text, begin)
        parent = self.opened[-1] if self.opened else None
        element = _Element(local, behind, _attributes(self.text[begin:behind], begin) if attributes else {})
        if parent is not None:
            parent.has_children = True
        self.opened.append(element)
        self._attribute_selectors(element, parent)

    def end(self, name: str) -> None:  # noqa: ARG002
        element = self.opened.pop()
        parent = self.opened[-1] if self.opened else None
        if element.has_children or parent is None:
            return
        close = self.offsets.characters(self.parser.CurrentByteIndex)
        if close < element.content:
            return
        if element.name == _NAME:
            parent.property_name = self.text[element.content : close].strip()
            return
        named = parent.property_name if element.name in (_VALUE, "value") else element.name
        if dialect_of([parent.name, named])[0]:
            self._add(_decoded(self.text[element.content : close], element.content), dialect_of([named])[1])

    def _attribute_selectors(self, element: _Element, parent: _Element | None) -> None:
        attributes = element.attributes
        if (
            element.name == "filter"
            and set(attributes) == {"string"}
            and parent is not None
            and parent.name in _FILTERED
        ):
            self._add(attributes["string"], "artemis")
            return
        if element.name == "selector" and set(attributes) == {"string"}:
            self._add(attributes["string"], "artemis")
            return
        name = attributes.get("name")
        if name is not None:
            element.property_name = name.text
            if "value" in attributes and dialect_of([element.name, name.text])[0]:
                self._add(attributes["value"], dialect_of([name.text])[1])
        for key, value in attributes.items():
            # In these elements the plain name is that of a JMS selector.
            of_jms = element.name in ("filteredDestination", "listener", "jms-listener") and key == "selector"
            if of_jms or dialect_of([element.name, key])[0]:
                self._add(value, dialect_of([key])[1])

    def _add(self, value: MappedText, dialect: str | None) -> None:
        if is_complete(value.text):
            self.selectors.append(FoundSelector(value, dialect or self.dialect))


def find_in_xml(text: str) -> Iterator[FoundSelector]:
    """Yield the selectors of an XML document; ``UnreadableError`` where it is none."""
    # The text is decoded already, whatever its declaration says.
    parser = expat.ParserCreate("utf-8")
    reader = _Reader(text, parser)
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        message = f"this is not XML: {expat.errors.messages[error.code]}"
        raise UnreadableError(message, reader.offsets.characters(parser.ErrorByteIndex)) from None
    yield from reader.selectors


class _ByteOffsets:
    """Offsets in UTF-8 as offsets in code points; they are asked for in ascending order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ascii = text.isascii()
        self._byte = self._character = 0

    def characters(self, byte: int) -> int:
        if self._ascii:
            return byte
        if byte < self._byte:
            self._byte = self._character = 0
        while self._byte < byte:
            # A step that is never too far: no character has more than four bytes.
            step = max(1, (byte - self._byte) // 4)
            part = self._text[self._character : self._character + step]
            self._byte += len(part.encode("utf-8", "surrogatepass"))
            self._character += step
        return self._character


def _dialect(root: str, attributes: Mapping[str, str]) -> str | None:
    """Return the dialect of a broker's configuration by its root element."""
    namespaces = [value for name, value in attributes.items() if name.startswith("xmlns")]
    if root in ("configuration", "core") and any(value.startswith("urn:activemq") for value in namespaces):
        return "artemis"
    if any("activemq.apache.org/schema" in value for value in namespaces):
        return "activemq"
    return None


def _end_of_tag(text: str, begin: int) -> int:
    """Return the offset behind the > of a start tag; one in an attribute's value does not count."""
    place, quote = begin, ""
    while place < len(text):
        character = text[place]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == ">":
            return place + 1
        place += 1
    return place


def _attributes(tag: str, begin: int) -> dict[str, MappedText]:
    attributes = {}
    for match in _ATTRIBUTE.finditer(tag):
        group = "double" if match["double"] is not None else "single"
        attributes[match["name"].rpartition(":")[2]] = _decoded(match[group], begin + match.start(group))
    return attributes


def _decoded(raw: str, start: int) -> MappedText:
    parts, place = [], 0
    for section in _CDATA.finditer(raw):
        parts.append(decoded(raw[place : section.start()], start + place, _REFERENCE, _character))
        parts.append(plain(section[1], start + section.start(1)))
        place = section.end()
    mapped = joined([*parts, decoded(raw[place:], start + place, _REFERENCE, _character)])
    # Elements often stand on lines of their own, with blanks around the text.
    text = mapped.text
    return mapped.part(len(text) - len(text.lstrip()), len(text.rstrip())) if text.strip() else plain("", start)


def _character(match: re.Match[str]) -> str:
    if match["name"]:
        return _NAMED[match["name"]]
    number = int(match["hex"], 16) if match["hex"] else int(match["decimal"]) if match["decimal"] else None
    return "" if number is None or number > 0x10FFFF else chr(number)
