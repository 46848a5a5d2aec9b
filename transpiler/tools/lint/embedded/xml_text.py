"""Selectors in XML: configurations of Artemis and ActiveMQ, deployment descriptors, Spring contexts.

Expat reports where an element begins and ends. This module decodes the text between, to know the position of each
character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from transpiler.base.source import Span
from transpiler.tools.lint.embedded.selector_patterns import find_pattern, step
from transpiler.tools.lint.embedded.selector_text import (
    Escape,
    InFile,
    MappedText,
    UnreadableError,
    UnreadSelector,
    decoded,
    joined,
    plain,
    selectors_at,
    within,
)

#: A tag up to the ``>`` that ends it; a ``>`` inside an attribute value does not end it.
_TAG = re.compile(r"""(?:[^"'>]|"[^"]*"|'[^']*')*+>""")
_ATTRIBUTE = re.compile(r"""\s(?P<name>[^\s=/>"']+)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""")
_REFERENCE = re.compile(
    r"&(?:#x(?P<hex>[0-9a-fA-F]+)|#(?P<decimal>[0-9]+)|(?P<name>lt|gt|amp|quot|apos));|<!--.*?-->", re.DOTALL
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
#: Elements of EJB deployment descriptors that contain the name and the value of a property, in the normal form of
#: steps.
_NAME, _VALUE = "activationconfigpropertyname", "activationconfigpropertyvalue"
#: Regular expressions for XML namespaces of brokers, each with the broker's dialect.
_BROKERS = (
    (re.compile(r"activemq\.apache\.org/schema"), "activemq"),
    (re.compile(r"urn:activemq|messaging-activemq"), "artemis"),
)


#: ``_NEAR_SELECTORS`` matches words near which XML may have a selector; other XML is not parsed. ``_CERTAIN_SELECTORS``
#: matches text that shows that there is a selector, even if the XML is not well-formed.
_NEAR_SELECTORS = re.compile(r"selector|<(?:[\w-]+:)?filter\b|\bfilter=", re.IGNORECASE)
_CERTAIN_SELECTORS = re.compile(
    r"(?:message|jms)-?selector|\b(?:jms|amq):[^<>]*\bselector\s*=|<filter\s+string\b", re.IGNORECASE
)
#: Name of the element that is wrapped around the XML of a string literal, so that it has a single root.
_AROUND = "literal"


@dataclass(slots=True)
class _Element:
    """An open XML element: the path to it, the offsets of its start tag, and the namespaces of its prefixes."""

    path: tuple[str, ...] = ()
    content: int = 0
    begin: int = 0
    namespaces: Mapping[str, str] = field(default_factory=dict)
    #: The dialect of the broker to whose namespace this element, or an element around it, belongs; else None.
    dialect: str | None = None
    #: True if an element inside this element has been read.
    has_children: bool = False
    #: For an element that defines a property, the name of the property: the text of an element ``_NAME`` (EJB), or the
    #: attribute ``name`` (Spring).
    property_name: str = ""
    #: True if the value of the property has been read as text.
    has_value: bool = False
    #: True if the property has a value that is not text: an attribute such as ``ref``, or an element.
    is_given: bool = False


@dataclass(slots=True)
class _Reader:
    text: str
    # The text is already decoded, so the encoding of its XML declaration has to be ignored.
    parser: expat.XMLParserType = field(default_factory=lambda: expat.ParserCreate("utf-8"))
    offsets: _ByteOffsets = field(init=False)
    #: The open elements from the root to the current one, after an entry for the document itself.
    opened: list[_Element] = field(default_factory=lambda: [_Element()])
    selectors: list[InFile] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.offsets = _ByteOffsets(self.text.encode("utf-8", "surrogatepass"))
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end

    def read(self) -> UnreadableError | None:
        """Read the document; return an error if it is not well-formed XML, else None."""
        try:
            self.parser.Parse(self.offsets.data, True)
        except expat.ExpatError as error:
            message = f"this is not XML: {expat.errors.messages[error.code]}"
            return UnreadableError(message, self.offsets.characters(self.parser.ErrorByteIndex))
        return None

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        begin, parent = self.offsets.characters(self.parser.CurrentByteIndex), self.opened[-1]
        declared = {key[5:].lstrip(":"): uri for key, uri in attributes.items() if key.startswith("xmlns")}
        namespaces = {**parent.namespaces, **declared} if declared else parent.namespaces
        prefix, _, local = name.rpartition(":")
        namespace = namespaces.get(prefix, prefix)
        dialect = next((broker for pattern, broker in _BROKERS if pattern.search(namespace)), parent.dialect)
        tag = _TAG.match(self.text, begin)
        behind = len(self.text) if tag is None else tag.end()
        element = _Element((*parent.path, step(local, namespace)), behind, begin, namespaces, dialect)
        parent.has_children = True
        parent.is_given |= step(local) not in (":null", ":description")
        self.opened.append(element)
        if attributes:
            self._attribute_selectors(_attributes(self.text[begin:behind], begin), element)

    def end(self, name: str) -> None:  # noqa: ARG002
        element = self.opened.pop()
        close = self.offsets.characters(self.parser.CurrentByteIndex)
        if not element.has_children and close >= element.content:
            self._content(element, self.opened[-1], close)
        path = (*element.path, *_named(element.property_name))
        is_given = element.is_given and not element.has_value
        if element.property_name and is_given and find_pattern(path, "xml") is not None:
            # The value of the element is a bean or an expression, so the text of the selector is not known in this
            # file.
            self.selectors.append(UnreadSelector(element.begin))

    def _content(self, element: _Element, parent: _Element, close: int) -> None:
        name = element.path[-1].rpartition(":")[2]
        if name == _NAME or (name == "name" and parent.path[-1:] and parent.path[-1].endswith(":property")):
            parent.property_name = self.text[element.content : close].strip()
            return
        holder = parent if name in (_VALUE, "value") else element
        holder.has_value |= name in (_VALUE, "value", "null") or close > element.content
        text = _decoded(self.text[element.content : close], element.content)
        self._add(text, _named(holder.property_name), element, _in_content)

    def _attribute_selectors(self, attributes: Mapping[str, MappedText], element: _Element) -> None:
        name, value = attributes.get("name"), attributes.get("value")
        if name is not None:
            element.property_name = name.text
            element.has_value, element.is_given = value is not None, len(attributes) > 1
            if value is not None:
                self._add(value, _named(name.text), element, escape)
        for key, text in attributes.items():
            if key != "value" or name is None:
                self._add(text, [step(key)], element, escape)

    def _add(self, value: MappedText, last: list[str], element: _Element, escaping: Escape) -> None:
        path = (*element.path, *last)
        self.selectors += selectors_at(path, value, escaping, "xml", broker=element.dialect)


def _named(name: str) -> list[str]:
    return [step(part) for part in name.split(".")] if name else []


def _in_content(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape(text: str) -> str:
    """Return ``text`` with the characters escaped as in an XML attribute."""
    return _in_content(text).replace('"', "&quot;")


def is_xml(text: str) -> bool:
    """Return True if ``text`` begins like XML and may contain a selector."""
    return text.lstrip().startswith("<") and _NEAR_SELECTORS.search(text) is not None


def find_in_xml_literal(value: MappedText, escaping: Escape) -> Iterator[InFile]:
    """Yield the selectors of the XML in ``value``, a string literal of another file; it may have several root elements.

    If the XML is not well-formed from some position on, a selector after that position is yielded as an
    ``UnreadSelector``.
    """
    text = value.text.strip()
    begin = value.text.find(text)
    inner = value.part(begin, begin + len(text))
    if not text.startswith(("<?", "<!")):
        at = inner.location(Span(0, 0)).start
        tags = [MappedText(tag, [at] * len(tag), [at] * len(tag), at) for tag in (f"<{_AROUND}>", f"</{_AROUND}>")]
        inner = joined([tags[0], inner, tags[1]])
    reader = _Reader(inner.text)
    error = reader.read()
    yield from within(iter(reader.selectors), inner, escaping)
    if error is None or error.offset is None:
        return
    # The parser stops at the error. Search from the ``<`` before it, because the tag with the error may contain the
    # selector.
    behind = max(inner.text.rfind("<", 0, error.offset), 0)
    if _CERTAIN_SELECTORS.search(inner.text, behind):
        yield UnreadSelector(inner.location(Span(behind, behind)).start, whence="XML in source code")


def find_in_xml(text: str) -> Iterator[InFile]:
    """Yield the selectors of the XML document ``text``; raise ``UnreadableError`` if it is not well-formed."""
    reader = _Reader(text)
    error = reader.read()
    if error is not None:
        raise error
    yield from reader.selectors


class _ByteOffsets:
    """A converter from byte offsets in UTF-8 to offsets in code points.

    It is fast if the offsets are requested in ascending order.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._byte = self._character = 0

    def characters(self, byte: int) -> int:
        if byte < self._byte:
            self._byte = self._character = 0
        self._character += len(self.data[self._byte : byte].decode(errors="ignore"))
        self._byte = byte
        return self._character


def _attributes(tag: str, begin: int) -> dict[str, MappedText]:
    attributes = {}
    for match in _ATTRIBUTE.finditer(tag):
        group = "double" if match["double"] is not None else "single"
        attributes[match["name"].rpartition(":")[2]] = _decoded(match[group], begin + match.start(group))
    return attributes


def _decoded(raw: str, start: int) -> MappedText:
    parts, index = [], 0
    for section in _CDATA.finditer(raw):
        parts.append(decoded(raw[index : section.start()], start + index, _REFERENCE, _character))
        parts.append(plain(section[1], start + section.start(1)))
        index = section.end()
    mapped = joined([*parts, decoded(raw[index:], start + index, _REFERENCE, _character)])
    # Strip the text, because an element's text is often on lines of its own.
    text = mapped.text
    return mapped.part(len(text) - len(text.lstrip()), len(text.rstrip())) if text.strip() else plain("", start)


def _character(match: re.Match[str]) -> str:
    if match["name"]:
        return _NAMED[match["name"]]
    number = int(match["hex"], 16) if match["hex"] else int(match["decimal"]) if match["decimal"] else None
    return "" if number is None or number > 0x10FFFF else chr(number)
