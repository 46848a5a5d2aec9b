"""XML configurations as elements with their locations in the file.

Expat parses the file. It resolves only the five predefined entities and character references, and reads no external
file; a document that declares entities is rejected. In texts and attributes, ``${name}`` and ``${name:default}`` are
replaced by properties from the caller. A placeholder without a value raises an error only when its text is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from transpiler.base.diagnostics import Diagnostic, Remedy, meant
from transpiler.base.errors import TopologyError
from transpiler.base.source import Source, Span

#: A placeholder in the configuration of ActiveMQ or Artemis: its name, and the default after a colon.
_PLACEHOLDER = re.compile(r"\$\{([^}:]*)(?::([^}]*))?\}")

#: Maximum depth of nested elements. Configurations of brokers have about ten levels.
MAX_DEPTH = 200


@dataclass(slots=True)
class XmlDocument:
    """An XML file. ``properties`` are the values of its placeholders by name.

    ``label`` stands before the locations of the elements; it is empty unless another file includes this one.
    """

    source: Source
    properties: Mapping[str, str] = field(default_factory=dict)
    label: str = ""

    def span(self, byte: int) -> Span:
        """Return the span of the tag at the offset ``byte`` of the UTF-8 text, up to the end of the tag or line."""
        text = self.source.text
        start = len(text.encode()[:byte].decode(errors="ignore"))
        ends = [location + size for mark, size in ((">", 1), ("\n", 0)) if (location := text.find(mark, start)) >= 0]
        return Span(start, max(min(ends, default=len(text)), start + 1))


@dataclass(slots=True, eq=False)
class Element:
    """An XML element: its name without a namespace prefix, its attributes, its child elements and its own raw text."""

    document: XmlDocument
    name: str
    byte: int
    #: The line and column of the element, from 1.
    line: int
    column: int
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    raw: str = ""
    #: For an element that includes a file, the reason why the file was not read.
    unread: str | None = None

    @property
    def location(self) -> str:
        """The text ``line:column`` of the element, after the name of its file if another file includes it."""
        return f"{self.document.label}{self.line}:{self.column}"

    @property
    def span(self) -> Span:
        """The span of the element's tag in its file."""
        return self.document.span(self.byte)

    @property
    def text(self) -> str:
        """The element's own text without surrounding white space, with its placeholders replaced."""
        return self.resolved(self.raw.strip())

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the attribute ``name`` with its placeholders replaced, or ``default`` if it is absent."""
        value = self.attributes.get(name)
        return default if value is None else self.resolved(value)

    def require(self, name: str) -> str:
        """Return the attribute ``name``; raise ``TopologyError`` if it is absent."""
        value = self.get(name)
        if value is None:
            self.refuse("topology.missing", f"<{self.name}> has no attribute {name}")
        return value

    def flag(self, name: str, default: bool) -> bool:
        """Return the boolean of the child element or attribute ``name``; ``default`` if it is absent or empty.

        Any text except "true" means False.
        """
        value = (self.value(name) or "").strip().lower()
        return default if value == "" else value == "true"

    def child(self, name: str) -> Element | None:
        """Return the first child element ``name``; None if there is no such child."""
        return next(self.named(name), None)

    def child_text(self, name: str) -> str | None:
        """Return the text of the first child element ``name``; None if there is no such child."""
        child = self.child(name)
        return None if child is None else child.text

    def value(self, *names: str) -> str | None:
        """Return the text of the first child element or attribute in ``names`` that exists; None if none exists."""
        found = (self.get(name) if (text := self.child_text(name)) is None else text for name in names)
        return next((text for text in found if text is not None), None)

    def named(self, *names: str) -> Iterator[Element]:
        """Yield the child elements whose name is in ``names``, in order."""
        return (child for child in self.children if child.name in names)

    def walk(self) -> Iterator[Element]:
        """Yield this element and all elements inside it, in document order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)

    def only(self, *names: str) -> None:
        """Raise an error for the first attribute that is not in ``names``; the broker's schema rejects it, too.

        Namespace declarations and attributes with a prefix are allowed.
        """
        for name in self.attributes:
            if name not in names and ":" not in name and name != "xmlns":
                hint, fix = meant(name, names, self.name)
                hint = hint or f"the attributes are {', '.join(sorted(names))}"
                self.refuse("topology.unknown", f"<{self.name}> has no attribute {name!r}", hint, fix)

    def refuse(self, code: str, message: str, hint: str | None = None, fix: Remedy | None = None) -> NoReturn:
        """Raise ``TopologyError`` at the location of this element."""
        raise TopologyError.at(code, message, self.document.source, self.span, hint, fix)

    def warning(self, code: str, message: str, hint: str | None = None) -> Diagnostic:
        """Return a warning at the location of this element."""
        return Diagnostic(code, "warning", message, self.document.source, self.span, hint)

    def not_computed(self, what: str) -> Diagnostic:
        """Return a warning that this element affects routing, but that this library ignores it.

        ``what`` describes the element and its effect.
        """
        return self.warning("topology.not-computed", f"{what}, which is ignored here")

    def elsewhere(self, effects: Mapping[str, str]) -> list[Diagnostic]:
        """Return a warning for each non-empty child element that affects routing, but that this library ignores.

        ``effects`` maps the names of such elements to a description of their effect.
        """
        listed = (child for child in self.children if child.name in effects and (child.children or child.attributes))
        return [child.not_computed(f"<{child.name}>: {effects[child.name]}") for child in listed]

    def resolved(self, text: str) -> str:
        """Replace the placeholders in ``text``, such as ``${name}``.

        Raise ``TopologyError`` for a placeholder without a value.
        """

        def value(match: re.Match[str]) -> str:
            given = self.document.properties.get(match[1], match[2])
            if given is None:
                self.refuse(
                    "topology.placeholder",
                    f"${{{match[1]}}} in <{self.name}> has no value",
                    f"give the property a value: --property {match[1]}=VALUE",
                )
            return given

        return _PLACEHOLDER.sub(value, text) if "${" in text else text


def read_xml(source: Source, properties: Mapping[str, str] | None = None) -> Element:
    """Parse an XML document and return its root element.

    ``properties`` contains the values of placeholders such as ``${name}``. Raise ``TopologyError`` with the line and
    column if the document is not well formed.
    """
    return parse_xml(XmlDocument(source, properties or {}))


def parse_xml(document: XmlDocument) -> Element:
    """Parse ``document`` and return its root element. Raise ``TopologyError`` if it is not well formed."""
    return _Reader(document).read()


class _Reader:
    def __init__(self, document: XmlDocument) -> None:
        self._document = document
        self._parser = expat.ParserCreate("UTF-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity
        self._open: list[Element] = []
        self._root: Element | None = None

    def read(self) -> Element:
        source = self._document.source
        # The parser receives UTF-8 bytes of the decoded text. So blank out the encoding in the XML declaration, which
        # no longer applies.
        text = re.sub(r"^(\s*<\?xml[^>]*?)\sencoding\s*=\s*(\"[^\"]*\"|'[^']*')", _blanked, source.text)
        try:
            self._parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            byte = self._parser.ErrorByteIndex
            message = f"this is not well-formed XML: {expat.ErrorString(error.code)}"
            raise TopologyError.at("topology.xml", message, source, self._document.span(max(byte, 0))) from None
        assert self._root is not None
        return self._root

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        parser = self._parser
        location = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        element = Element(self._document, local, parser.CurrentByteIndex, *location, attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)
        if len(self._open) > MAX_DEPTH:
            element.refuse("topology.xml", f"the elements are nested more than {MAX_DEPTH} levels deep")

    def _end(self, _: str) -> None:
        self._open.pop()

    def _characters(self, text: str) -> None:
        if self._open:
            self._open[-1].raw += text

    def _entity(self, name: str, *_: object) -> None:
        message = f"the document declares the entity {name!r}, but entities are not resolved"
        span = self._document.span(self._parser.CurrentByteIndex)
        raise TopologyError.at(
            "topology.entity",
            message,
            self._document.source,
            span,
            "perhaps replace each reference to the entity by its text",
        )


def _blanked(declaration: re.Match[str]) -> str:
    return declaration[1] + " " * (len(declaration[0]) - len(declaration[1]))
