"""Selectors in XML: the configurations of Artemis and ActiveMQ, deployment descriptors, Spring's contexts.

Expat says where an element begins and ends; the text between is decoded here, so that each character has its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from transpiler.base.source import Span
from transpiler.tools.lint.embedded.selector_places import find_place, step
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

#: A tag up to the ``>`` that ends it, which is none inside attribute values.
_TAG = re.compile(r"""(?:[^"'>]|"[^"]*"|'[^']*')*+>""")
_ATTRIBUTE = re.compile(r"""\s(?P<name>[^\s=/>"']+)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""")
_REFERENCE = re.compile(
    r"&(?:#x(?P<hex>[0-9a-fA-F]+)|#(?P<decimal>[0-9]+)|(?P<name>lt|gt|amp|quot|apos));|<!--.*?-->", re.DOTALL
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
#: Elements that hold a name and a value in elements of their own: deployment descriptors of EJB, which have such
#: elements ``property`` too.
_NAME, _VALUE = "activationconfigpropertyname", "activationconfigpropertyvalue"
#: Brokers by what the namespaces of a file have in them.
_BROKERS = (
    (re.compile(r"activemq\.apache\.org/schema"), "activemq"),
    (re.compile(r"urn:activemq|messaging-activemq"), "artemis"),
)


#: Signs of selectors in XML, and those that a text which is none has for sure.
_NEAR_SELECTORS = re.compile(r"selector|<(?:[\w-]+:)?filter\b|\bfilter=", re.IGNORECASE)
_SURE_SELECTORS = re.compile(
    r"(?:message|jms)-?selector|\b(?:jms|amq):[^<>]*\bselector\s*=|<filter\s+string\b", re.IGNORECASE
)
#: The element around those of a literal.
_AROUND = "literal"


@dataclass(slots=True)
class _Element:
    """An open element: the steps to it, the end of its start tag, and the namespaces of its prefixes."""

    path: tuple[str, ...] = ()
    content: int = 0
    begin: int = 0
    namespaces: Mapping[str, str] = field(default_factory=dict)
    #: The dialect of the broker whose namespace it is in, or an element around it.
    dialect: str | None = None
    #: True once it has an element inside.
    has_children: bool = False
    #: The text of the last element called ``_NAME``, and of the attribute ``name`` of a Spring property.
    property_name: str = ""
    #: True once a text stood in the place of its value.
    has_value: bool = False
    #: True if it has a value in another form: an attribute such as ``ref``, or an element.
    is_given: bool = False


@dataclass(slots=True)
class _Reader:
    text: str
    # The text is decoded already, whatever its declaration says.
    parser: expat.XMLParserType = field(default_factory=lambda: expat.ParserCreate("utf-8"))
    offsets: _ByteOffsets = field(init=False)
    #: The document and the elements that are open.
    opened: list[_Element] = field(default_factory=lambda: [_Element()])
    selectors: list[InFile] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.offsets = _ByteOffsets(self.text.encode("utf-8", "surrogatepass"))
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end

    def read(self) -> UnreadableError | None:
        """Read the document, and return the error of one that is no XML."""
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
        if element.property_name and is_given and find_place(path, "xml") is not None:
            # A bean, or an expression, gives the value.
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
    """Return a text as it stands in an attribute."""
    return _in_content(text).replace('"', "&quot;")


def is_xml(text: str) -> bool:
    """Return True for a text that begins as XML does, which may have a selector."""
    return text.lstrip().startswith("<") and _NEAR_SELECTORS.search(text) is not None


def find_in_xml_literal(value: MappedText, escaping: Escape) -> Iterator[InFile]:
    """Yield the selectors of XML in a literal of another file, elements without one around them too.

    Where it stops to be XML, a selector behind that place is told to be unread.
    """
    text = value.text.strip()
    begin = value.text.find(text)
    inner = value.part(begin, begin + len(text))
    if not text.startswith(("<?", "<!")):
        at = inner.place(Span(0, 0)).start
        tags = [MappedText(tag, [at] * len(tag), [at] * len(tag), at) for tag in (f"<{_AROUND}>", f"</{_AROUND}>")]
        inner = joined([tags[0], inner, tags[1]])
    reader = _Reader(inner.text)
    error = reader.read()
    yield from within(iter(reader.selectors), inner, escaping)
    if error is None or error.offset is None:
        return
    # The tag that is not whole is behind it, too.
    behind = max(inner.text.rfind("<", 0, error.offset), 0)
    if _SURE_SELECTORS.search(inner.text, behind):
        yield UnreadSelector(inner.place(Span(behind, behind)).start, whence="XML in source code")


def find_in_xml(text: str) -> Iterator[InFile]:
    """Yield the selectors of an XML document; ``UnreadableError`` where it is none."""
    reader = _Reader(text)
    error = reader.read()
    if error is not None:
        raise error
    yield from reader.selectors


class _ByteOffsets:
    """Offsets in UTF-8 as offsets in code points; they are asked for in ascending order."""

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
